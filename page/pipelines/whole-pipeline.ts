import type { z } from 'zod';
import type { modelList } from '../../http/schemas/models.ts';
import type { action, algorithm, pipeline, task } from '../../http/schemas/pipelines.ts';
import { get } from '../kit/api.ts';

export type Pipeline = z.output<typeof pipeline>;
export type Task = z.output<typeof task>;
export type Action = z.output<typeof action>;
export type Algorithm = z.output<typeof algorithm>;
export type AlgorithmProperty = Algorithm['providesCollection']['properties'][number];

/** A pipeline with all that its names stand for. */
export interface WholePipeline {
  readonly pipeline: Pipeline;
  readonly tasks: readonly WholeTask[];
  /** Names of the properties that every algorithm has. */
  readonly shared: ReadonlySet<string>;
  /** What may be chosen for a property of an algorithm, besides what one types; by both names. */
  readonly choices: Choices;
}
export type Choices = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
export interface WholeTask {
  readonly task: Task;
  readonly actions: readonly WholeAction[];
}
export interface WholeAction {
  readonly action: Action;
  /** undefined: nobody has it any more. */
  readonly algorithm: Algorithm | undefined;
}

export const pipelineNames = async (signal?: AbortSignal): Promise<readonly Pipeline[]> =>
  (await get<readonly Pipeline[]>('rest/pipelines', {}, signal)).toSorted((a, b) =>
    a.name < b.name ? -1 : 1,
  );

const one = <T>(kind: string, name: string, signal: AbortSignal) =>
  get<T>(`rest/${kind}/${encodeURIComponent(name)}`, {}, signal);

export async function wholePipeline(name: string, signal: AbortSignal): Promise<WholePipeline> {
  const [pipeline, all] = await Promise.all([
    one<Pipeline>('pipelines', name, signal),
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
  const choices = used.has(OWN_MODELS) ? { [OWN_MODELS]: { MODEL_NAME: await modelNames(signal) } } : {};
  return { pipeline, tasks: whole, shared: sharedProperties(all), choices };
}

/** The algorithm that runs models of one's own. */
const OWN_MODELS = 'ONNX';

/** None where they cannot be listed: a name can be typed all the same. */
const modelNames = (signal: AbortSignal): Promise<readonly string[]> =>
  get<z.output<typeof modelList>>('rest/models', {}, signal).then(
    ({ models }) => models.flatMap(({ kind, name }) => (kind === 'ONNX' ? [name] : [])),
    () => [],
  );

function sharedProperties(algorithms: readonly Algorithm[]): ReadonlySet<string> {
  const [first, ...others] = algorithms.map(
    ({ providesCollection }) => new Set(providesCollection.properties.map(({ name }) => name)),
  );
  if (first === undefined || others.length === 0) return new Set();
  return new Set([...first].filter((name) => others.every((names) => names.has(name))));
}
