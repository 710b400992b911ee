import type Router from '@koa/router';
import type { Context } from 'koa';
import type { Info } from '../config/info.ts';
import { empty } from './errors.ts';

/** Specification 4.1, the part about the service itself. */
export function serviceRoutes(router: Router, info: Info): void {
  router.get('/rest/info', (ctx) => {
    ctx.body = info;
  });
}

export interface Health {
  /** True while the server takes new jobs. */
  ready(): Promise<boolean>;
}

/** Anonymous: up or not, nothing else. */
export function healthRoutes(router: Router, { ready }: Health): void {
  router.get('/healthz', (ctx: Context) => empty(ctx, 200));
  router.get('/readyz', async (ctx: Context) => empty(ctx, (await ready()) ? 200 : 503));
}
