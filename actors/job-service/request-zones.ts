/** Checks of the zones, lines and rules of a request. */
import { levelsOf } from '../../domain/job/job-config-hash.ts';
import type { PipelinePlan } from '../../domain/plan.ts';
import { foundClasses } from '../../domain/plan/found-classes.ts';
import { effectiveProperties } from '../../domain/properties/properties.ts';
import type { Properties } from '../../domain/types.ts';
import { refusedZones } from '../../domain/zones/checks.ts';
import type { JobRequest, JobServiceDeps } from './job-request.ts';

type Levels = Pick<JobServiceDeps['settings'], 'environmentProperties' | 'serverProperties'>;

const NO_DOCUMENT = 'Zones, lines and rules need a detection document. Leave buildOutput out.';

export function refusedJobZones(
  request: JobRequest,
  plan: PipelinePlan,
  settings: Levels,
): string | undefined {
  const { zones, buildOutput } = request;
  if (zones === undefined) return undefined;
  if (!buildOutput) return NO_DOCUMENT;
  return refusedZones(zones, classesOf(request, plan, settings));
}

/** The classes that the detectors of all tasks find. */
function classesOf(
  { media, jobProperties, algorithmProperties }: JobRequest,
  plan: PipelinePlan,
  settings: Levels,
): readonly string[] | undefined {
  const levels = { ...settings, plan, jobProperties, algorithmProperties };
  const actions = plan.tasks
    .filter(({ actionType }) => actionType === 'DETECTION')
    .flatMap((task) => task.actions);
  const asked = allowLists(media);
  return foundClasses(
    actions.flatMap((action) =>
      asked.map((own) => ({
        algorithm: action.algorithm,
        properties: effectiveProperties({ ...levelsOf(levels, action), media: own }, 'VIDEO'),
      })),
    ),
  );
}

/** Thousands of media usually share a few lists of classes. */
function allowLists(media: JobRequest['media']): readonly Properties[] {
  const lists = new Set(media.map(({ properties }) => properties[ALLOW_LIST]));
  return [...lists].map((list): Properties => (list === undefined ? {} : { [ALLOW_LIST]: list }));
}
const ALLOW_LIST = 'CLASS_ALLOW_LIST';
