import { Icon } from '../kit/icons.tsx';
import { useGet } from '../kit/load.ts';
import type { PeoplePage } from '../people/types.ts';
import { GOALS, SAME_PERSON, type Goal } from './goals.ts';
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
  const obstacles: Readonly<Record<string, string | undefined>> = {
    own: names.length === 0 ? TEXT.new.needsAnOnnxModel : undefined,
    transcript: hasWhisper ? undefined : TEXT.new.needsAWhisperModel,
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
            obstacle={obstacles[goal.id] ?? (isUseful(goal) ? undefined : TEXT.new.notInTheseFiles)}
            toggle={() => toggle(goal)}
          />
        ))}
      </div>
      {draft.goals.includes('own') && (
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

function GoalCard({
  goal: { title, hint, icon },
  isChosen,
  obstacle,
  toggle,
}: {
  readonly goal: Goal;
  readonly isChosen: boolean;
  readonly obstacle: string | undefined;
  readonly toggle: () => void;
}) {
  return (
    <label class="card goal">
      <input
        type="checkbox"
        checked={isChosen}
        disabled={obstacle !== undefined && !isChosen}
        onChange={toggle}
      />
      <Icon name={icon} size={22} />
      <span>
        <strong>{title}</strong>
        <small>{obstacle ?? hint}</small>
      </span>
    </label>
  );
}
