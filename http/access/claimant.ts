import type { Context, Middleware, Next } from 'koa';
import { streamQueue } from '../../protocol/streams.ts';
import { INSTANCE, INSTANCE_HEADER } from '../../protocol/worker-messages.ts';
import type { Catalog } from '../../actors/catalog/catalog.ts';
import type { Nodes } from '../../actors/node-gateway/nodes.ts';
import { hashToken } from '../../actors/node-manager/tokens.ts';
import type { WorkerRegistry } from '../../actors/node-manager/workers.ts';
import { HttpError } from '../routing/errors.ts';
import { isAdmin, userOf } from './bearer.ts';

/** The component process that claims and answers work. */
export interface Claimant {
  readonly worker: string;
  /** True if this server started the process. The process then ends with the server. */
  readonly managed: boolean;
  /** True if no node started the process. */
  readonly outside: boolean;
  /** Queues from which the process may claim work. Null: all queues. */
  readonly queues: readonly string[] | null;
}

export interface ClaimantDeps {
  readonly workers: WorkerRegistry;
  /** Identifies processes that nodes of other hosts have started. */
  readonly nodes: Pick<Nodes, 'gateway'>;
  /** Authenticates components that no node started, by an OIDC token of the client that registered them or of an ADMIN. */
  readonly authenticate: Middleware;
  readonly catalog: Pick<Catalog, 'algorithmsServedBy'>;
}

export function identify({ workers, nodes, authenticate, catalog }: ClaimantDeps): Middleware {
  return async (ctx: Context, next: Next) => {
    const [scheme, token] = ctx.get('authorization').split(' ');
    const bearer = scheme === 'Bearer' && token !== undefined ? token : '';
    const managed = workers.find(hashToken(bearer));
    const checkClaimant = async (claimant: Claimant) => {
      ctx.state['claimant'] = claimant;
      await next();
    };
    if (managed !== undefined)
      return checkClaimant({
        worker: managed.worker,
        managed: true,
        outside: false,
        queues: managed.queues(),
      });
    const elsewhere = nodes.gateway.holderOf(bearer) ?? (await nodes.gateway.storedHolderOf(bearer));
    if (elsewhere !== undefined) return checkClaimant({ ...elsewhere, managed: false, outside: false });
    await authenticate(ctx, () => {
      const { name, subject } = userOf(ctx);
      const queues = isAdmin(ctx)
        ? null
        : catalog.algorithmsServedBy(subject).flatMap((name) => [name, streamQueue(name)]);
      // The subject identifies the worker, because several users can have the same name. A removed component may still answer its leased
      // sub-jobs.
      return checkClaimant({
        worker: `${subject === null ? `token of ${name}` : `token of subject ${subject}`}${instanceOf(ctx)}`,
        managed: false,
        outside: true,
        queues,
      });
    });
  };
}

/** Returns the name that a process gives itself. Several processes with tokens of one client count as one worker if they have no names. */
function instanceOf(ctx: Context): string {
  const instance = ctx.get(INSTANCE_HEADER);
  if (instance === '') return '';
  if (!INSTANCE.test(instance))
    throw new HttpError(
      'invalid-parameter',
      `The header ${INSTANCE_HEADER} must name the process with 1 to 100 letters, digits or ._:- characters.`,
    );
  return ` (${instance})`;
}

export const claimantOf = (ctx: Context) => ctx.state['claimant'] as Claimant;
