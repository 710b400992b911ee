import type { Context, Middleware, Next } from 'koa';
import { streamQueue } from '../../protocol/streams.ts';
import { INSTANCE, INSTANCE_HEADER } from '../../protocol/worker-protocol.ts';
import type { Catalog } from '../../actors/catalog/catalog.ts';
import type { NodeStates } from '../../actors/node-manager/node-state.ts';
import { hashToken } from '../../actors/node-manager/tokens.ts';
import type { WorkerRegistry } from '../../actors/node-manager/workers.ts';
import { HttpError } from '../errors.ts';
import { userOf } from './bearer.ts';

/** Who claims work, and brings it back. */
export interface Claimant {
  readonly worker: string;
  /** A process that this server started. */
  readonly managed: boolean;
  /** Queues it may claim from; null: any. */
  readonly queues: readonly string[] | null;
}

export interface ClaimantDeps {
  readonly workers: WorkerRegistry;
  /** Know the processes that other servers have started. */
  readonly nodes: Pick<NodeStates, 'holderOf'>;
  /** For components that nobody here started: an OIDC token of who registered them, or of an ADMIN. */
  readonly authenticate: Middleware;
  readonly catalog: Pick<Catalog, 'algorithmsServedBy'>;
}

export function identify({ workers, nodes, authenticate, catalog }: ClaimantDeps): Middleware {
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
      const queues = roles.includes('ADMIN')
        ? null
        : catalog.algorithmsServedBy(subject).flatMap((name) => [name, streamQueue(name)]);
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

export const claimantOf = (ctx: Context) => ctx.state['claimant'] as Claimant;
