import type { KeyObject } from 'node:crypto';
import type { Socket } from 'node:net';
import type { Context, Middleware } from 'koa';
import jwt from 'koa-jwt';
import type { ClaimMatch, RoleClaims } from '../../config/access.ts';
import { answer, HttpError } from '../routing/errors.ts';
import { ALGORITHMS, keyOfToken, type TokenRules } from './access-token.ts';
import type { Identity } from '../../domain/users/owner.ts';
import type { Refusals } from './refusals.ts';
import { withoutSlash } from './provider-document.ts';
import {
  groupOf,
  isGranted,
  nameOf,
  noRoleMessage,
  notGrantedMessage,
  rolesOf,
  type Claims,
  type Role,
} from './roles.ts';
import { ProviderUnavailableError } from './signing-keys.ts';
import { VerifiedTokens } from './verified-tokens.ts';

/** The user in `ctx.state.user` after `authenticate`. */
export interface User extends Identity {
  readonly name: string;
  /** Identity of the user at the provider, whatever the claim is called. Null if the token does not contain it. */
  readonly subject: string | null;
  /** The client that received the token. Null if the token does not name it. */
  readonly client: string | null;
  /** Group from the claim OIDC_GROUP_CLAIM_NAME. Null if the user has no group. */
  readonly group: string | null;
  readonly roles: readonly Role[];
}

export interface BearerOptions extends TokenRules {
  readonly issuer: string;
  readonly roles: RoleClaims;
  readonly userNameClaim: string;
  readonly groupClaim?: string | undefined;
  readonly clock: () => number;
  /** Logs each refused token with the reason. */
  readonly refusals: Refusals;
}

const CLOCK_TOLERANCE_S = 5;
const RETRY_AFTER_S = 5;
const NO_TOKEN = 'This needs a valid access token: Authorization: Bearer <token>.';
const PROVIDER_AWAY = 'The identity provider cannot be reached. Try again later.';
const INSUFFICIENT_SCOPE = 'Bearer error="insufficient_scope"';
const CACHED_TOKENS = 5000;
const CACHED_MS = 60_000;

type Verdict = { readonly user: User } | { readonly noRole: string; readonly name: string };

/**
 * Accepts a request with a valid bearer token and a role, and sets `ctx.state.user`. Otherwise answers 401, 403 (with the missing claim)
 * or 503 (the provider's keys are unknown), and later steps do not run.
 */
export function authenticate(options: BearerOptions): Middleware {
  const verdicts = new VerifiedTokens<Verdict>({ capacity: CACHED_TOKENS, maxAgeMs: CACHED_MS });
  const verifiedClaims = tokenVerifier(options);
  const { refusals } = options;

  return async (ctx, next) => {
    const id = tokenId(ctx);
    if (id === undefined) {
      refusals.tell(ctx, 401, 'There is no bearer token.');
      answerUnauthorized(ctx);
      return;
    }
    let verdict = verdicts.get(id, options.clock());
    if (verdict === undefined) {
      const claims = await verifiedClaims(ctx);
      if (claims === 'unavailable') return answerUnavailable(ctx);
      if ('refused' in claims) {
        refusals.tell(ctx, 401, claims.refused);
        return answerUnauthorized(ctx);
      }
      verdict = verdictOf(claims.good, options);
      verdicts.set(id, verdict, { now: options.clock(), expiresAt: Number(claims.good['exp']) * 1000 });
    }
    if ('noRole' in verdict) {
      refusals.tell(ctx, 403, verdict.noRole, verdict.name);
      answerForbidden(ctx, verdict.noRole);
      return;
    }
    ctx.state['user'] = verdict.user;
    ctx.state['refusals'] = refusals;
    await next();
  };
}

/** The client if its token grants the role of a node; otherwise the reason for the refusal. */
export type NodeVerdict =
  | { readonly client: string; readonly node: null }
  | { readonly status: 401 | 403 | 503; readonly message: string };

/** Identifies a node by its token. Requires only the role of a node: ADMIN and USER are separate roles. */
export function nodeVerdicts(
  options: Omit<BearerOptions, 'roles'> & { readonly node: ClaimMatch },
): (ctx: Context) => Promise<NodeVerdict> {
  const verdicts = new VerifiedTokens<NodeVerdict>({ capacity: CACHED_TOKENS, maxAgeMs: CACHED_MS });
  const verifiedClaims = tokenVerifier(options);
  const { node, refusals, clock, userNameClaim } = options;
  return async (ctx) => {
    const id = tokenId(ctx);
    const known = id === undefined ? undefined : verdicts.get(id, clock());
    if (known !== undefined) return known;
    const claims = id === undefined ? { refused: 'There is no bearer token.' } : await verifiedClaims(ctx);
    if (claims === 'unavailable') return { status: 503, message: PROVIDER_AWAY };
    if ('refused' in claims) {
      refusals.tell(ctx, 401, claims.refused);
      return { status: 401, message: `The access token was refused: ${claims.refused}` };
    }
    const { name, subject, client } = nameOf(claims.good, userNameClaim);
    if (!isGranted(claims.good, node)) {
      const message = `The token does not have the role of a node. ${notGrantedMessage(claims.good, node)}`;
      refusals.tell(ctx, 403, message, name);
      return { status: 403, message };
    }
    const verdict = { client: `client ${subject ?? client ?? name}`, node: null };
    if (id !== undefined)
      verdicts.set(id, verdict, { now: clock(), expiresAt: Number(claims.good['exp']) * 1000 });
    return verdict;
  };
}

/** Header and token id of the last request on each connection. A client repeats its header, so the token is parsed and hashed once. */
const LAST_TOKENS = new WeakMap<Socket, { readonly header: string; readonly id: string }>();

/** Returns undefined if the request has no bearer token. */
function tokenId({ req, socket }: Context): string | undefined {
  const { authorization: header = '' } = req.headers;
  const last = LAST_TOKENS.get(socket);
  if (last?.header === header) return last.id;
  const token = bearerToken(header);
  if (token === undefined) return undefined;
  const id = VerifiedTokens.idOf(token);
  LAST_TOKENS.set(socket, { header, id });
  return id;
}

/** A step after `authenticate`: 403 with `body` unless the user has the role. ADMIN includes USER. */
export function requireRole(role: Role, body: { readonly message?: string } = {}): Middleware {
  return (ctx, next) => {
    const { roles } = userOf(ctx);
    if (roles.includes(role) || roles.includes('ADMIN')) return next();
    const needs = `This needs the role ${role}.`;
    noteMissingRole(ctx, needs);
    answer(ctx, new HttpError('role-required', body.message ?? needs, { body }));
    return undefined;
  };
}

/** Writes the reason for a 403 to the log and sets the header of the refusal. */
export function noteMissingRole(ctx: Context, reason: string): void {
  const { refusals } = ctx.state as { refusals?: Refusals };
  refusals?.tell(ctx, 403, reason, userOf(ctx).name);
  ctx.set('WWW-Authenticate', INSUFFICIENT_SCOPE);
}

/** Returns the user that `authenticate` stored. @throws Error if `authenticate` has not run */
export function userOf(ctx: Context): User {
  const user = (ctx.state as { user?: User }).user;
  if (user === undefined) throw new Error('This step runs after authenticate');
  return user;
}

/** True if the user that `authenticate` stored is an ADMIN. */
export const isAdmin = (ctx: Context): boolean => userOf(ctx).roles.includes('ADMIN');

type Verified =
  | { readonly good: Claims }
  /** The reason, without any text of the token. */
  | { readonly refused: string }
  /** No key of the provider is known. */
  | 'unavailable';

function tokenVerifier(
  options: TokenRules & Pick<BearerOptions, 'issuer'>,
): (ctx: Context) => Promise<Verified> {
  const { audience } = options;
  const bare = withoutSlash(options.issuer);
  const issuer = [bare, `${bare}/`];
  const secret = (header: Claims, payload: unknown): Promise<KeyObject> =>
    keyOfToken(header, payload, issuer, options);
  const settings: jwt.Options & { clockTolerance: number } = {
    // koa-jwt passes the key to jsonwebtoken, which accepts a KeyObject. Only the types of koa-jwt do not allow it.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    secret: secret as never,
    algorithms: ALGORITHMS,
    issuer,
    ...(audience !== undefined && { audience }),
    clockTolerance: CLOCK_TOLERANCE_S,
    key: 'claims',
    getToken: (ctx) => bearerToken(ctx.get('authorization')) ?? null,
  };
  const verify = jwt(settings);

  return async (ctx) => {
    try {
      await verify(ctx, () => Promise.resolve());
    } catch (error) {
      if (!(error instanceof Error && 'status' in error && error.status === 401)) throw error;
      const cause = 'originalError' in error ? error.originalError : undefined;
      return cause instanceof ProviderUnavailableError ? 'unavailable' : { refused: reasonOf(cause) };
    }
    const { claims } = ctx.state as { claims: Claims };
    delete ctx.state['claims'];
    return { good: claims };
  };
}

/** Returns why a token was refused. Messages of the parser are replaced, because they can quote the token. */
function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error) || cause instanceof SyntaxError) return 'It is not a valid JWT.';
  return cause.message.replace('error in secret or public key callback: ', '');
}

function verdictOf(claims: Claims, options: BearerOptions): Verdict {
  const roles = rolesOf(claims, options.roles);
  const { name, subject, client } = nameOf(claims, options.userNameClaim);
  if (roles.length === 0) return { noRole: noRoleMessage(claims, options.roles), name };
  return {
    user: Object.freeze({
      name,
      subject: subject ?? null,
      client: client ?? null,
      group: groupOf(claims, options.groupClaim),
      roles: Object.freeze(roles),
    }),
  };
}

function bearerToken(authorization: string): string | undefined {
  return /^Bearer +([^\s]+)$/i.exec(authorization.trim())?.[1];
}

function answerUnauthorized(ctx: Context): void {
  answer(ctx, new HttpError('unauthorized', NO_TOKEN));
  ctx.set('WWW-Authenticate', 'Bearer');
}

function answerForbidden(ctx: Context, message: string): void {
  answer(ctx, new HttpError('role-required', message));
  ctx.set('WWW-Authenticate', INSUFFICIENT_SCOPE);
}

function answerUnavailable(ctx: Context): void {
  answer(ctx, new HttpError('provider-unavailable', PROVIDER_AWAY, { retryAfterSeconds: RETRY_AFTER_S }));
}
