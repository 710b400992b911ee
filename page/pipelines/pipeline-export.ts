import { get } from '../kit/api.ts';
import type { Action, Pipeline, Task } from './types.ts';

/** Returns pipelines with their tasks and actions, in the form of the REST interface. */
export async function exportOf(chosen: readonly Pipeline[]) {
  const [tasks, actions] = await Promise.all([
    get<readonly Task[]>('rest/tasks'),
    get<readonly Action[]>('rest/actions'),
  ]);
  const taskNames = new Set(chosen.flatMap((one) => one.tasks));
  const someTasks = tasks.filter(({ name }) => taskNames.has(name));
  const actionNames = new Set(someTasks.flatMap((one) => one.actions));
  return {
    pipelines: chosen.map(({ name, description, tasks: names }) => ({ name, description, tasks: names })),
    tasks: someTasks,
    actions: actions.filter(({ name }) => actionNames.has(name)),
  };
}
