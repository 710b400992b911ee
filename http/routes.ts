import type { Middleware } from 'koa';
import { requireRole } from './access/bearer.ts';
import type { Caller, Limits } from './routing/declaration.ts';
import type { Endpoint } from './steps/endpoint.ts';
import type { JobGuard } from './users/job-step.ts';
import { Router } from './routing/router.ts';

/** Steps that identify callers other than users with a role. */
export type Guards = Readonly<Partial<Record<Caller, Middleware>>>;

/** Registers the routes of endpoints in the order in which the router tests them. */
export function route<D>(
  router: Router,
  endpoints: readonly Endpoint<D>[],
  deps: D & Partial<Limits & JobGuard>,
  guards: Guards = {},
): Router {
  for (const endpoint of endpoints.toSorted(fixedPartsFirst)) {
    const path = endpoint.path.replaceAll(/\{(\w+)\}/g, ':$1');
    const act: Middleware = (ctx) => endpoint.respond(ctx, deps);
    router[endpoint.method](path, ...guardsOf(endpoint, guards), act);
  }
  return router;
}

/** Sorts fixed paths first: `/rest/jobs/stats` before `/rest/jobs/{id}`. */
const fixedPartsFirst = (a: { readonly path: string }, b: { readonly path: string }): number =>
  variableParts(a.path) - variableParts(b.path);
const variableParts = (path: string) => path.split('{').length;

function guardsOf<D>({ caller, forbidden }: Endpoint<D>, guards: Guards): readonly Middleware[] {
  const guard = caller === 'ADMIN' ? requireRole('ADMIN', forbidden) : guards[caller];
  return guard === undefined ? [] : [guard];
}
