import { refusedCallbackUrl } from '../../domain/callback.ts';
import { JobNotes, lookForNotes, type NotedJob } from '../../domain/job-notes.ts';
import { resolvePlan } from '../../domain/plan-checks.ts';
import type { CatalogLookup } from '../../domain/plan-lookup.ts';
import { overLimit, overSubJobs } from '../../domain/request-limits.ts';
import type { PipelinePlan } from '../../domain/plan.ts';
import { Turns } from '../runtime/turns.ts';
import type { JobServiceDeps, JobRequest } from './job-request.ts';
import { refusedProperties } from './request-properties.ts';

export interface RequestPlan {
  readonly plan: PipelinePlan;
  /** What the request asks for without effect. */
  readonly warnings: readonly string[];
}

/** The plan of a request with what is to be said about it, or why it can have none: all that shows without looking at a medium. */
export async function planOf(
  request: JobRequest,
  catalog: CatalogLookup,
  settings: Pick<JobServiceDeps['settings'], 'limits' | 'environmentProperties' | 'serverProperties'>,
): Promise<RequestPlan | { readonly refused: string }> {
  const { media, jobProperties, algorithmProperties, callback } = request;
  const { limits, environmentProperties, serverProperties } = settings;
  if (media.length === 0)
    return {
      refused: "The job request must contain at least one piece of media, but it didn't contain any.",
    };
  const over = overLimit(request, limits);
  if (over !== undefined) return { refused: over };
  const wrongCallback = callback === undefined ? undefined : refusedCallbackUrl(callback.url);
  if (wrongCallback !== undefined) return { refused: wrongCallback };
  const resolved = resolvePlan(catalog, request, 'batch', limits);
  if ('refused' in resolved) return resolved;
  const plan = resolved.ok;
  const tooMany = overSubJobs(media.length, plan, limits);
  if (tooMany !== undefined) return { refused: tooMany };
  const job = { plan, jobProperties, algorithmProperties, environmentProperties, serverProperties };
  const refused = (await refusedProperties(job, media)) ?? (await refusedMediaSelectors(plan, media));
  if (refused !== undefined) return { refused };
  return { plan, warnings: await warningsOf({ plan, jobProperties, algorithmProperties, media }) };
}

async function warningsOf(job: NotedJob): Promise<readonly string[]> {
  const turns = new Turns();
  const notes = new JobNotes();
  for (const note of lookForNotes(job)) {
    if (note !== undefined && !notes.add(note)) break;
    if (turns.due) await turns.next();
  }
  return notes.told;
}

async function refusedMediaSelectors(
  { tasks }: PipelinePlan,
  media: JobRequest['media'],
): Promise<string | undefined> {
  const selecting = media.filter(({ selectors = [] }) => selectors.length > 0);
  if (selecting.length === 0) return undefined;
  // Loaded by the first job that selects anything: a start is that much shorter without JSONPath and what it needs.
  const { SelectorCheck } = await import('../../domain/media-selectors.ts');
  const actions = tasks.flatMap((task) => task.actions);
  const check = new SelectorCheck(actions);
  const turns = new Turns();
  for (const { selectors, selectorsOutputAction } of selecting) {
    if (turns.due) await turns.next();
    for (const refused of check.refusals({
      mediaSelectors: selectors,
      mediaSelectorsOutputAction: selectorsOutputAction,
    })) {
      if (refused !== null) return refused;
      if (turns.due) await turns.next();
    }
  }
  return undefined;
}
