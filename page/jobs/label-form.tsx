import { useState } from 'preact/hooks';
import { TEXT } from '../kit/text.ts';
import type { Deed } from './operation.tsx';

/** Adds a label to all selected jobs. */
export function LabelForm({ isBusy, act }: { readonly isBusy: boolean; readonly act: (deed: Deed) => void }) {
  const [label, setLabel] = useState('');
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (label.trim() !== '') act({ action: 'label', add: [label.trim()] });
      }}
    >
      <input
        type="text"
        aria-label={TEXT.jobs.labelForTheSelectedJobs}
        placeholder={TEXT.jobs.label}
        size={12}
        value={label}
        onInput={({ currentTarget: { value } }) => setLabel(value)}
      />
      <button type="submit" disabled={isBusy}>
        {TEXT.jobs.addLabel}
      </button>
    </form>
  );
}
