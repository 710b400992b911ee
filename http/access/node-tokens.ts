/**
 * Tokens of nodes on other hosts, for a server with its own provider. Each token is valid for one node name at the server that issued it,
 * and expires. An administrator prints a token for joining. The answer to the node's first message contains a token that lasts longer and
 * is renewed.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { NODE_NAME } from '../schemas/worker/node-sync.ts';

const PREFIX = 'troupe-node';
export const JOIN_TOKEN_MS = 3_600_000;
const NODE_TOKEN_MS = 30 * 24 * 3_600_000;

interface Claims {
  readonly node: string;
  readonly kind: 'join' | 'node';
  /** Milliseconds since the epoch. */
  readonly until: number;
}

export type NodeTokenVerdict =
  | {
      readonly node: string;
      /** The token that the node must use from now on. */
      readonly renewed?: string;
    }
  /** A sentence that says what to do. */
  | { readonly refused: string };

/** Returns the token with which a node of this name joins. `secret`: the node secret of the server. */
export const joinToken = (secret: string, node: string, now: number, lifeMs = JOIN_TOKEN_MS): string =>
  signClaims(secret, { node, kind: 'join', until: now + lifeMs });

export const isNodeToken = (token: string): boolean => token.startsWith(`${PREFIX}.`);

export function checkNodeToken(secret: string, token: string, now: number): NodeTokenVerdict {
  const [, payload = '', mac = ''] = token.split('.');
  const claims = claimsIn(payload);
  if (!isNodeToken(token) || claims === undefined)
    return { refused: 'This is not the token of a node. `troupe token --node NAME` prints one.' };
  if (!isEqual(mac, macOf(secret, payload)))
    return {
      refused: `The token for the node ${claims.node} was issued by another server. Run troupe token on the host of this server, with its DATA_DIR.`,
    };
  if (claims.until <= now)
    return {
      refused: `The token for the node ${claims.node} has expired. Run troupe token --node ${claims.node} for a new one.`,
    };
  const { node, kind, until } = claims;
  const isOld = kind === 'join' || until - now < NODE_TOKEN_MS / 2;
  return isOld
    ? { node, renewed: signClaims(secret, { node, kind: 'node', until: now + NODE_TOKEN_MS }) }
    : { node };
}

function signClaims(secret: string, claims: Claims): string {
  const payload = Buffer.from(JSON.stringify(claims)).toString('base64url');
  return `${PREFIX}.${payload}.${macOf(secret, payload)}`;
}

const macOf = (secret: string, payload: string) =>
  createHmac('sha256', secret).update(payload).digest('base64url');

function isEqual(given: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function claimsIn(payload: string): Claims | undefined {
  try {
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as Partial<Claims> | null;
    const { node, kind, until } = claims ?? {};
    return typeof node === 'string' &&
      (kind === 'join' || kind === 'node') &&
      typeof until === 'number' &&
      NODE_NAME.test(node)
      ? { node, kind, until }
      : undefined;
  } catch {
    return undefined;
  }
}
