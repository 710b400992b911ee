import { randomUUID } from 'node:crypto';
import Router from '@koa/router';
import Koa, { type Context, type Next } from 'koa';
import type { Catalog } from '../actors/catalog/catalog.ts';
import type { ActorSystem } from '../actors/runtime/system.ts';
import type { Info } from '../config/info.ts';
import type { Logger } from '../config/logger.ts';
import type { Access } from './access/index.ts';
import { batchJobRoutes, type BatchJobParts } from './batch-jobs.ts';
import { empty, mapErrors } from './errors.ts';
import { pipelineRoutes } from './pipelines.ts';
import { healthRoutes, serviceRoutes, type Health } from './service.ts';
import { workerProtocol, type WorkerProtocolParts } from './worker-protocol.ts';

export interface AppParts extends BatchJobParts, Omit<WorkerProtocolParts, 'authenticate' | 'requireAdmin'> {
  readonly access: Access;
  readonly catalog: Catalog;
  readonly info: Info;
  readonly health: Health;
  readonly system: ActorSystem;
  readonly logger: Logger;
}

/** The Koa application. It never listens: who calls this does. */
export function createApp(parts: AppParts): Koa {
  const { access, logger } = parts;
  const app = new Koa();
  // A client that hangs up in the middle of a document is no error of ours.
  app.on('error', (error: unknown) => {
    if ((error as { code?: string }).code !== 'ERR_STREAM_PREMATURE_CLOSE')
      logger.warn({ err: error }, 'a response failed');
  });
  app.use(requestContext(parts.system, logger));
  app.use(mapErrors(logger));
  if (access.routes !== undefined) app.use(access.routes);

  const open = new Router();
  healthRoutes(open, parts.health);
  app.use(open.routes());

  app.use(workerProtocol({ ...parts, ...access }).routes());

  // Whatever could be a path of /rest is authenticated, in any case of letters, before a route is looked for.
  const rest = new Router({ sensitive: true });
  serviceRoutes(rest, parts.info);
  batchJobRoutes(rest, parts);
  pipelineRoutes(rest, parts.catalog);
  app.use(async (ctx, next) => {
    await (/^\/rest(\/|$)/i.test(ctx.path) ? access.authenticate(ctx, next) : next());
  });
  app.use(rest.routes());
  app.use(rest.allowedMethods());
  // Not thrown: `allowedMethods` turns it into 405 where another method is served.
  app.use((ctx) => empty(ctx, 404));
  return app;
}

/** Every request has an id: in the answer, in the log, in the context of the messages it sends. */
function requestContext(system: ActorSystem, logger: Logger) {
  return async (ctx: Context, next: Next) => {
    const given = ctx.get('x-request-id');
    const requestId = /^[\w.-]{1,64}$/.test(given) ? given : randomUUID();
    ctx.state['requestId'] = requestId;
    ctx.set('X-Request-Id', requestId);
    const started = performance.now();
    await system.withContext({ requestId }, () => next());
    const ms = Math.round(performance.now() - started);
    logger.debug({ requestId, method: ctx.method, path: ctx.path, status: ctx.status, ms }, 'request');
  };
}
