/** The actions of a stream, and the checks of a pipeline with several. */
import type { PipelinePlan, PlannedAction } from '../../domain/plan.ts';
import type { FindingAction } from '../../domain/plan/found-classes.ts';
import { booleanOf } from '../../domain/properties/properties.ts';
import { feedForwardType } from '../../domain/properties/trigger.ts';
import type { Properties } from '../../domain/types.ts';
import { refusedInForce } from '../job-service/request-properties.ts';
import type { NamedStreamAction, StreamingJobRecord } from '../streaming-job/state.ts';

interface ActionOnStream {
  readonly task: number;
  readonly taskName: string;
  readonly action: PlannedAction;
  /** Effective properties. */
  readonly properties: Properties;
}

export type StreamActions = Pick<
  StreamingJobRecord,
  'algorithm' | 'task' | 'action' | 'trackType' | 'properties' | 'actions'
>;

export interface CheckedActions {
  readonly record: StreamActions;
  /** Actions whose tracks are reported. */
  readonly finding: readonly FindingAction[];
}

/** `together`: algorithms whose components can watch a stream in one process. */
export function checkedActions(
  plan: PipelinePlan,
  propertiesOf: (action: PlannedAction) => Properties,
  together: ReadonlySet<string>,
): { readonly ok: CheckedActions } | { readonly refused: string } {
  const all = plan.tasks.flatMap(({ name: taskName, actions }, task) =>
    actions.map((action) => ({ task, taskName, action, properties: propertiesOf(action) })),
  );
  const [first] = all;
  if (first === undefined) return { refused: `The pipeline ${plan.name} has no action.` };
  const refused = all.length > 1 ? refusedSeveral(plan, all, together) : undefined;
  if (refused !== undefined) return { refused };
  const { algorithm, name } = first.action;
  const last = plan.tasks.length - 1;
  return {
    ok: {
      record: {
        algorithm: algorithm.name,
        task: first.taskName,
        action: name,
        trackType: algorithm.trackType,
        properties: first.properties,
        ...(all.length === 1 ? {} : { actions: all.map(nameAction) }),
      },
      finding: all
        .filter(({ task, properties }) => !(isFed(task, properties) && annotates(properties)))
        .filter(({ task, properties }) => task === last || !booleanOf(properties, 'SUPPRESS_TRACKS'))
        .map(({ action, properties }) => ({ algorithm: action.algorithm, properties })),
    },
  };
}

const nameAction = ({ task, taskName, action, properties }: ActionOnStream): NamedStreamAction => ({
  task,
  taskName,
  name: action.name,
  algorithm: action.algorithm.name,
  trackType: action.algorithm.trackType,
  properties,
});

function refusedSeveral(
  plan: PipelinePlan,
  all: readonly ActionOnStream[],
  together: ReadonlySet<string>,
): string | undefined {
  const alone = all.find(({ action }) => !together.has(action.algorithm.name));
  if (alone !== undefined)
    return (
      `The action "${alone.action.name}" of the pipeline ${plan.name} uses ${alone.action.algorithm.name}, which cannot share a stream with other actions. ` +
      `Use a separate streaming job for it, or a pipeline with these algorithms: ${[...together].toSorted().join(', ')}.`
    );
  const inForce = new Map(all.map(({ action, properties }) => [action, properties]));
  const wrong = refusedInForce(plan, (action) => inForce.get(action) ?? {});
  if (wrong !== undefined) return wrong;
  return refusedAnnotator(all, plan.tasks.length - 1) ?? refusedKeyFrames(all);
}

/** Only algorithms that need tracks of an earlier task, such as FACE EMBEDDING, add to these tracks in a stream. */
function refusedAnnotator(all: readonly ActionOnStream[], last: number): string | undefined {
  const annotators = all.filter(({ task, properties }) => isFed(task, properties) && annotates(properties));
  const other = annotators.find(({ action }) => action.algorithm.requiresCollection.states.length === 0);
  if (other !== undefined)
    return `Property validation failed due to: The IS_ANNOTATOR property is set for the action "${other.action.name}", which has no effect on live streams. Set it to FALSE: the action then creates its own tracks.`;
  const early = annotators.find(({ task }) => task < last);
  return (
    early &&
    `Property validation failed due to: The IS_ANNOTATOR property is set for the action "${early.action.name}", after which other tasks follow. In a stream, only the last task adds to tracks.`
  );
}

const isFed = (task: number, { FEED_FORWARD_TYPE }: Properties): boolean =>
  task > 0 && feedForwardType(FEED_FORWARD_TYPE) !== null;
const annotates = (properties: Properties): boolean => booleanOf(properties, 'IS_ANNOTATOR');

/** Refuses different values of USE_KEY_FRAMES, because frames are decoded once for all actions. */
function refusedKeyFrames(all: readonly ActionOnStream[]): string | undefined {
  const [first, ...others] = all.filter(({ task, properties }) => !isFed(task, properties));
  const wantsKeys = ({ properties }: ActionOnStream) => booleanOf(properties, 'USE_KEY_FRAMES');
  const other = first && others.find((one) => wantsKeys(one) !== wantsKeys(first));
  if (other === undefined) return undefined;
  return `Property validation failed due to: USE_KEY_FRAMES differs between the actions "${first!.action.name}" and "${other.action.name}", which share a stream. Set it in jobProperties for both.`;
}
