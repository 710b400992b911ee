import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import type { Logger } from './logger.ts';
import { discoverKeysUri, fetchKeySet, type ProviderAddress } from './provider-document.ts';

/** Header of a token that is not verified yet. */
export interface TokenHeader {
  readonly alg: string;
  readonly kid?: string;
}

export interface SigningKeys {
  /**
   * Returns the key that verifies a token with this header.
   * @throws UnknownKeyError if the provider publishes no such key
   * @throws ProviderUnavailableError if no key of the provider is known and the provider cannot be reached
   */
  find(header: TokenHeader): Promise<KeyObject>;
}

class UnknownKeyError extends Error {
  override readonly name = 'UnknownKeyError';
}

export class ProviderUnavailableError extends Error {
  override readonly name = 'ProviderUnavailableError';
}

/** Minimum time between two requests to the provider. A new key can stay unknown for this time. */
export const MIN_GAP_MS = 5000;
/** Time for which a key that the provider has withdrawn is accepted at most, while the provider can be reached. */
const MAX_AGE_MS = 10 * 60_000;
/** Maximum age of the keys for a token without a key id. Such a token fits any single key, so its keys must be recent. */
const MAX_AGE_WITHOUT_KID_MS = 60_000;
/** Time for which the last valid keys are used at most, while the provider cannot be reached. */
const MAX_OUTAGE_MS = 24 * 3_600_000;
const MIN_RSA_BITS = 2048;

interface PublishedKey {
  readonly kid?: string;
  readonly alg?: string;
  readonly key: KeyObject;
}
type KeySet = readonly PublishedKey[];
export type FixedKey = JsonWebKey & { readonly kid: string; readonly alg: string };
type Fetcher = () => Promise<{ keys: readonly object[] }>;

/** Keys that are known in advance, such as those of the embedded provider. They need no HTTP request. */
export function fixedSigningKeys({ keys: jwks }: { keys: readonly FixedKey[] }): SigningKeys {
  const keys = usable(
    jwks.map(({ kid, alg, ...key }) => ({ kid, alg, key: createPublicKey({ key, format: 'jwk' }) })),
  );
  return {
    find: (header) => {
      const key = pick(keys, header);
      return key === undefined ? Promise.reject(new UnknownKeyError()) : Promise.resolve(key);
    },
  };
}

/** Keys that an issuer publishes. They are fetched on first use, and again when they are old or a token names an unknown key. */
export function publishedSigningKeys(
  options: ProviderAddress & { logger: Logger; clock: () => number },
): SigningKeys {
  const { issuer, logger, clock } = options;
  let known: { readonly keys: KeySet; readonly at: number } | undefined;
  let keysUri: string | undefined;
  let triedAt = -Infinity;
  let pending: Promise<void> | undefined;

  /**
   * Age of a time. After the clock was set back, earlier times lie in the future. Their distance counts as their age, so they do not become
   * fresh.
   */
  const age = (at: number) => Math.abs(clock() - at);

  async function load(): Promise<void> {
    try {
      const keys = await parsedKeys(async () => fetchKeySet((keysUri ??= await discoverKeysUri(options))));
      known = { keys, at: clock() };
    } catch (error) {
      keysUri = undefined; // the provider may have moved its keys: discover again
      const details = { issuer, reason: reasonOf(error) };
      if (known === undefined) logger.error(details, 'The identity provider gave no signing keys');
      else
        logger.warn(details, 'The identity provider gave no signing keys. The server uses the previous keys');
    }
  }

  async function renew(): Promise<void> {
    if (pending === undefined && age(triedAt) >= MIN_GAP_MS) {
      triedAt = clock();
      pending = load().finally(() => {
        pending = undefined;
      });
    }
    await pending;
  }

  function keysNotOlderThan(ageMs: number): KeySet | undefined {
    return known !== undefined && age(known.at) < ageMs ? known.keys : undefined;
  }

  return {
    find: async (header) => {
      const fresh = keysNotOlderThan(header.kid === undefined ? MAX_AGE_WITHOUT_KID_MS : MAX_AGE_MS);
      const found = fresh && pick(fresh, header);
      if (found !== undefined) return found;
      await renew();
      const keys = keysNotOlderThan(MAX_OUTAGE_MS);
      if (keys === undefined) throw new ProviderUnavailableError(`No signing keys of ${issuer} are known`);
      const key = pick(keys, header);
      if (key === undefined) throw new UnknownKeyError(`${issuer} publishes no such key`);
      return key;
    },
  };
}

/**
 * Parses each key of the set once. jwks-rsa selects the well-formed keys for signatures. The package is loaded when a provider's keys are
 * first fetched: not at the start of a server, and never with the embedded provider.
 */
async function parsedKeys(fetcher: Fetcher): Promise<KeySet> {
  const { default: jwksRsa } = await import('jwks-rsa');
  const client = jwksRsa({
    jwksUri: '',
    cache: false,
    fetcher: async () => ({ keys: (await fetcher()).keys }),
  });
  const published: { kid?: string; alg?: string; getPublicKey(): string }[] = await client.getSigningKeys();
  return usable(
    published.map((jwk) => ({
      ...(jwk.kid !== undefined && { kid: jwk.kid }),
      ...(jwk.alg !== undefined && { alg: jwk.alg }),
      key: createPublicKey(jwk.getPublicKey()),
    })),
  );
}

function usable(known: KeySet): KeySet {
  const keys = known.filter(({ key }) => isStrong(key));
  if (keys.length === 0) throw new Error('the key set has no usable signing key');
  return keys;
}

function isStrong(key: KeyObject): boolean {
  return (key.asymmetricKeyDetails?.modulusLength ?? MIN_RSA_BITS) >= MIN_RSA_BITS;
}

function pick(keys: KeySet, { kid, alg }: TokenHeader): KeyObject | undefined {
  const fitting = keys.filter((key) => key.alg === undefined || key.alg === alg);
  if (kid !== undefined) return fitting.find((key) => key.kid === kid)?.key;
  return fitting.length === 1 ? fitting[0]?.key : undefined;
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}
