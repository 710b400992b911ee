import type Router from '@koa/router';
import type { Context } from 'koa';
import type { QueueViews } from '../actors/views/queues.ts';
import { notThere } from './errors.ts';

export interface QueueRoutes {
  readonly queues: QueueViews;
}

/** Specification 4.8. */
export function queueRoutes(router: Router, { queues }: QueueRoutes): void {
  router.get('/rest/queues', async (ctx) => {
    ctx.body = await queues.all();
  });
  router.get('/rest/queues/:name', async (ctx: Context) => {
    const { name } = ctx['params'] as { name: string };
    const found = await queues.one(name);
    if (found === undefined) throw notThere('queue', name, '/rest/queues');
    ctx.body = found;
  });
}
