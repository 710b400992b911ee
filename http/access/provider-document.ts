import { z } from 'zod';
import { isLoopback } from '../../config/access.ts';

const TIMEOUT_MS = 3000;
const MAX_BYTES = 1024 * 1024;

const discoveryDocument = z.looseObject({ issuer: z.string(), jwks_uri: z.url() });
const keySetDocument = z.looseObject({ keys: z.array(z.looseObject({ kty: z.string() })).min(1) });

export interface ProviderAddress {
  readonly issuer: string;
  readonly allowHttp: boolean;
}

/** Returns the URL of the provider's keys, found by OpenID Connect discovery. */
export async function discoverKeysUri({ issuer, allowHttp }: ProviderAddress): Promise<string> {
  const address = `${withoutSlash(issuer)}/.well-known/openid-configuration`;
  const found = parseContent(
    discoveryDocument,
    await fetchJson(address),
    `${address} is not a discovery document`,
  );
  if (withoutSlash(found.issuer) !== withoutSlash(issuer)) {
    throw new Error(`${address} names another issuer: ${found.issuer}`);
  }
  const { protocol, hostname } = new URL(found.jwks_uri);
  const trusted = protocol === 'https:' || (protocol === 'http:' && (allowHttp || isLoopback(hostname)));
  if (!trusted) throw new Error(`${address} has a jwks_uri that is not https: ${found.jwks_uri}`);
  return found.jwks_uri;
}

/** Fetches the published key set (JWKS). */
export async function fetchKeySet(uri: string): Promise<{ keys: { kty: string }[] }> {
  return parseContent(keySetDocument, await fetchJson(uri), `${uri} is not a key set`);
}

export function withoutSlash(uri: string): string {
  return uri.replace(/(?<!\/)\/+$/, '');
}

function parseContent<T>(schema: z.ZodType<T>, content: unknown, otherwise: string): T {
  const result = schema.safeParse(content);
  if (!result.success) throw new Error(otherwise);
  return result.data;
}

async function fetchJson(address: string): Promise<unknown> {
  const response = await fetch(address, {
    signal: AbortSignal.timeout(TIMEOUT_MS),
    redirect: 'error',
    headers: { accept: 'application/json' },
  });
  if (!response.ok || response.body === null) {
    await response.body?.cancel();
    throw new Error(`${address} answered ${String(response.status)}`);
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body) {
    size += chunk.byteLength;
    if (size > MAX_BYTES) throw new Error(`${address} answered more than ${String(MAX_BYTES)} bytes`);
    chunks.push(chunk);
  }
  return JSON.parse(Buffer.concat(chunks).toString('utf8')) as unknown;
}
