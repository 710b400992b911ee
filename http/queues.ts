import type Router from '@koa/router';
import type { Context } from 'koa';
import type { QueueViews } from '../actors/views/queues.ts';
import { empty } from './errors.ts';

export interface QueueRoutes {
  readonly queues: QueueViews;
}

/** Specification 4.8. */
export function queueRoutes(router: Router, { queues }: QueueRoutes): void {
  router.get('/rest/queues', async (ctx) => {
    ctx.body = await queues.all();
  });
  router.get('/rest/queues/:name', async (ctx: Context) => {
    const found = await queues.one((ctx['params'] as { name: string }).name);
    if (found === undefined) return empty(ctx, 404);
    ctx.body = found;
  });
}
