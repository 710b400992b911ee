import type Router from '@koa/router';
import type { Context } from 'koa';
import { INTERFACE_VERSION, type Info } from '../config/info.ts';
import { empty } from './errors.ts';

/** Specification 4.1, the part about the service itself. */
/** The server that answers, of those behind one address. */
const SERVER_HEADER = 'Troupe-Server';

export function serviceRoutes(router: Router, info: Info, serverId: string): void {
  router.get('/rest/info', (ctx) => {
    // Headers, since strict readers of InfoModel refuse further members.
    ctx.set('X-Interface-Version', INTERFACE_VERSION);
    ctx.set(SERVER_HEADER, serverId);
    ctx.body = info;
  });
}

export interface Health {
  /** Why the server takes no new jobs, in words that anybody may read; undefined while it does. */
  closedFor(): Promise<string | undefined>;
}

/** Anonymous: up or not, and why not; nothing that names a path, an address or a figure. */
export function healthRoutes(router: Router, { closedFor }: Health): void {
  router.get('/healthz', (ctx: Context) => empty(ctx, 200));
  router.get('/readyz', async (ctx: Context) => {
    const message = await closedFor();
    if (message === undefined) return empty(ctx, 200);
    ctx.status = 503;
    ctx.body = { message };
  });
}
