/** The service's own access token, for receivers that authenticate callers (specification 5, provider setup). */
import type { Configuration } from 'openid-client';
import { findProvider, isNoProvider, reasonOf, type Library, type ServiceClient } from './provider-client.ts';

export interface ServiceToken {
  /** @throws NoToken */
  get(): Promise<string>;
  /** Discards a token that a receiver refused. The next request gets another one. */
  drop(token: string): void;
}

/** No token is available now. The message is part of a sentence and contains no secret. */
export class NoToken extends Error {}

/**
 * The answer at the issuer's address is not from a provider: the issuer is wrong, or a proxy answers while the provider
 * starts.
 */
export class NoProvider extends NoToken {}

interface Kept {
  readonly token: string;
  /** Time after which the token is not used any more. */
  readonly until: number;
}

/** Lifetime in seconds if the provider states none. */
const DEFAULT_LIFE_S = 60;
/** Minimum remaining lifetime of a token when it is sent. */
const MARGIN_MS = 30_000;
/** Pause after a failure of the provider. */
const PAUSE_MS = 1_000;

/**
 * Tokens by the client credentials grant. The provider is found on first use; concurrent callers share one request, and
 * a token is cached until shortly before it expires. `clock`: milliseconds since the epoch.
 */
export function serviceToken(client: ServiceClient, clock: () => number = Date.now): ServiceToken {
  let provider: Promise<Configuration> | undefined;
  let asked: Promise<Kept> | undefined;
  let kept: Kept | undefined;
  let failed: { readonly error: NoToken; readonly until: number } | undefined;

  const ask = async (): Promise<Kept> => {
    const library = await import('openid-client');
    try {
      provider ??= findProvider(library, client);
      const { access_token, expires_in } = await library.clientCredentialsGrant(await provider);
      const lifeMs = (expires_in ?? DEFAULT_LIFE_S) * 1_000;
      kept = { token: access_token, until: clock() + lifeMs - Math.min(MARGIN_MS, lifeMs / 5) };
      return kept;
    } catch (error) {
      const wasNotFound = (await provider?.catch((reason: unknown) => reason)) === error;
      // The provider's settings may have been corrected, so its metadata are read again.
      provider = undefined;
      const Kind = wasNotFound && isNoProvider(library, error) ? NoProvider : NoToken;
      const noToken = new Kind(sentence(library, client, error), { cause: error });
      failed = { error: noToken, until: clock() + PAUSE_MS };
      throw noToken;
    } finally {
      asked = undefined;
    }
  };

  return {
    async get() {
      if (kept !== undefined && clock() < kept.until) return kept.token;
      if (failed !== undefined && clock() < failed.until) throw failed.error;
      return (await (asked ??= ask())).token;
    },
    drop(token) {
      if (kept?.token === token) kept = undefined;
    },
  };
}

function sentence(library: Library, { issuer, clientId }: ServiceClient, error: unknown): string {
  return `the service got no token from the provider ${issuer} for its client "${clientId}" (${reasonOf(library, error)})`;
}
