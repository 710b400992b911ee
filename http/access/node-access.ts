import type { Context, Middleware, Next } from 'koa';
import type { NodeAccess } from '../../actors/node-gateway/messages.ts';
import { nodeOfToken } from '../../actors/node-manager/tokens.ts';
import { HttpError } from '../routing/errors.ts';
import { checkNodeToken, isNodeToken } from './node-tokens.ts';
import type { Refusals } from './refusals.ts';

/** The identity of a node, and the token that it must use from now on. */
export interface NodeCaller extends NodeAccess {
  readonly renewed?: string | undefined;
}

/** Identifies the calling node, or refuses it with a message. */
export type NodeAuthenticator = (ctx: Context, bearer: string) => Promise<NodeCaller> | NodeCaller;

export const nodeCallerOf = (ctx: Context) => ctx.state['node'] as NodeCaller;

/** Authenticates nodes and sets `ctx.state.node`. */
export function identifyNode(authenticate: NodeAuthenticator): Middleware {
  return async (ctx: Context, next: Next) => {
    const [, bearer = ''] = /^Bearer +([^\s]+)$/i.exec(ctx.get('authorization').trim()) ?? [];
    if (nodeOfToken(bearer) !== undefined)
      throw new HttpError(
        'node-refused',
        'This is the token of a component process: only its node speaks for a node.',
      );
    // If `authenticate` throws, the error answer keeps this header.
    ctx.set('WWW-Authenticate', 'Bearer');
    ctx.state['node'] = await authenticate(ctx, bearer);
    ctx.remove('WWW-Authenticate');
    await next();
  };
}

/** Authenticates nodes with tokens that this server issued. For a server with its own provider. */
export function ownNodeTokens(secret: string, clock: () => number, refusals: Refusals): NodeAuthenticator {
  return (ctx, bearer) => {
    const verdict = checkNodeToken(secret, bearer, clock());
    if ('refused' in verdict) {
      refusals.tell(ctx, 401, verdict.refused);
      throw new HttpError('unauthorized', verdict.refused);
    }
    return { client: 'token of this server', ...verdict };
  };
}

const TO_BE_SET =
  'This server does not accept nodes. Set OIDC_NODE_CLAIM_NAME and OIDC_NODE_CLAIM_VALUE to the claim that grants the role of a node.';
const WRONG_KIND =
  'This server accepts tokens of its OpenID Connect provider only. Set TROUPE_ISSUER_URI, TROUPE_CLIENT_ID and TROUPE_CLIENT_SECRET on the node.';

const CODES = { 401: 'unauthorized', 403: 'node-refused', 503: 'provider-unavailable' } as const;

/**
 * Authenticates nodes as clients of an external provider whose tokens grant the role of a node. `verdictOf` returns the node of a valid
 * token, or the reason for the refusal.
 */
export function providerNodes(
  verdictOf:
    | ((ctx: Context) => Promise<NodeCaller | { readonly status: 401 | 403 | 503; readonly message: string }>)
    | undefined,
): NodeAuthenticator {
  return async (ctx, bearer) => {
    if (isNodeToken(bearer)) throw new HttpError('unauthorized', WRONG_KIND);
    if (verdictOf === undefined) throw new HttpError('node-refused', TO_BE_SET);
    const verdict = await verdictOf(ctx);
    if ('status' in verdict)
      throw new HttpError(
        CODES[verdict.status],
        verdict.message,
        verdict.status === 503 ? { retryAfterSeconds: 5 } : {},
      );
    return verdict;
  };
}
