import { randomUUID } from 'node:crypto';
import Router from '@koa/router';
import Koa, { type Context, type Middleware, type Next } from 'koa';
import type { ActorSystem } from '../actors/runtime/system.ts';
import type { Info } from '../config/info.ts';
import type { Logger } from '../config/logger.ts';
import type { Access } from './access/index.ts';
import { actorRoutes } from './actors.ts';
import { audit } from './audit.ts';
import { backupRoutes, type BackupRouteDeps } from './backup.ts';
import { batchJobRoutes, type BatchJobDeps } from './batch-jobs.ts';
import { componentRoutes, type CatalogRouteDeps } from './components.ts';
import { docsPage } from './docs-page.ts';
import { empty, mapErrors } from './errors.ts';
import { jobEventRoutes, type JobEventDeps } from './job-events.ts';
import { jobListRoutes, type JobListDeps } from './job-list.ts';
import { mediaRoutes, type MediaDeps } from './media.ts';
import { nodeRoutes, type NodeDeps } from './nodes.ts';
import { Metrics, metricsRoutes, type MetricsDeps } from './metrics.ts';
import { openApiRoutes } from './openapi/routes.ts';
import { pipelineRoutes } from './pipelines.ts';
import { queueRoutes, type QueueRoutes } from './queues.ts';
import { healthRoutes, serviceRoutes, type Health } from './service.ts';
import { statisticsRoutes, type StatisticsDeps } from './statistics.ts';
import { withoutBasePath } from './steps/base-path.ts';
import { crossOrigin } from './steps/cors.ts';
import { privateAnswers } from './steps/private-answers.ts';
import { refusalMessages } from './steps/refusal-messages.ts';
import { readableTarget } from './steps/request-target.ts';
import { streamingJobRoutes, type StreamingJobRoutes } from './streaming-jobs.ts';
import { systemMessageRoutes, type SystemMessageRoutes } from './system-messages.ts';
import { workerProtocol, type WorkerProtocolDeps } from './worker-protocol.ts';

export interface AppDeps
  extends
    BatchJobDeps,
    StatisticsDeps,
    JobListDeps,
    JobEventDeps,
    MediaDeps,
    BackupRouteDeps,
    CatalogRouteDeps,
    NodeDeps,
    StreamingJobRoutes,
    SystemMessageRoutes,
    MetricsDeps,
    QueueRoutes,
    Omit<WorkerProtocolDeps, 'authenticate' | 'catalog'> {
  readonly access: Access;
  readonly info: Info;
  /** Of this start of the server. */
  readonly serverId: string;
  /** How clients reach the server: BASE_URL, or where it listens. */
  readonly url: string;
  /** Origins whose scripts may use the interface; `*`: any. */
  readonly allowedOrigins: readonly string[];
  /** Whether to believe the X-Forwarded headers. */
  readonly trustProxy: boolean;
  readonly health: Health;
  readonly system: ActorSystem;
  readonly logger: Logger;
}

/** Codes of a client that hangs up in the middle of a document, or of its own request (HPE_: of the parser): no error of ours. */
const CLIENT_LEFT = /^(ERR_STREAM_PREMATURE_CLOSE|ECONNRESET|EPIPE|HPE_\w+)$/;

/** The Koa application. It never listens: who calls this does. */
export function createApp(deps: AppDeps): Koa {
  const { access, logger } = deps;
  const app = new Koa({ proxy: deps.trustProxy });
  const metrics = new Metrics(deps);
  app.on('error', (error: unknown) => {
    if (!CLIENT_LEFT.test((error as { code?: string }).code ?? ''))
      logger.warn({ err: error }, 'a response failed');
  });
  app.use(privateAnswers);
  app.use(readableTarget);
  app.use(withoutBasePath(deps.url));
  app.use(metrics.measure);
  app.use(requestContext(deps.system, logger));
  app.use(below('/rest', crossOrigin(deps.allowedOrigins)));
  app.use(below('/rest', audit(logger)));
  app.use(mapErrors(logger));
  if (access.routes !== undefined) app.use(access.routes);

  app.use(below('/docs', docsPage(deps.url).routes() as Middleware));
  const { open, worker, jobs, rest } = routersOf(deps, metrics);
  app.use(open.routes());
  app.use(below('/worker', worker.routes() as Middleware));
  app.use(below('/rest', refusalMessages));
  // Whatever could be a path of /rest is authenticated, in any case of letters, before a route is looked for.
  app.use(below('/rest', access.authenticate));
  app.use(below('/rest/jobs', jobs.routes() as Middleware));
  app.use(rest.routes());
  app.use(rest.allowedMethods());
  // Not thrown: `allowedMethods` turns it into 405 where another method is served.
  app.use((ctx) => empty(ctx, 404));
  return app;
}

/** Every route of the server. `http/operations/` declares each of them. */
export function routersOf(
  deps: AppDeps,
  metrics: Metrics,
): Readonly<Record<'open' | 'worker' | 'jobs' | 'rest', Router>> {
  const open = new Router();
  healthRoutes(open, deps.health);
  metricsRoutes(open, metrics, { ...deps, ...deps.access });

  const worker = workerProtocol({ ...deps, ...deps.access });

  // Apart, because a request is held against every route of a router, and most requests are about jobs.
  const jobs = new Router({ sensitive: true });
  statisticsRoutes(jobs, deps);
  jobListRoutes(jobs, deps);
  batchJobRoutes(jobs, deps);

  const rest = new Router({ sensitive: true });
  serviceRoutes(rest, deps.info, deps.serverId);
  openApiRoutes(rest, { version: deps.info.version, url: deps.url });
  jobEventRoutes(rest, deps);
  mediaRoutes(rest, deps);
  backupRoutes(rest, deps);
  actorRoutes(rest, deps);
  streamingJobRoutes(rest, deps);
  systemMessageRoutes(rest, deps);
  queueRoutes(rest, deps);
  componentRoutes(rest, deps);
  nodeRoutes(rest, deps);
  pipelineRoutes(rest, deps);
  return { open, worker, jobs, rest };
}

/** The step, for paths below this one alone. */
function below(path: string, step: Middleware): Middleware {
  const pattern = new RegExp(`^${path}(/|$)`, 'i');
  return (ctx, next) => (pattern.test(ctx.path) ? step(ctx, next) : next()) as Promise<unknown>;
}

/** Every request has an id: in the answer, in the log, in the context of the messages it sends. */
function requestContext(system: ActorSystem, logger: Logger) {
  return async (ctx: Context, next: Next) => {
    const given = ctx.get('x-request-id');
    const requestId = /^[\w.-]{1,64}$/.test(given) ? given : randomUUID();
    ctx.state['requestId'] = requestId;
    ctx.set('X-Request-Id', requestId);
    const started = performance.now();
    // What only reads changes nothing whose cause somebody might look for.
    if (ctx.method === 'GET') await next();
    else await system.withContext({ requestId }, () => next());
    const ms = Math.round(performance.now() - started);
    const { method, path, status, ip } = ctx;
    logger.debug({ requestId, method, path, status, ms, ip }, 'request');
  };
}
