import type { Selection } from './use-selection.ts';

/** Selects something in a list: by a press, by Space, and with Shift everything from the last one on. */
export function CheckField({
  of: { has, press },
  place,
  id = place,
  label,
}: {
  readonly of: Selection;
  /** Where it stands in the list. */
  readonly place: string;
  /** Absent: the place stands for itself. */
  readonly id?: string;
  readonly label: string;
}) {
  return (
    <label class="choose">
      <input
        type="checkbox"
        data-place={place}
        checked={has(id)}
        aria-label={label}
        onClick={({ shiftKey }) => press(place, shiftKey)}
      />
    </label>
  );
}
