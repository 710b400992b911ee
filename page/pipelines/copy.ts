import type { WholeAction, WholePipeline, WholeTask } from './whole-pipeline.ts';

/** What was filled in: by algorithm, then by property. */
export type Values = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** A POST to the REST interface. */
interface Post {
  readonly path: string;
  readonly body: { readonly name: string; readonly description: string; readonly [field: string]: unknown };
}

/** What is to be posted, in this order, for a copy of a pipeline: what does not change is shared with the original. */
export function postsForCopy(
  { pipeline, tasks }: WholePipeline,
  newName: string,
  values: Values,
): readonly Post[] {
  const name = newName.trim().toUpperCase();
  const copies = tasks.map((task) => copiedTask(task, name, values));
  return [
    ...copies.flatMap(({ posts }) => posts),
    {
      path: 'rest/pipelines',
      body: { name, description: pipeline.description, tasks: copies.map((copy) => copy.name) },
    },
  ];
}

function copiedTask(
  { task, actions }: WholeTask,
  of: string,
  values: Values,
): { readonly name: string; readonly posts: readonly Post[] } {
  const copies = actions.map((action) => copiedAction(action, of, values));
  const posts = copies.flatMap(({ post }) => (post === undefined ? [] : [post]));
  if (posts.length === 0) return { name: task.name, posts };
  const name = `${task.name} OF ${of}`;
  const body = { name, description: task.description, actions: copies.map((copy) => copy.name) };
  return { name, posts: [...posts, { path: 'rest/tasks', body }] };
}

function copiedAction(
  { action }: WholeAction,
  of: string,
  values: Values,
): { readonly name: string; readonly post?: Post } {
  const changed = Object.entries(values[action.algorithm] ?? {}).filter(([, value]) => value !== '');
  if (changed.length === 0) return { name: action.name };
  const all = new Map([...action.properties.map(({ name, value }) => [name, value] as const), ...changed]);
  const name = `${action.name} OF ${of}`;
  const properties = [...all].map(([property, value]) => ({ name: property, value }));
  const { description, algorithm } = action;
  return { name, post: { path: 'rest/actions', body: { name, description, algorithm, properties } } };
}
