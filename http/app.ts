import { randomUUID } from 'node:crypto';
import Koa, { type Middleware } from 'koa';
import type { ActorSystem } from '../actors/runtime/system.ts';
import type { JobListWatch } from '../actors/views/jobs/job-list-watch.ts';
import type { JobWatch } from '../actors/views/jobs/job-watch.ts';
import type { Logger } from '../config/logger.ts';
import type { Traces } from '../domain/job/trace.ts';
import { apiKeyOr } from './users/api-key-access.ts';
import type { Access } from './access/index.ts';
import { identify } from './access/claimant.ts';
import { identifyNode } from './access/node-access.ts';
import { audit } from './audit.ts';
import type { Limits } from './routing/declaration.ts';
import { docsPages } from './pages/docs-pages.ts';
import { endpoints, tags, type EndpointDeps } from './endpoints/index.ts';
import { answer, empty, HttpError, mapErrors } from './routing/errors.ts';
import { EventStreams, type EventLimits } from './events/event-streams.ts';
import { LiveEventStreams } from './events/live-event-streams.ts';
import { LivePictures } from './events/live-pictures.ts';
import type { Login } from './login/index.ts';
import { mcpSteps } from './mcp/mcp-steps.ts';
import { resourceMetadata, type TokenProvider } from './mcp/resource-metadata.ts';
import { Metrics, metricsReader, type MetricsDeps } from './metrics/metrics.ts';
import { openApiDocument } from './openapi/document.ts';
import { webPage } from './pages/page.ts';
import { Router } from './routing/router.ts';
import { route } from './routes.ts';
import { withoutBasePath } from './steps/base-path.ts';
import { crossOrigin } from './steps/cors.ts';
import { privateAnswers } from './steps/private-answers.ts';
import { refusalMessages } from './steps/refusal-messages.ts';
import { traceOfRequest, traceRequests } from './steps/traces.ts';
import { readableTarget } from './steps/request-target.ts';

/** Dependencies that this file creates from the others. */
type Made = 'metrics' | 'eventStreams' | 'liveEventStreams' | 'livePictures' | 'openApi';

export interface AppDeps extends Omit<EndpointDeps, Made>, MetricsDeps, Limits {
  readonly watch: JobWatch;
  readonly listWatch: JobListWatch;
  readonly events: EventLimits;
  readonly access: Access;
  readonly login: Pick<Login, 'routes' | 'or' | 'cookieName'>;
  /** Origins whose scripts may use the interface. `*`: any origin. */
  readonly allowedOrigins: readonly string[];
  /** True if the server trusts the X-Forwarded headers. */
  readonly trustProxy: boolean;
  /** A token that may read the metrics and nothing else. Undefined if there is none. */
  readonly metricsToken: string | undefined;
  readonly system: ActorSystem;
  /** True if requests that only read are audited, too. */
  readonly auditReads: boolean;
  /** The provider whose tokens are accepted. Undefined: the development provider. */
  readonly tokenProvider: TokenProvider | undefined;
  /** True if agents may create and cancel jobs (MCP_WRITE). */
  readonly mcpCanWrite: boolean;
  /** Undefined if no spans are reported. */
  readonly traces?: Traces | undefined;
}

/** Error codes of a client that disconnects during an answer or its own request. HPE_: codes of the parser. They are no server errors. */
const CLIENT_LEFT = /^(ERR_STREAM_PREMATURE_CLOSE|ECONNRESET|EPIPE|HPE_\w+)$/;

/** Creates the Koa application. The caller opens the socket. */
export function createApp(deps: AppDeps): Koa {
  const { access, login, logger } = deps;
  const app = new Koa({ proxy: deps.trustProxy });
  app.context['docsUrl'] = `${deps.url}/docs`;
  const metrics = new Metrics(deps);
  app.on('error', (error: unknown) => {
    if (!CLIENT_LEFT.test((error as { code?: string }).code ?? ''))
      logger.warn({ err: error }, 'a response failed');
  });
  app.use(privateAnswers);
  app.use(readableTarget);
  app.use(withoutBasePath(deps.url));
  app.use(metrics.measure);
  app.use(traceRequests(deps.traces));
  app.use(requestIds(logger));
  const { open, worker, node, jobs, rest } = routersOf(deps, metrics);
  // Most requests are below /rest. They skip the steps for other paths.
  const restSteps = inTurn([
    crossOrigin(deps.allowedOrigins),
    audit({ logger, trail: deps.auditTrail, reads: deps.auditReads }),
    mapErrors(logger),
    refusalMessages,
    // Every path that could belong to /rest, in any case of letters, is authenticated before the router looks for a route.
    login.or(apiKeyOr(deps.apiKeys, access.authenticate)),
    deps.userLimits.countRequests,
    below('/rest/jobs', jobs.routes() as Middleware),
    rest.routes() as Middleware,
  ]);
  const otherSteps = inTurn([
    mapErrors(logger),
    ...(access.routes === undefined ? [] : [access.routes]),
    login.routes,
    resourceMetadata(deps.url, deps.tokenProvider),
    below('/mcp', inTurn(stepsOfMcp(deps, app))),
    webPage(deps.url),
    below('/docs', docsPages(deps.url).routes() as Middleware),
    open.routes() as Middleware,
    below('/worker', worker.routes() as Middleware),
    below('/node', node.routes() as Middleware),
  ]);
  app.use(either('/rest', restSteps, otherSteps));
  app.use(rest.allowedMethods());
  // Not thrown, so that `allowedMethods` can change the answer to 405 if the path has another method.
  app.use(either('/rest', (ctx) => empty(ctx, 404), nothingHere));
  return app;
}

/** Returns the steps of `/mcp`. Its tools send requests to this application with the token of their caller. */
function stepsOfMcp(deps: AppDeps, app: Koa): readonly Middleware[] {
  const { url, info, mcpCanWrite: canWrite, bodyLimits, logger, tokenProvider: provider } = deps;
  let handle: ReturnType<Koa['callback']> | undefined;
  return [
    crossOrigin(deps.allowedOrigins),
    ...mcpSteps({
      ...{ url, version: info.version, canWrite, bodyLimits, logger, provider },
      authenticate: apiKeyOr(deps.apiKeys, deps.access.authenticate),
      countRequests: deps.userLimits.countRequests,
      allowedOrigins: deps.allowedOrigins,
      // The handler is created at the first request, when all steps are registered.
      dispatch: (request, response) => void (handle ??= app.callback())(request, response),
    }),
  ];
}

/** Creates the routers for all routes except the pages below /docs. */
export function routersOf(
  deps: AppDeps,
  metrics: Metrics,
): Readonly<Record<'open' | 'worker' | 'node' | 'jobs' | 'rest', Router>> {
  const all: EndpointDeps & Limits = {
    ...deps,
    metrics,
    eventStreams: new EventStreams(deps.watch, deps.listWatch, deps.operations.watch, deps.events),
    liveEventStreams: new LiveEventStreams(deps.streams, deps.events),
    livePictures: new LivePictures(deps.streams),
    openApi: openApiOf(deps),
  };
  const guards = {
    COMPONENT: identify({ ...deps, ...deps.access }),
    NODE: identifyNode(deps.access.authenticateNode),
    METRICS: metricsReader(deps.metricsToken, deps.access.authenticate),
  };
  const on = (router: Router, paths: RegExp) =>
    route(
      router,
      endpoints.filter(({ path }) => paths.test(path)),
      all,
      guards,
    );
  return {
    open: on(new Router(), /^\/(?!rest\/|worker\/|node\/)/),
    worker: on(new Router({ sensitive: true }), /^\/worker\//),
    node: on(new Router({ sensitive: true }), /^\/node\//),
    // Jobs have their own router: a router tests each of its routes, and most requests are about jobs.
    jobs: on(new Router({ sensitive: true }), /^\/rest\/jobs(\/|$)/),
    rest: on(new Router({ sensitive: true }), /^\/rest\/(?!jobs(\/|$))/),
  };
}

/** Returns a function that creates the OpenAPI document on its first call and then caches it. */
function openApiOf({ info, url, login }: AppDeps): () => string {
  let text: string | undefined;
  return () =>
    (text ??= JSON.stringify(
      openApiDocument(endpoints, { version: info.version, url, tags, sessionCookie: login.cookieName }),
    ));
}

const nothingHere: Middleware = (ctx) => {
  const message =
    'The server has nothing at this path. The REST interface is below /rest, its description at /docs/api.';
  answer(ctx, new HttpError('path-not-found', message));
};

/** Returns a step that runs only for this path and paths below it. */
function below(path: string, step: Middleware): Middleware {
  const pattern = new RegExp(`^${path}(/|$)`, 'i');
  return (ctx, next) => (pattern.test(ctx.path) ? step(ctx, next) : next()) as Promise<unknown>;
}

/** Returns a step that runs `step` for this path and paths below it, and `other` for all others. */
function either(path: string, step: Middleware, other: Middleware): Middleware {
  const pattern = new RegExp(`^${path}(/|$)`, 'i');
  return (ctx, next) => (pattern.test(ctx.path) ? step : other)(ctx, next) as Promise<unknown>;
}

/** Combines several steps into one. This is faster than the application's own chain, which creates a promise for each step. */
function inTurn(steps: readonly Middleware[]): Middleware {
  return (ctx, next) => {
    const from = (n: number): unknown =>
      n === steps.length ? next() : steps[n]!(ctx, () => from(n + 1) as Promise<unknown>);
    return from(0) as Promise<unknown>;
  };
}

/** Gives every request an id, which is in the answer and in the log. */
function requestIds(logger: Logger): Middleware {
  return async (ctx, next) => {
    const given = ctx.req.headers['x-request-id'];
    const requestId = typeof given === 'string' && /^[\w.-]{1,64}$/.test(given) ? given : randomUUID();
    ctx.state['requestId'] = requestId;
    ctx.res.setHeader('X-Request-Id', requestId);
    const started = performance.now();
    await next();
    const ms = Math.round(performance.now() - started);
    const { method, path, ip } = ctx.request;
    logger.debug(
      { requestId, method, path, status: ctx.res.statusCode, ms, ip, ...traceOfRequest(ctx) },
      'request',
    );
  };
}
