/** Limits of one job request: every text has a maximum length and every list a maximum count. They are checked before any processing. */
import type { TransientPipelineDefinition } from './plan-lookup.ts';
import type { PipelinePlan } from '../plan.ts';
import type { Algorithm, MediaSelector, Properties } from '../types.ts';

/** Lengths in characters. */
export interface RequestLimits {
  readonly media: number;
  /** Of an address. data: URIs contain the medium, so only the body limit applies. */
  readonly uriLength: number;
  readonly nameLength: number;
  readonly externalIdLength: number;
  /** Of a property value. */
  readonly valueLength: number;
  /** Number of properties in one set: of a job, a medium, an action, an algorithm or a selector. */
  readonly properties: number;
  /** Total length of all names and values in one set. */
  readonly propertiesLength: number;
  /** Number of actions of a pipeline. An action counts as often as it runs on a medium. */
  readonly actions: number;
  /** Length of all its actions with their algorithms, as stored with a job. */
  readonly planLength: number;
  /** Media times actions, and the sub-jobs for ranges of a medium. */
  readonly subJobs: number;
}

/** All limits except the number of media, which an operator can change. */
export const REQUEST_LIMITS: Omit<RequestLimits, 'media'> = {
  uriLength: 8_192,
  nameLength: 256,
  externalIdLength: 1_000,
  valueLength: 65_536,
  properties: 1_000,
  propertiesLength: 65_536,
  actions: 200,
  planLength: 4 * 1024 * 1024,
  subJobs: 100_000,
};

export interface LimitedRequest {
  readonly media: readonly LimitedMedium[];
  readonly externalId?: string | null;
  readonly pipelineName?: string | undefined;
  readonly pipelineDefinition?: TransientPipelineDefinition | undefined;
  readonly jobProperties: Properties;
  readonly algorithmProperties: Readonly<Record<string, Properties>>;
  readonly callback?: { readonly url: string } | undefined;
}
interface LimitedMedium {
  readonly uri: string;
  readonly metadata: Properties;
  readonly properties: Properties;
  readonly selectors?: readonly MediaSelector[];
  readonly selectorsOutputAction?: string;
}

/** The first exceeded limit, as a sentence. Undefined if there is none. */
export function overLimit(request: LimitedRequest, limits: RequestLimits): string | undefined {
  const { media, callback, jobProperties, algorithmProperties, pipelineDefinition } = request;
  if (media.length > limits.media) return tooManyMedia(media.length, limits);
  const algorithms = Object.keys(algorithmProperties);
  return (
    longName('pipelineName', request.pipelineName, limits) ??
    longExternalId(request.externalId, limits) ??
    longUri('callbackURL', callback?.url, limits) ??
    (algorithms.length > limits.properties
      ? `algorithmProperties has ${algorithms.length} algorithms; at most ${limits.properties} are allowed.`
      : undefined) ??
    overProperties('jobProperties', jobProperties, limits) ??
    firstOf(algorithms, (name) => overAlgorithm(name, algorithmProperties[name] ?? {}, limits)) ??
    overDefinition(pipelineDefinition, limits) ??
    firstOf(media, (medium, i) => overMedium(`media[${i}]`, medium, limits))
  );
}

export const tooManyMedia = (given: number, { media }: Pick<RequestLimits, 'media'>): string =>
  `The job request has ${given} media; ${media} are allowed.`;

const longExternalId = (
  given: string | null | undefined,
  { externalIdLength: most }: RequestLimits,
): string | undefined =>
  (given?.length ?? 0) > most
    ? `externalId has ${given?.length} characters; at most ${most} are allowed.`
    : undefined;

function overAlgorithm(name: string, properties: Properties, limits: RequestLimits): string | undefined {
  const place = 'algorithmProperties';
  return longName(`A name in ${place}`, name, limits) ?? overProperties(place, properties, limits);
}

function overMedium(place: string, medium: LimitedMedium, limits: RequestLimits): string | undefined {
  const { uri, metadata, properties, selectors = [], selectorsOutputAction } = medium;
  return (
    longUri(`${place}.mediaUri`, uri, limits) ??
    overProperties(`${place}.metadata`, metadata, limits) ??
    overProperties(`${place}.properties`, properties, limits) ??
    longName(`${place}.mediaSelectorsOutputAction`, selectorsOutputAction, limits) ??
    firstOf(
      selectors,
      ({ resultDetectionProperty, selectionProperties }, i) =>
        longName(`${place}.mediaSelectors[${i}].resultDetectionProperty`, resultDetectionProperty, limits) ??
        overProperties(`${place}.mediaSelectors[${i}].selectionProperties`, selectionProperties, limits),
    )
  );
}

/** Counts come first, so names are checked only if there are few. */
function overDefinition(
  definition: TransientPipelineDefinition | undefined,
  limits: RequestLimits,
): string | undefined {
  if (definition === undefined) return undefined;
  const { pipeline, tasks = [], actions = [] } = definition;
  const most = tasks.reduce(
    (longest, task) => Math.max(longest, task.actions.length),
    Math.max(pipeline.length, tasks.length, actions.length),
  );
  if (most > limits.actions) return tooManyActions(most, limits);
  const names = [
    ...pipeline,
    ...tasks.flatMap((task) => [task.name, ...task.actions]),
    ...actions.flatMap(({ name, algorithm }) => [name, algorithm]),
  ];
  return (
    firstOf(names, (name) => longName('A name in pipelineDefinition', name, limits)) ??
    firstOf(actions, ({ properties = [] }, i) =>
      overEntries(
        `pipelineDefinition.actions[${i}].properties`,
        properties.map(({ name, value }) => [name, value]),
        limits,
      ),
    )
  );
}

const tooManyActions = (given: number, { actions }: Pick<RequestLimits, 'actions'>): string =>
  `The pipeline has ${given} tasks or actions; at most ${actions} are allowed. Split the work into several jobs.`;

/** Counts the actions of a pipeline before any of them is looked up. An action counts as often as its task occurs. */
export function overActions(
  pipeline: { readonly tasks: readonly string[] },
  actionsOf: (task: string) => readonly unknown[] | undefined,
  limits: Pick<RequestLimits, 'actions'>,
): string | undefined {
  const most = limits.actions;
  let count = Math.max(0, pipeline.tasks.length);
  if (count <= most) count = pipeline.tasks.reduce((sum, task) => sum + (actionsOf(task)?.length ?? 1), 0);
  return count > most ? tooManyActions(count, limits) : undefined;
}

/** Checks the size of a plan. A job stores its plan with the algorithm of each action, and component descriptors may be long. */
export function overPlan(
  { tasks }: PipelinePlan,
  { planLength }: Pick<RequestLimits, 'planLength'>,
): string | undefined {
  const lengths = new Map<Algorithm, number>();
  let length = 0;
  for (const { algorithm, properties } of tasks.flatMap((task) => task.actions)) {
    const known = lengths.get(algorithm) ?? JSON.stringify(algorithm).length;
    lengths.set(algorithm, known);
    length += known + lengthOf(Object.entries(properties));
    if (length > planLength)
      return `The actions of the pipeline, each with its algorithm and properties, have more than ${planLength} characters. Split the work into several jobs.`;
  }
  return undefined;
}

const lengthOf = (entries: readonly (readonly [string, string])[]): number =>
  entries.reduce((sum, [name, value]) => sum + name.length + value.length, 0);

/** Checks the number of sub-jobs. Each action needs at least one for each medium. */
export function overSubJobs(
  media: number,
  plan: PipelinePlan,
  { subJobs }: RequestLimits,
): string | undefined {
  const actions = plan.tasks.reduce((sum, task) => sum + task.actions.length, 0);
  if (media * actions <= subJobs) return undefined;
  return `The job has ${media} media and ${actions} actions, which makes ${media * actions} sub-jobs; at most ${subJobs} are allowed. Split the media into several jobs.`;
}

const overProperties = (place: string, properties: Properties, limits: RequestLimits) =>
  overEntries(place, Object.entries(properties), limits);

function overEntries(
  place: string,
  entries: readonly (readonly [string, string])[],
  limits: RequestLimits,
): string | undefined {
  if (entries.length > limits.properties)
    return `${place} has ${entries.length} entries; at most ${limits.properties} are allowed.`;
  const long = firstOf(entries, ([name, value]) => {
    if (name.length > limits.nameLength) return longName(`A name in ${place}`, name, limits);
    if (value.length <= limits.valueLength) return undefined;
    return `${place}: the value of "${name}" has ${value.length} characters; at most ${limits.valueLength} are allowed.`;
  });
  if (long !== undefined) return long;
  const length = lengthOf(entries);
  if (length <= limits.propertiesLength) return undefined;
  return `${place} has ${length} characters in names and values; at most ${limits.propertiesLength} are allowed.`;
}

function longName(
  place: string,
  name: string | undefined,
  { nameLength }: RequestLimits,
): string | undefined {
  if (name === undefined || name.length <= nameLength) return undefined;
  return `${place} has ${name.length} characters; at most ${nameLength} are allowed.`;
}

function longUri(place: string, uri: string | undefined, { uriLength }: RequestLimits): string | undefined {
  if (uri === undefined || uri.length <= uriLength || /^data:/i.test(uri)) return undefined;
  return `${place} has ${uri.length} characters; at most ${uriLength} are allowed.`;
}

function firstOf<T>(
  all: readonly T[],
  problemOf: (one: T, index: number) => string | undefined,
): string | undefined {
  for (const [index, one] of all.entries()) {
    const problem = problemOf(one, index);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
