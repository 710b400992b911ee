import { refusedBucketProperties } from '../../domain/job/buckets.ts';
import { levelsOf, type JobConfiguration } from '../../domain/job/job-config-hash.ts';
import type { PipelinePlan, PlannedAction } from '../../domain/plan.ts';
import { booleanOf, effectiveProperties } from '../../domain/properties/properties.ts';
import { refusedProperty } from '../../domain/properties/property-checks.ts';
import { feedForwardType } from '../../domain/properties/trigger.ts';
import type { Properties } from '../../domain/types.ts';
import { TimeSlices } from '../basics/time-slices.ts';

/** Why a job cannot run with the properties that apply to some medium and action. Returns undefined if it can. */
export async function refusedProperties(
  job: JobConfiguration,
  media: readonly { readonly properties: Properties }[],
): Promise<string | undefined> {
  const timeSlices = new TimeSlices();
  // Thousands of media usually share a few sets of properties.
  const distinct = new Map<string, Properties>();
  for (const { properties } of media) {
    if (timeSlices.due) await timeSlices.next();
    const own = withDecisions(properties);
    distinct.set(JSON.stringify(own), own);
  }
  const actions = new Set(job.plan.tasks.flatMap((task) => task.actions));
  const environment = withDecisions(job.environmentProperties);
  const above = new Map<PlannedAction, Properties>();
  for (const one of actions) {
    if (timeSlices.due) await timeSlices.next();
    // The media are not inspected yet. Properties that are refused are refused for media of all types.
    above.set(one, withDecisions(effectiveProperties({ ...levelsOf(job, one), media: {} }, 'VIDEO')));
  }
  for (const properties of distinct.values()) {
    const known = new Map<PlannedAction, Properties>();
    for (const one of actions) {
      if (timeSlices.due) await timeSlices.next();
      known.set(one, { ...above.get(one), ...properties, ...environment });
    }
    const refused = refusedInForce(job.plan, (action) => known.get(action) ?? {});
    if (refused !== undefined) return refused;
  }
  return undefined;
}

/** The properties for which a job can be refused. */
const DECIDING =
  /^(S3_[A-Z_]+|DETECTION_PADDING_[XY]|TRIGGER|FEED_FORWARD_TYPE|IS_ANNOTATOR|SUPPRESS_TRACKS)$/;

const withDecisions = (properties: Properties): Properties =>
  Object.fromEntries(Object.entries(properties).filter(([name]) => DECIDING.test(name)));

/** `propertiesOf`: returns the properties that apply to an action. */
export function refusedInForce(
  plan: PipelinePlan,
  propertiesOf: (action: PlannedAction) => Properties,
): string | undefined {
  const feeds = (action: PlannedAction) =>
    feedForwardType(propertiesOf(action)['FEED_FORWARD_TYPE']) !== null;
  const anyFed = plan.tasks.some(({ actions }) => actions.some(feeds));
  for (const [index, { actions, actionType }] of plan.tasks.entries()) {
    // Tasks that never get tracks of earlier tasks may ignore a TRIGGER that is meant for other tasks.
    const aside: Properties =
      anyFed && (index === 0 || actionType === 'MARKUP') ? { FEED_FORWARD_TYPE: 'REGION' } : {};
    for (const action of actions) {
      const properties = propertiesOf(action);
      const refused =
        refusedProperty({ ...properties, ...aside }) ??
        refusedBucketProperties(properties) ??
        refusedToken(properties);
      if (refused !== null) return `Property validation failed due to: ${refused}`;
    }
  }
  return refusedAnnotators(plan, propertiesOf) ?? refusedSuppression(plan, propertiesOf);
}

/** Several annotators in one task would each return the same tracks, and only one of these answers could be kept. */
function refusedAnnotators(
  { tasks }: PipelinePlan,
  propertiesOf: (action: PlannedAction) => Properties,
): string | undefined {
  for (const [index, { name, actions }] of tasks.entries()) {
    const annotator = actions.find((action) => index > 0 && isAnnotator(propertiesOf(action)));
    if (annotator === undefined || actions.length === 1) continue;
    return `Property validation failed due to: The IS_ANNOTATOR property is set for the "${annotator.name}" action of "${name}", which has other actions, too. Give the annotator a task of its own.`;
  }
  return undefined;
}

const isAnnotator = (properties: Properties): boolean =>
  feedForwardType(properties['FEED_FORWARD_TYPE']) !== null && booleanOf(properties, 'IS_ANNOTATOR');

const refusedToken = (properties: Properties): string | null =>
  booleanOf(properties, 'S3_ADD_TOKEN', false)
    ? 'The S3_ADD_TOKEN property asks for tokens in requests to buckets, which is not supported yet.'
    : null;

/** A document without any results would be useless. */
function refusedSuppression(
  { tasks }: PipelinePlan,
  propertiesOf: (action: PlannedAction) => Properties,
): string | undefined {
  const finds = (index: number, action: PlannedAction) => {
    return action.algorithm.actionType === 'DETECTION' && !(index > 0 && isAnnotator(propertiesOf(action)));
  };
  const last = tasks.findLast(({ actions }, index) => actions.some((action) => finds(index, action)));
  const suppressed = last?.actions.find((action) => booleanOf(propertiesOf(action), 'SUPPRESS_TRACKS'));
  if (last === undefined || suppressed === undefined) return undefined;
  return `Property validation failed due to: The SUPPRESS_TRACKS property is set for the "${suppressed.name}" action of "${last.name}", which is the last task that finds tracks: none would be left in the output.`;
}
