/** A pipeline while it is edited: tasks in order, and the actions of each. Every change creates a new draft. */
import type { Action, Task, WholePipeline } from '../types.ts';

export interface DraftAction {
  /** Key within this page. */
  readonly key: number;
  readonly algorithm: string;
  /** Changed values by property. */
  readonly properties: Readonly<Record<string, string>>;
  /** The stored action from which this one was copied. It is used while nothing differs from it. */
  readonly stored?: Action | undefined;
}

export interface DraftTask {
  /** Key within this page. */
  readonly key: number;
  readonly actions: readonly DraftAction[];
  /** The stored task from which this one was copied. */
  readonly stored?: Task | undefined;
}

export interface PipelineDraft {
  readonly name: string;
  readonly description: string;
  readonly tasks: readonly DraftTask[];
}

export const EMPTY_DRAFT: PipelineDraft = { name: '', description: '', tasks: [] };

let lastKey = 0;
const newKey = () => ++lastKey;

/** Returns the initial draft of a copy. */
export function draftOf({ pipeline, tasks }: WholePipeline): PipelineDraft {
  return {
    name: `MY ${pipeline.name}`,
    description: pipeline.description,
    tasks: tasks.map(({ task, actions }) => ({
      key: newKey(),
      stored: task,
      actions: actions.map(({ action }) => actionOf(action)),
    })),
  };
}

export const actionOf = (stored: Action): DraftAction => ({
  key: newKey(),
  algorithm: stored.algorithm,
  properties: Object.fromEntries(stored.properties.map(({ name, value }) => [name, value])),
  stored,
});

export const withTask = (draft: PipelineDraft, action: DraftAction): PipelineDraft => ({
  ...draft,
  tasks: [...draft.tasks, { key: newKey(), actions: [action] }],
});

export const withAction = (draft: PipelineDraft, task: number, action: DraftAction): PipelineDraft =>
  changeTask(draft, task, ({ actions }) => [...actions, action]);

/** Removes an action. A task without actions is removed, too. */
export function withoutAction(draft: PipelineDraft, action: number): PipelineDraft {
  const tasks = draft.tasks.map((task) =>
    withActions(task, (actions) => actions.filter(({ key }) => key !== action)),
  );
  return { ...draft, tasks: tasks.filter(({ actions }) => actions.length > 0) };
}

export const withoutTask = (draft: PipelineDraft, task: number): PipelineDraft => ({
  ...draft,
  tasks: draft.tasks.filter(({ key }) => key !== task),
});

/** @param to the new position, from 0 */
export function moveTask(draft: PipelineDraft, task: number, to: number): PipelineDraft {
  const moved = draft.tasks.find(({ key }) => key === task);
  if (moved === undefined) return draft;
  const others = draft.tasks.filter((one) => one !== moved);
  const place = Math.max(0, Math.min(to, others.length));
  return { ...draft, tasks: [...others.slice(0, place), moved, ...others.slice(place)] };
}

/** @param value an empty text restores the default */
export const withProperty = (
  draft: PipelineDraft,
  action: number,
  name: string,
  value: string,
): PipelineDraft => ({
  ...draft,
  tasks: draft.tasks.map((task) =>
    withActions(task, (actions) =>
      actions.map((one) =>
        one.key === action ? { ...one, properties: setValue(one.properties, name, value) } : one,
      ),
    ),
  ),
});

export const findAction = (draft: PipelineDraft, action: number | undefined): DraftAction | undefined =>
  draft.tasks.flatMap(({ actions }) => actions).find(({ key }) => key === action);

function setValue(values: DraftAction['properties'], name: string, value: string): DraftAction['properties'] {
  const { [name]: _, ...others } = values;
  return value === '' ? others : { ...others, [name]: value };
}

const changeTask = (
  draft: PipelineDraft,
  task: number,
  change: (task: DraftTask) => readonly DraftAction[],
): PipelineDraft => ({
  ...draft,
  tasks: draft.tasks.map((one) => (one.key === task ? { ...one, actions: change(one) } : one)),
});

const withActions = (
  task: DraftTask,
  change: (actions: readonly DraftAction[]) => readonly DraftAction[],
): DraftTask => ({ ...task, actions: change(task.actions) });
