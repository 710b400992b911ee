import type { KeyObject } from 'node:crypto';
import type { Claims } from './roles.ts';
import type { SigningKeys } from './signing-keys.ts';

/** Rules for accepting a token as an access token. */
export interface TokenRules {
  readonly keys: SigningKeys;
  /** Required value of `aud`. Absent: `aud` may have any value. */
  readonly audience?: string;
  /** Also accepts tokens without `sub` and, when an audience is set, tokens with a nonce. */
  readonly lenient?: boolean;
}

/** Asymmetric signature algorithms only. jsonwebtoken does not support EdDSA. */
export const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512'];
/** Header types that only access tokens have (RFC 9068). */
const ACCESS_TOKEN_TYPES = new Set(['at+jwt', 'application/at+jwt']);
/** Header types of access tokens. Other types (logout+jwt, dpop+jwt, ...) have other purposes. */
const TOKEN_TYPES = new Set(['jwt', ...ACCESS_TOKEN_TYPES]);
const ADVICE = ' OIDC_LENIENT_TOKENS=true accepts such tokens.';

/** Refuses an invalid token before any request to the provider. */
export async function keyOfToken(
  header: Claims,
  payload: unknown,
  issuers: readonly string[],
  { keys, ...options }: TokenRules,
): Promise<KeyObject> {
  const { alg, kid, typ, crit } = header;
  if (typeof alg !== 'string' || !ALGORITHMS.includes(alg)) throw new Error('algorithm not allowed');
  if (crit !== undefined) throw new Error('critical header not understood');
  if (typ !== undefined && !(typeof typ === 'string' && TOKEN_TYPES.has(typ.toLowerCase())))
    throw new Error('not an access token');
  if (kid !== undefined && typeof kid !== 'string') throw new Error('key id is not a string');
  const claims = (typeof payload === 'object' ? payload : undefined) ?? {};
  const problem = accessTokenProblem(header, claims as Claims, options);
  if (problem !== undefined) throw new Error(problem);
  const { iss: issuer } = claims as Claims;
  if (typeof issuer !== 'string' || !issuers.includes(issuer)) throw new Error('another issuer');
  return keys.find({ alg, ...(kid !== undefined && { kid }) });
}

/**
 * Returns why the claims are not those of an access token with an expiry (RFC 9068). ID tokens have the same issuer and often the same
 * roles.
 */
function accessTokenProblem(
  header: Claims,
  claims: Claims,
  { audience, lenient = false }: Omit<TokenRules, 'keys'>,
): string | undefined {
  if (typeof claims['exp'] !== 'number') return 'The token has no exp claim.';
  const type = textOf(claims['typ']);
  if (['id', 'logout', 'refresh', 'offline'].includes(type) || claims['token_use'] === 'id')
    return 'It is not an access token.';
  if ('at_hash' in claims || 'c_hash' in claims)
    return 'It is an ID token: it has the claim at_hash or c_hash.';
  if (typeof claims['sub'] !== 'string' || claims['sub'] === '')
    if (!lenient) return `The token has no sub claim.${ADVICE}`;
  if (!('nonce' in claims)) return undefined;
  // Older versions of Keycloak copy the nonce of the login into access tokens, and mark these with the claim `typ: Bearer`.
  if (type === 'bearer' || ACCESS_TOKEN_TYPES.has(textOf(header['typ']))) return undefined;
  return lenient && audience !== undefined
    ? undefined
    : `It is an ID token: it has the claim nonce, and its type is not that of an access token.${ADVICE}`;
}

const textOf = (value: unknown) => (typeof value === 'string' ? value.toLowerCase() : '');
