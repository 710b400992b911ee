import type { ComponentChildren } from 'preact';
import { urlOf } from '../kit/api.ts';
import { Icon } from '../kit/icons.tsx';
import { useGet } from '../kit/load.ts';
import type { PeoplePage } from '../people/types.ts';
import { GOALS, OWN, SAME_PERSON, type Goal } from './goals.ts';
import type { ChangeDraft, Draft } from './request.ts';
import { TEXT } from '../kit/text.ts';

interface ModelList {
  readonly models: readonly { readonly kind: string; readonly name: string }[];
}

/** Cards of goals. Several goals can be chosen. */
export function Goals({ draft, change }: { readonly draft: Draft; readonly change: ChangeDraft }) {
  const models = useGet<ModelList>('rest/models');
  const people = useGet<PeoplePage>('rest/people', { limit: 1 });
  const names = models.value?.models.flatMap(({ kind, name }) => (kind === 'ONNX' ? [name] : [])) ?? [];
  const hasWhisper = models.value?.models.some(({ kind }) => kind === 'WHISPER') === true;
  const isUnknown = models.value === undefined;
  const obstacles: Readonly<Record<string, ComponentChildren>> = {
    own: !isUnknown && names.length === 0 && (
      <Missing guide="use-your-own-model">{TEXT.new.needsAnOnnxModel}</Missing>
    ),
    transcript: !isUnknown && !hasWhisper && (
      <Missing guide="transcribe-speech">{TEXT.new.needsAWhisperModel}</Missing>
    ),
  };
  const toggle = ({ id }: Goal) =>
    change((before) => ({
      ...before,
      goals: before.goals.includes(id) ? before.goals.filter((one) => one !== id) : [...before.goals, id],
    }));
  const kinds = new Set(draft.media.map(({ kind }) => kind));
  const isUseful = (goal: Goal) =>
    kinds.size === 0 || kinds.has(undefined) || goal.kinds.some((kind) => kinds.has(kind));
  return (
    <fieldset class="goals">
      <legend>{TEXT.new.whatDoYouWantTo}</legend>
      <div class="card-grid">
        {GOALS.filter(({ id }) => id !== SAME_PERSON || people.value?.grouping === true).map((goal) => (
          <GoalCard
            key={goal.id}
            goal={goal}
            isChosen={draft.goals.includes(goal.id)}
            obstacle={obstacles[goal.id] || (!isUseful(goal) && TEXT.new.notInTheseFiles)}
            toggle={() => toggle(goal)}
          />
        ))}
      </div>
      {draft.goals.includes(OWN) && (
        <label class="line">
          {TEXT.new.model}
          <select
            value={draft.model}
            onChange={({ currentTarget: { value } }) => change((before) => ({ ...before, model: value }))}
          >
            <option value="">{TEXT.new.chooseOne}</option>
            {names.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </label>
      )}
    </fieldset>
  );
}

/** What a goal needs, with a link to the guide for it. */
function Missing({ guide, children }: { readonly guide: string; readonly children: string }) {
  return (
    <>
      {children}{' '}
      <a href={urlOf(`docs/guides/${guide}`)} target="_blank">
        {TEXT.new.howToAddOne}
      </a>
    </>
  );
}

function GoalCard({
  goal: { title, hint, icon },
  isChosen,
  obstacle,
  toggle,
}: {
  readonly goal: Goal;
  readonly isChosen: boolean;
  /** Why the goal cannot be chosen. */
  readonly obstacle: ComponentChildren;
  readonly toggle: () => void;
}) {
  return (
    <label class="card goal">
      <input type="checkbox" checked={isChosen} disabled={Boolean(obstacle) && !isChosen} onChange={toggle} />
      <Icon name={icon} size={22} />
      <span>
        <strong>{title}</strong>
        <small>{obstacle || hint}</small>
      </span>
    </label>
  );
}
