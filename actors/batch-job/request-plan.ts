import { refusedCallbackUrl } from '../../pipeline/callback.ts';
import { jobNotes } from '../../pipeline/job-notes.ts';
import { refusedSelectors } from '../../pipeline/media-selectors.ts';
import { resolvePlan } from '../../pipeline/plan-checks.ts';
import type { CatalogLookup } from '../../pipeline/plan-lookup.ts';
import type { PipelinePlan } from '../../pipeline/plan.ts';
import type { DeskParts, JobRequest } from './desk.ts';
import { refusedProperties } from './request-properties.ts';

export interface RequestPlan {
  readonly plan: PipelinePlan;
  /** What the request asks for without effect. */
  readonly warnings: readonly string[];
}

/** The plan of a request with what is to be said about it, or why it can have none: all that shows without looking at a medium. */
export function planOf(
  request: JobRequest,
  catalog: CatalogLookup,
  settings: Pick<DeskParts['settings'], 'maxMedia' | 'environmentProperties' | 'serverProperties'>,
): RequestPlan | { readonly refused: string } {
  const { media, jobProperties, algorithmProperties, callback } = request;
  const { maxMedia, environmentProperties, serverProperties } = settings;
  if (media.length === 0)
    return {
      refused: "The job request must contain at least one piece of media, but it didn't contain any.",
    };
  if (media.length > maxMedia)
    return { refused: `The job request has ${media.length} media; ${maxMedia} are allowed.` };
  const wrongCallback = callback === undefined ? undefined : refusedCallbackUrl(callback.url);
  if (wrongCallback !== undefined) return { refused: wrongCallback };
  const resolved = resolvePlan(catalog, request);
  if ('refused' in resolved) return resolved;
  const plan = resolved.ok;
  const job = { plan, jobProperties, algorithmProperties, environmentProperties, serverProperties };
  const refused = refusedProperties(job, media) ?? refusedMediaSelectors(plan, media);
  return refused === undefined
    ? { plan, warnings: jobNotes({ plan, jobProperties, algorithmProperties, media }) }
    : { refused };
}

function refusedMediaSelectors({ tasks }: PipelinePlan, media: JobRequest['media']): string | undefined {
  const actions = tasks.flatMap((task) => task.actions);
  for (const { selectors, selectorsOutputAction } of media) {
    const refused = refusedSelectors(
      { mediaSelectors: selectors, mediaSelectorsOutputAction: selectorsOutputAction },
      actions,
    );
    if (refused !== null) return refused;
  }
  return undefined;
}
