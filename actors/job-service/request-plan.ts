import { refusedCallbackUrl } from '../../domain/job/callback.ts';
import { JobNotes, lookForNotes, lookForWrongValues, type NotedJob } from '../../domain/job/job-notes.ts';
import { overLimit, overSubJobs } from '../../domain/plan/request-limits.ts';
import type { PipelinePlan } from '../../domain/plan.ts';
import type { Properties } from '../../domain/types.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { TimeSlices } from '../basics/time-slices.ts';
import type { RefusalReason } from '../requests/submission.ts';
import type { JobServiceDeps, JobRequest } from './job-request.ts';
import { refusedJobZones } from './request-zones.ts';
import { refusedProperties } from './request-properties.ts';

export interface RequestPlan {
  readonly plan: PipelinePlan;
  /** Parts of the request that have no effect. */
  readonly warnings: readonly string[];
}

type PlanSettings = Pick<JobServiceDeps['settings'], 'limits' | 'environmentProperties' | 'serverProperties'>;
type Checked = RequestPlan | { readonly refused: string; readonly reason?: RefusalReason };

/** Returns the plan of a request with its warnings, or why it has none. It reads no medium. */
export async function planOf(
  request: JobRequest,
  catalog: Pick<Catalog, 'batchPlan'>,
  settings: PlanSettings,
): Promise<Checked> {
  const { media, callback } = request;
  const { limits } = settings;
  if (media.length === 0)
    return {
      refused: "The job request must contain at least one piece of media, but it didn't contain any.",
    };
  const over = overLimit(request, limits);
  if (over !== undefined) return { refused: over };
  const wrongCallback = callback === undefined ? undefined : refusedCallbackUrl(callback.url);
  if (wrongCallback !== undefined) return { refused: wrongCallback };
  const resolved = catalog.batchPlan(request, limits);
  if ('refused' in resolved) return resolved;
  const plan = resolved.ok;
  const tooMany = overSubJobs(media.length, plan, limits);
  if (tooMany !== undefined) return { refused: tooMany };
  const wrongZones = refusedJobZones(request, plan, settings);
  if (wrongZones !== undefined) return { refused: wrongZones };
  if (setsAnything(request)) return checkedProperties(request, plan, settings);
  const checked = PLAIN.get(settings)?.get(plan) ?? (await checkedProperties(request, plan, settings));
  const plain = PLAIN.get(settings) ?? new WeakMap<PipelinePlan, Checked>();
  PLAIN.set(settings, plain.set(plan, checked));
  return checked;
}

/** Cached results for requests that set no properties. Only the plan matters for them, and jobs of a stored pipeline share it. */
const PLAIN = new WeakMap<PlanSettings, WeakMap<PipelinePlan, Checked>>();

const isSet = (properties: Properties) => Object.keys(properties).length > 0;

const setsAnything = ({ media, jobProperties, algorithmProperties }: JobRequest): boolean =>
  isSet(jobProperties) ||
  Object.keys(algorithmProperties).length > 0 ||
  media.some(
    ({ properties, selectors, selectorsOutputAction }) =>
      isSet(properties) || selectors !== undefined || selectorsOutputAction !== undefined,
  );

async function checkedProperties(
  { media, jobProperties, algorithmProperties }: JobRequest,
  plan: PipelinePlan,
  { environmentProperties, serverProperties }: PlanSettings,
): Promise<Checked> {
  const job = { plan, jobProperties, algorithmProperties, environmentProperties, serverProperties };
  const noted = { plan, jobProperties, algorithmProperties, media };
  const refused =
    (await refusedProperties(job, media)) ??
    (await refusedValues(noted)) ??
    (await refusedMediaSelectors(plan, media));
  if (refused !== undefined) return { refused };
  return { plan, warnings: await warningsOf(noted) };
}

async function refusedValues(job: NotedJob): Promise<string | undefined> {
  const timeSlices = new TimeSlices();
  for (const refused of lookForWrongValues(job)) {
    if (refused !== undefined) return `Property validation failed due to: ${refused}`;
    if (timeSlices.due) await timeSlices.next();
  }
  return undefined;
}

async function warningsOf(job: NotedJob): Promise<readonly string[]> {
  const timeSlices = new TimeSlices();
  const notes = new JobNotes();
  for (const note of lookForNotes(job)) {
    if (note !== undefined && !notes.add(note)) break;
    if (timeSlices.due) await timeSlices.next();
  }
  return notes.sentences;
}

async function refusedMediaSelectors(
  { tasks }: PipelinePlan,
  media: JobRequest['media'],
): Promise<string | undefined> {
  const selecting = media.filter(({ selectors = [] }) => selectors.length > 0);
  if (selecting.length === 0) return undefined;
  // Loaded for the first job with selectors. The server starts faster without JSONPath and its dependencies.
  const { SelectorCheck } = await import('../../domain/text/media-selectors.ts');
  const actions = tasks.flatMap((task) => task.actions);
  const check = new SelectorCheck(actions);
  const timeSlices = new TimeSlices();
  for (const { selectors, selectorsOutputAction } of selecting) {
    if (timeSlices.due) await timeSlices.next();
    for (const refused of check.refusals({
      mediaSelectors: selectors,
      mediaSelectorsOutputAction: selectorsOutputAction,
    })) {
      if (refused !== null) return refused;
      if (timeSlices.due) await timeSlices.next();
    }
  }
  return undefined;
}
