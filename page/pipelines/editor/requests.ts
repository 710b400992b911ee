/** Requests for a draft: a definition for jobs, and the elements to store. */
import type { z } from 'zod';
import type { jobCreationRequest } from '../../../http/schemas/jobs/batch-jobs.ts';
import type { Action, Task } from '../types.ts';
import type { DraftAction, DraftTask, PipelineDraft } from './draft.ts';

/** A POST to the REST interface. */
export interface Post {
  readonly path: 'rest/actions' | 'rest/tasks' | 'rest/pipelines';
  readonly body: { readonly name: string; readonly description: string; readonly [field: string]: unknown };
}

type Definition = NonNullable<z.input<typeof jobCreationRequest>['pipelineDefinition']>;

/** Returns the draft in the form in which a job defines its own pipeline. */
export function definitionOf({ tasks }: PipelineDraft): Definition {
  return {
    pipeline: tasks.map((_, n) => taskTitle(n)),
    tasks: tasks.map(({ actions }, n) => ({
      name: taskTitle(n),
      actions: actions.map((_action, k) => actionTitle(n, k)),
    })),
    actions: tasks.flatMap(({ actions }, n) =>
      actions.map(({ algorithm, properties }, k) => ({
        name: actionTitle(n, k),
        algorithm,
        properties: pairs(properties),
      })),
    ),
  };
}

const taskTitle = (task: number) => `TASK ${task + 1}`;
const actionTitle = (task: number, action: number) => `ACTION ${task + 1}.${action + 1}`;

/** Names of stored elements. */
export interface TakenNames {
  readonly actions: ReadonlySet<string>;
  readonly tasks: ReadonlySet<string>;
}

/** Returns the requests that store a draft, in order. Unchanged stored elements are reused. */
export function postsOf(
  { name: given, description, tasks }: PipelineDraft,
  taken: TakenNames,
): readonly Post[] {
  const name = given.trim().toUpperCase();
  const says = description.trim() === '' ? name : description.trim();
  const several = tasks.length > 1;
  const stored = tasks.map((task, n) =>
    storedTask(task, { of: several ? `${name} ${n + 1}` : name, says, taken }),
  );
  const body = { name, description: says, tasks: stored.map((task) => task.name) };
  return [...stored.flatMap(({ posts }) => posts), { path: 'rest/pipelines', body }];
}

interface Naming {
  readonly of: string;
  readonly says: string;
  readonly taken: TakenNames;
}

interface Stored {
  readonly name: string;
  readonly posts: readonly Post[];
}

function storedTask({ actions, stored }: DraftTask, naming: Naming): Stored {
  const several = actions.length > 1;
  const parts = actions.map((action, k) =>
    storedAction(action, { ...naming, of: several ? `${naming.of} ${k + 1}` : naming.of }),
  );
  const names = parts.map(({ name }) => name);
  if (stored !== undefined && isSameTask(stored, names)) return { name: stored.name, posts: [] };
  const name = freeName(`${naming.of} TASK`, naming.taken.tasks);
  const post: Post = { path: 'rest/tasks', body: { name, description: naming.says, actions: names } };
  return { name, posts: [...parts.flatMap(({ posts }) => posts), post] };
}

function storedAction({ algorithm, properties, stored }: DraftAction, { of, says, taken }: Naming): Stored {
  if (stored !== undefined && isSameAction(stored, properties)) return { name: stored.name, posts: [] };
  const name = freeName(`${of} ACTION`, taken.actions);
  const description = stored?.description ?? says;
  return {
    name,
    posts: [{ path: 'rest/actions', body: { name, description, algorithm, properties: pairs(properties) } }],
  };
}

const isSameTask = ({ actions }: Task, names: readonly string[]) =>
  actions.length === names.length && actions.every((name, k) => name === names[k]);

function isSameAction(stored: Action, properties: DraftAction['properties']): boolean {
  const names = Object.keys(properties);
  return (
    stored.properties.length === names.length &&
    stored.properties.every(({ name, value }) => properties[name] === value)
  );
}

/** Returns the name, with a number appended if another element has it. */
function freeName(name: string, taken: ReadonlySet<string>): string {
  if (!taken.has(name)) return name;
  for (let n = 2; ; n++) if (!taken.has(`${name} ${n}`)) return `${name} ${n}`;
}

const pairs = (properties: DraftAction['properties']) =>
  Object.entries(properties).map(([name, value]) => ({ name, value }));
