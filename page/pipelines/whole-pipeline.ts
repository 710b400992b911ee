import type { z } from 'zod';
import type { modelList } from '../../http/schemas/models.ts';
import { get, type Query } from '../kit/api.ts';
import type {
  Action,
  Algorithm,
  Choices,
  Pipeline,
  Task,
  WholeAction,
  WholePipeline,
  WholeTask,
} from './types.ts';

export const pipelineNames = async (signal?: AbortSignal): Promise<readonly Pipeline[]> =>
  (await get<readonly Pipeline[]>('rest/pipelines', {}, signal)).toSorted((a, b) =>
    a.name < b.name ? -1 : 1,
  );

const one = <T>(kind: string, name: string, signal: AbortSignal, query: Query = {}) =>
  get<T>(`rest/${kind}/${encodeURIComponent(name)}`, query, signal);

/** @param query for the request of the pipeline itself */
export async function wholePipeline(
  name: string,
  signal: AbortSignal,
  query: Query = {},
): Promise<WholePipeline> {
  const [pipeline, all] = await Promise.all([
    one<Pipeline>('pipelines', name, signal, query),
    get<readonly Algorithm[]>('rest/algorithms', {}, signal),
  ]);
  const algorithms = new Map(all.map((algorithm) => [algorithm.name, algorithm]));
  const wholeAction = async (action: string): Promise<WholeAction> => {
    const found = await one<Action>('actions', action, signal);
    return { action: found, algorithm: algorithms.get(found.algorithm) };
  };
  const tasks = pipeline.tasks.map(async (task): Promise<WholeTask> => {
    const found = await one<Task>('tasks', task, signal);
    return { task: found, actions: await Promise.all(found.actions.map(wholeAction)) };
  });
  const whole = await Promise.all(tasks);
  const used = new Set(whole.flatMap(({ actions }) => actions.map(({ action }) => action.algorithm)));
  const choices = used.has(OWN_MODELS) ? await choicesOf(signal) : {};
  return { pipeline, tasks: whole, shared: sharedProperties(all), choices };
}

/** The algorithm that runs the operator's own models. */
const OWN_MODELS = 'ONNX';

export const choicesOf = async (signal: AbortSignal): Promise<Choices> => ({
  [OWN_MODELS]: { MODEL_NAME: await modelNames(signal) },
});

/** Returns the names of models. Returns none if they cannot be listed, because a name can still be typed. */
const modelNames = (signal: AbortSignal): Promise<readonly string[]> =>
  get<z.output<typeof modelList>>('rest/models', {}, signal).then(
    ({ models }) => models.flatMap(({ kind, name }) => (kind === 'ONNX' ? [name] : [])),
    () => [],
  );

export function sharedProperties(algorithms: readonly Algorithm[]): ReadonlySet<string> {
  const [first, ...others] = algorithms.map(
    ({ providesCollection }) => new Set(providesCollection.properties.map(({ name }) => name)),
  );
  if (first === undefined || others.length === 0) return new Set();
  return new Set([...first].filter((name) => others.every((names) => names.has(name))));
}
