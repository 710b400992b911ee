/** Deletes a pipeline together with the tasks and actions that were created for it. */
import { get, send } from '../kit/api.ts';
import type { Pipeline, Task, WholePipeline } from './types.ts';

export async function removePipeline({ pipeline: { name }, tasks }: WholePipeline): Promise<void> {
  await remove('pipelines', name);
  const [pipelines, others] = await Promise.all([
    get<readonly Pipeline[]>('rest/pipelines'),
    get<readonly Task[]>('rest/tasks'),
  ]);
  const usedTasks = new Set(pipelines.flatMap((one) => one.tasks));
  const isOwn = (part: string) => part.startsWith(`${name} `);
  const gone = tasks.filter(({ task }) => isOwn(task.name) && !usedTasks.has(task.name));
  for (const { task } of gone) await remove('tasks', task.name);
  const goneNames = new Set(gone.map(({ task }) => task.name));
  const usedActions = new Set(others.filter((one) => !goneNames.has(one.name)).flatMap((one) => one.actions));
  for (const { action } of tasks.flatMap(({ actions }) => actions))
    if (isOwn(action.name) && !usedActions.has(action.name)) await remove('actions', action.name);
}

const remove = (kind: 'pipelines' | 'tasks' | 'actions', name: string) =>
  send('DELETE', `rest/${kind}/${encodeURIComponent(name)}`);
