/** Extracts the part of a job's pipeline that makes vectors, to compute a comparable vector of another picture. Pure functions. */
import { censorValue } from '../../domain/job/censor.ts';
import type { PlannedAction, PlannedTask } from '../../domain/plan.ts';
import type { TransientPipelineDefinition } from '../../domain/plan/plan-lookup.ts';
import { booleanOf } from '../../domain/properties/properties.ts';
import type { Properties } from '../../domain/types.ts';
import type { JobRecord } from '../batch-job/state/record.ts';

export type VectorJob = Pick<JobRecord, 'plan' | 'jobProperties' | 'algorithmProperties'>;

/**
 * Returns undefined if the job has no such action. An action that needs no earlier task runs alone, so that it sees the whole picture.
 * Otherwise the tasks before it run, too. Annotators after it also run, because one of them may have made the vector. Only algorithm
 * properties without secrets are kept, because the job may belong to another user.
 */
export function vectorPlan(
  job: VectorJob,
  task: string,
  action: string,
): TransientPipelineDefinition | undefined {
  const tasks = job.plan.tasks.filter(({ actionType }) => actionType === 'DETECTION');
  const last = tasks.findIndex(
    ({ name, actions }) => name === task && actions.some((one) => one.name === action),
  );
  const made = tasks[last]?.actions.find(({ name }) => name === action);
  if (made === undefined) return undefined;
  const isAlone = made.algorithm.requiresCollection.states.length === 0;
  const before = isAlone ? [] : tasks.slice(0, last);
  const after = tasks.slice(last + 1).filter(({ actions }) => actions.every((one) => annotates(one, job)));
  const run: readonly PlannedTask[] = [...before, { ...tasks[last]!, actions: [made] }, ...after];
  return {
    pipeline: run.map(({ name }) => name),
    tasks: run.map(({ name, actions }) => ({ name, actions: actions.map((one) => one.name) })),
    actions: run.flatMap(({ actions }) =>
      actions.map((one) => definitionOf(one, job, isAlone && one === made)),
    ),
  };
}

function definitionOf(
  { name, algorithm, properties }: PlannedAction,
  { jobProperties, algorithmProperties }: VectorJob,
  isAlone: boolean,
) {
  const declared = new Set(algorithm.providesCollection.properties.map((one) => one.name));
  const given = givenTo({ algorithm, properties }, { jobProperties, algorithmProperties });
  const kept = Object.entries(given)
    .filter(([property, value]) => declared.has(property) && censorValue(property, value) === value)
    .map(([property, value]) => ({ name: property, value }));
  const fed = isAlone ? [] : feedingOf(given);
  return { name, algorithm: algorithm.name, properties: [...kept, ...fed] };
}

const givenTo = (
  { algorithm, properties }: Pick<PlannedAction, 'algorithm' | 'properties'>,
  { jobProperties, algorithmProperties }: Pick<VectorJob, 'jobProperties' | 'algorithmProperties'>,
): Properties => ({ ...properties, ...jobProperties, ...algorithmProperties[algorithm.name] });

const annotates = (action: PlannedAction, job: VectorJob): boolean =>
  booleanOf(givenTo(action, job), IS_ANNOTATOR);
const IS_ANNOTATOR = 'IS_ANNOTATOR';

/** Properties that control the feed-forward of an action. */
const feedingOf = (properties: Properties) =>
  Object.entries(properties)
    .filter(([name]) => name.startsWith('FEED_FORWARD_') || name === IS_ANNOTATOR)
    .map(([name, value]) => ({ name, value }));
