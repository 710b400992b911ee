import type Router from '@koa/router';
import type { Context } from 'koa';
import type { ActorSystem } from '../actors/runtime/system.ts';
import { listActors } from '../actors/views/actors.ts';
import { requireRole } from './access/bearer.ts';
import { HttpError } from './errors.ts';
import { actorListQuery } from './schemas/actors.ts';
import { checked } from './schemas/problems.ts';

export interface ActorRouteDeps {
  readonly system: Pick<ActorSystem, 'roster' | 'counts'>;
}

/** Ours: the specification knows no actors. */
export function actorRoutes(router: Router, deps: ActorRouteDeps): void {
  router.get('/rest/actors', requireRole('ADMIN'), (ctx) => list(ctx, deps));
}

function list(ctx: Context, { system }: ActorRouteDeps): void {
  const query = checked(actorListQuery, ctx.query, 'query');
  if ('problems' in query)
    throw new HttpError(400, `The query has errors in the following fields:\n${query.problems}`);
  const { limit, kind, after, failed } = query.ok;
  const page = listActors(system, { limit, kind, after, failed });
  if ('refused' in page) throw new HttpError(400, page.refused);
  ctx.body = page;
}
