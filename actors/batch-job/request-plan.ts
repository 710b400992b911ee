import { refusedCallbackUrl } from '../../pipeline/callback.ts';
import { resolvePlan } from '../../pipeline/plan-checks.ts';
import type { CatalogLookup } from '../../pipeline/plan-lookup.ts';
import type { PipelinePlan } from '../../pipeline/plan.ts';
import { refusedProperty } from '../../pipeline/property-checks.ts';
import type { DeskParts, JobRequest } from './desk.ts';
import { unsupportedYet } from './unsupported.ts';

/** The plan of a request, or why it can have none: all that shows without looking at a medium. */
export function planOf(
  request: JobRequest,
  catalog: CatalogLookup,
  settings: Pick<DeskParts['settings'], 'maxMedia' | 'environmentProperties'>,
): { readonly plan: PipelinePlan } | { readonly refused: string } {
  const { media, jobProperties, algorithmProperties } = request;
  const { maxMedia } = settings;
  if (media.length === 0)
    return {
      refused: "The job request must contain at least one piece of media, but it didn't contain any.",
    };
  if (media.length > maxMedia)
    return { refused: `The job request has ${media.length} media; ${maxMedia} are allowed.` };
  const wrongCallback = request.callback === undefined ? undefined : refusedCallbackUrl(request.callback.url);
  if (wrongCallback !== undefined) return { refused: wrongCallback };
  if (request.wantsSelectors) return { refused: 'Media selectors are not supported yet.' };
  const resolved = resolvePlan(catalog, request);
  if ('refused' in resolved) return resolved;
  const levels = [
    settings.environmentProperties,
    jobProperties,
    ...Object.values(algorithmProperties),
    ...media.map(({ properties }) => properties),
  ];
  const actions = resolved.ok.tasks.flatMap((task) => task.actions.map((action) => action.properties));
  for (const level of [...levels, ...actions]) {
    const refused = refusedProperty(level);
    if (refused !== null) return { refused: `Property validation failed due to: ${refused}` };
  }
  const unsupported = unsupportedYet(resolved.ok, levels);
  return unsupported === undefined ? { plan: resolved.ok } : { refused: unsupported };
}
