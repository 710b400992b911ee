import { Readable } from 'node:stream';
import Router from '@koa/router';
import type { Context, Middleware, Next } from 'koa';
import type { z } from 'zod';
import { INSTANCE, INSTANCE_HEADER, type Assignment } from '../protocol/worker-protocol.ts';
import type { Catalog } from '../actors/catalog/catalog.ts';
import type { NodeStates } from '../actors/node-manager/node-state.ts';
import { hashToken } from '../actors/node-manager/tokens.ts';
import type { WorkerRegistry } from '../actors/node-manager/workers.ts';
import type { Claim, Taken, WorkerGateway } from '../actors/worker-gateway/gateway.ts';
import { userOf } from './access/bearer.ts';
import { HttpError } from './errors.ts';
import { checked } from './schemas/problems.ts';
import { claimRequest, failureRequest, heartbeatRequest, resultQuery } from './schemas/worker.ts';
import { readJson, type BodyLimits } from './steps/json-body.ts';

export interface WorkerProtocolDeps {
  readonly workerGateway: WorkerGateway;
  readonly workers: WorkerRegistry;
  /** Know the processes that other servers have started. */
  readonly nodes: Pick<NodeStates, 'holderOf'>;
  readonly bodyLimits: BodyLimits;
  /** For components that nobody here started: an OIDC token of who registered them, or of an ADMIN. */
  readonly authenticate: Middleware;
  readonly catalog: Pick<Catalog, 'algorithmsServedBy'>;
}

/** /worker/v1: how components claim sub-jobs and answer them. The only way in which work leaves and results come in. */
export function workerProtocol(deps: WorkerProtocolDeps): Router {
  const router = new Router({ prefix: '/worker/v1', sensitive: true });
  const who = identify(deps);
  router.post('/claim', who, (ctx) => claim(ctx, deps));
  router.post('/leases/:token/heartbeat', who, (ctx) => heartbeat(ctx, deps));
  router.post('/leases/:token/result', who, (ctx) => result(ctx, deps));
  router.post('/leases/:token/failure', who, (ctx) => failure(ctx, deps));
  router.post('/leases/:token/release', who, (ctx) => release(ctx, deps));
  router.get('/leases/:token/input', who, (ctx) => input(ctx, deps));
  return router;
}

interface Claimant {
  readonly worker: string;
  /** A process that this server started. */
  readonly managed: boolean;
  /** Queues it may claim from; null: any. */
  readonly queues: readonly string[] | null;
}

function identify({ workers, nodes, authenticate, catalog }: WorkerProtocolDeps): Middleware {
  return async (ctx: Context, next: Next) => {
    const [scheme, token] = ctx.get('authorization').split(' ');
    const bearer = scheme === 'Bearer' && token !== undefined ? token : '';
    const managed = workers.find(hashToken(bearer));
    const come = async (claimant: Claimant) => {
      ctx.state['claimant'] = claimant;
      await next();
    };
    if (managed !== undefined)
      return come({ worker: managed.worker, managed: true, queues: managed.queues() });
    const elsewhere = await nodes.holderOf(bearer);
    if (elsewhere !== undefined) return come({ ...elsewhere, managed: false });
    await authenticate(ctx, () => {
      const { name, subject, roles } = userOf(ctx);
      const queues = roles.includes('ADMIN') ? null : catalog.algorithmsServedBy(subject);
      // By subject, for names may be shared. What it holds it may answer even after its component was removed.
      return come({
        worker: `${subject === null ? `token of ${name}` : `token of subject ${subject}`}${instanceOf(ctx)}`,
        managed: false,
        queues,
      });
    });
  };
}

/** Of several processes with tokens of one client each may name itself; without a name all of them are one. */
function instanceOf(ctx: Context): string {
  const instance = ctx.get(INSTANCE_HEADER);
  if (instance === '') return '';
  if (!INSTANCE.test(instance))
    throw new HttpError(
      400,
      `The header ${INSTANCE_HEADER} must name the process with 1 to 100 letters, digits or ._:- characters.`,
    );
  return ` (${instance})`;
}

const claimantOf = (ctx: Context) => ctx.state['claimant'] as Claimant;
const tokenOf = (ctx: Context) => (ctx['params'] as { token: string }).token;

async function claim(ctx: Context, deps: WorkerProtocolDeps): Promise<void> {
  const { algorithms, max, waitMs } = parsed(claimRequest, await readJson(ctx, deps.bodyLimits));
  const queues = queuesOf(ctx, algorithms);
  ctx.body = { work: await handOut(ctx, deps, { queues, max, waitMs }) };
}

/** Those of the algorithms for which the caller may work. @throws HttpError 403: none of them */
function queuesOf(ctx: Context, algorithms: readonly string[]): readonly string[] {
  const { queues: allowed } = claimantOf(ctx);
  const queues = allowed === null ? algorithms : algorithms.filter((queue) => allowed.includes(queue));
  if (queues.length === 0)
    throw new HttpError(
      403,
      `This token may not claim work of ${algorithms.join(', ')}: that needs a component with this algorithm, registered by the same client, or the role ADMIN.`,
    );
  return queues;
}

async function handOut(
  ctx: Context,
  { workerGateway, workers }: WorkerProtocolDeps,
  { queues, max, waitMs }: Pick<Claim, 'queues' | 'max' | 'waitMs'>,
): Promise<readonly Assignment[]> {
  const { worker, managed } = claimantOf(ctx);
  if (!managed) workers.askedFromOutside(queues, performance.now());
  const gone = new AbortController();
  whenClosed(ctx, () => gone.abort());
  const { work, giveBack } = await workerGateway.claim(
    { queues, max, waitMs, worker, lasting: !managed },
    gone.signal,
  );
  whenClosed(ctx, () => {
    if (!ctx.res.writableFinished) giveBack();
  });
  return work;
}

/** Of a connection that has closed already nothing more is heard: a process may die while the server takes its result. */
function whenClosed({ res }: Context, act: () => void): void {
  if (res.destroyed) act();
  else res.once('close', act);
}

async function heartbeat(ctx: Context, { workerGateway, bodyLimits }: WorkerProtocolDeps): Promise<void> {
  const { done, total } = parsed(heartbeatRequest, await readJson(ctx, bodyLimits));
  const go = await workerGateway.heartbeat(tokenOf(ctx), claimantOf(ctx).worker, done, total);
  if (go === 'lost') throw lost();
  ctx.body = { go };
}

async function result(ctx: Context, deps: WorkerProtocolDeps): Promise<void> {
  const { claim: algorithms } = parsed(resultQuery, ctx.query);
  const queues = algorithms === undefined ? [] : queuesOf(ctx, algorithms);
  const taken = await deps.workerGateway.result(tokenOf(ctx), claimantOf(ctx).worker, ctx.req);
  render(ctx, taken);
  if (taken.kind === 'taken' && queues.length > 0)
    ctx.body = { work: await handOut(ctx, deps, { queues, max: 1, waitMs: 0 }) };
}

async function failure(ctx: Context, { workerGateway, bodyLimits }: WorkerProtocolDeps): Promise<void> {
  const said = parsed(failureRequest, await readJson(ctx, bodyLimits));
  render(ctx, await workerGateway.failure(tokenOf(ctx), claimantOf(ctx).worker, said));
}

async function release(ctx: Context, { workerGateway }: WorkerProtocolDeps): Promise<void> {
  render(ctx, await workerGateway.release(tokenOf(ctx), claimantOf(ctx).worker));
}

async function input(ctx: Context, { workerGateway }: WorkerProtocolDeps): Promise<void> {
  const lines = await workerGateway.input(tokenOf(ctx), claimantOf(ctx).worker);
  if (lines === undefined) throw lost();
  ctx.type = 'application/x-ndjson';
  // A file as it is: wrapped, it would stay open when nobody reads from it.
  ctx.body = lines instanceof Readable ? lines : Readable.from(lines);
}

/** A body that was not read to its end would be taken for the next request: the connection then closes. */
function render(ctx: Context, taken: Taken): void {
  if (!ctx.req.readableEnded) ctx.set('Connection', 'close');
  switch (taken.kind) {
    case 'taken':
      ctx.body = {};
      return;
    case 'lost':
      throw lost();
    case 'garbage':
      throw new HttpError(422, taken.reason);
    case 'broken':
      throw new HttpError(400, 'The answer broke off.');
  }
}

const lost = () =>
  new HttpError(409, 'The lease is lost: it ran out, was given to another component, or its job has ended.');

function parsed<T>(schema: z.ZodType<T>, body: unknown): T {
  const outcome = checked(schema, body);
  if ('ok' in outcome) return outcome.ok;
  throw new HttpError(400, outcome.problems);
}
