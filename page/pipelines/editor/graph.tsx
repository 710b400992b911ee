import { useState } from 'preact/hooks';
import { countText, elementTitle } from '../../kit/format.ts';
import { Icon } from '../../kit/icons.tsx';
import { algorithmIcon } from '../element-icons.ts';
import type { DraftAction, DraftTask, PipelineDraft } from './draft.ts';
import { TEXT } from '../../kit/text.ts';

/** Actions on the drawing. */
export interface GraphActions {
  readonly select: (action: number) => void;
  /** Opens the offer of actions for a task. Undefined: for a new one. */
  readonly offer: (task: number | undefined) => void;
  /** @param to the new position of the task, from 0 */
  readonly move: (task: number, to: number) => void;
  readonly removeTask: (task: number) => void;
  readonly removeAction: (action: number) => void;
  /** Handles an action of the offer that was dropped on a task. Undefined: on the place of a new one. */
  readonly drop: (name: string, task: number | undefined) => void;
}

/** Data types of dragged items: the key of a task in the drawing, or the name of an offered action. */
export const DRAGGED_TASK = 'application/x-troupe-task';
export const DRAGGED_ACTION = 'application/x-troupe-action';

/** The tasks of a draft from left to right, with the actions of each. Tasks can be dragged, or moved by buttons. */
export function Graph({
  draft: { tasks },
  selected,
  wrong,
  on,
}: {
  readonly draft: PipelineDraft;
  readonly selected: number | undefined;
  /** The action that the server refuses. */
  readonly wrong: number | undefined;
  readonly on: GraphActions;
}) {
  return (
    <ol class="graph" aria-label={TEXT.pipelines.tasksInTheOrderIn}>
      {tasks.map((task, n) => (
        <TaskCard
          key={task.key}
          task={task}
          n={n}
          of={tasks.length}
          selected={selected}
          wrong={wrong}
          on={on}
        />
      ))}
      <AddTask isFirst={tasks.length === 0} on={on} />
    </ol>
  );
}

/** Makes an element a drop target for tasks and actions. */
function useDrop(onDrop: (data: DataTransfer) => void) {
  const [isOver, setOver] = useState(false);
  const isOurs = ({ dataTransfer }: DragEvent) =>
    dataTransfer?.types.some((type) => type === DRAGGED_TASK || type === DRAGGED_ACTION) === true;
  const handlers = {
    onDragOver: (event: DragEvent) => {
      if (!isOurs(event)) return;
      event.preventDefault();
      setOver(true);
    },
    onDragLeave: () => setOver(false),
    onDrop: (event: DragEvent) => {
      setOver(false);
      if (!isOurs(event)) return;
      event.preventDefault();
      onDrop(event.dataTransfer!);
    },
  };
  return { isOver, handlers };
}

function TaskCard({
  task: { key, actions },
  n,
  of,
  selected,
  wrong,
  on,
}: {
  readonly task: DraftTask;
  readonly n: number;
  readonly of: number;
  readonly selected: number | undefined;
  readonly wrong: number | undefined;
  readonly on: GraphActions;
}) {
  const { isOver, handlers } = useDrop((data) => {
    const action = data.getData(DRAGGED_ACTION);
    if (action === '') on.move(Number(data.getData(DRAGGED_TASK)), n);
    else on.drop(action, key);
  });
  const name = TEXT.pipelines.taskInSentence(n + 1);
  return (
    <li
      class={isOver ? 'task over' : 'task'}
      draggable
      onDragStart={(event) => event.dataTransfer!.setData(DRAGGED_TASK, String(key))}
      {...handlers}
    >
      <header>
        <strong>{TEXT.pipelines.taskTitle(n + 1)}</strong>
        <span class="tools-of-task">
          <IconButton
            icon="back"
            label={TEXT.pipelines.moveEarlier(name)}
            disabled={n === 0}
            act={() => on.move(key, n - 1)}
          />
          <IconButton
            icon="forward"
            label={TEXT.pipelines.moveLater(name)}
            disabled={n === of - 1}
            act={() => on.move(key, n + 1)}
          />
          <IconButton icon="delete" label={TEXT.common.remove(name)} act={() => on.removeTask(key)} />
        </span>
      </header>
      <ul>
        {actions.map((action) => (
          <ActionCard
            key={action.key}
            action={action}
            isSelected={action.key === selected}
            isWrong={action.key === wrong}
            on={on}
          />
        ))}
      </ul>
      <button
        type="button"
        class="add"
        onClick={() => on.offer(key)}
        aria-label={TEXT.pipelines.addAnActionTo(name)}
      >
        <Icon name="plus" size={14} /> {TEXT.pipelines.action}
      </button>
    </li>
  );
}

function ActionCard({
  action: { key, algorithm, properties, stored },
  isSelected,
  isWrong,
  on,
}: {
  readonly action: DraftAction;
  readonly isSelected: boolean;
  readonly isWrong: boolean;
  readonly on: GraphActions;
}) {
  const title = elementTitle(stored?.name ?? algorithm);
  const set = Object.keys(properties).length;
  return (
    <li class={isWrong ? 'action wrong' : 'action'}>
      <button type="button" class="choice" aria-pressed={isSelected} onClick={() => on.select(key)}>
        <Icon name={algorithmIcon(algorithm)} />
        <span>
          {title}
          <small>
            {set === 0
              ? TEXT.pipelines.allDefaults
              : TEXT.pipelines.set(countText(set, TEXT.pipelines.property, TEXT.pipelines.properties))}
          </small>
        </span>
        {isWrong && <span class="unseen">{TEXT.pipelines.hasAProblem}</span>}
      </button>
      <IconButton icon="close" label={TEXT.common.remove(title)} act={() => on.removeAction(key)} />
    </li>
  );
}

function AddTask({ isFirst, on }: { readonly isFirst: boolean; readonly on: GraphActions }) {
  const { isOver, handlers } = useDrop((data) => {
    const action = data.getData(DRAGGED_ACTION);
    if (action === '') on.move(Number(data.getData(DRAGGED_TASK)), Number.MAX_SAFE_INTEGER);
    else on.drop(action, undefined);
  });
  return (
    <li class={isOver ? 'task new-task over' : 'task new-task'} {...handlers}>
      <button type="button" onClick={() => on.offer(undefined)}>
        <Icon name="plus" /> {isFirst ? TEXT.pipelines.addTheFirstTask : TEXT.pipelines.addATask}
      </button>
    </li>
  );
}

function IconButton({
  icon,
  label,
  disabled = false,
  act,
}: {
  readonly icon: 'back' | 'forward' | 'delete' | 'close';
  readonly label: string;
  readonly disabled?: boolean;
  readonly act: () => void;
}) {
  return (
    <button
      type="button"
      class="quiet-button"
      aria-label={label}
      title={label}
      disabled={disabled}
      onClick={act}
    >
      <Icon name={icon} size={16} />
    </button>
  );
}
