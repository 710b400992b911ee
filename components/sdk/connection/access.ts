/** How a component authenticates: with a token from its node or the server, or with tokens from the provider. */
import { IssuerError, ProtocolError } from '../failure.ts';
import { requestAccess, type TokenRequest } from './token-request.ts';

/** A token that is good for as long as the process, or how tokens are to be had. */
export type AccessOptions = string | TokenRequest;

/** Renewed when so much of its time has gone: the rest is for a provider that is away. */
const RENEW_AFTER = 0.75;

export class Access {
  readonly #options: AccessOptions;
  readonly #now: () => number;
  #token: string | undefined;
  #renewAt = 0;
  #expiresAt = 0;
  #renewal: Promise<string> | undefined;
  /** The provider has given a token: the issuer is right. */
  #isKnown = false;

  /** `now`: milliseconds that no clock change moves. */
  constructor(options: AccessOptions, now: () => number = () => performance.now()) {
    this.#options = options;
    this.#now = now;
  }

  /**
   * @throws Error with a sentence when the provider gives none, and there is none that is still good; ProtocolError 401: it will never give
   * one, also when what has answered from the first on is no provider
   */
  async bearer(): Promise<string> {
    if (typeof this.#options === 'string') return this.#options;
    if (this.#token !== undefined && this.#now() < this.#renewAt) return this.#token;
    try {
      return await (this.#renewal ??= this.#renewToken(this.#options));
    } catch (error) {
      // The provider is away: what is still good serves on.
      if (this.#token !== undefined && this.#now() < this.#expiresAt) return this.#token;
      if (error instanceof IssuerError && !this.#isKnown) throw new ProtocolError(401, error.message);
      throw error;
    }
  }

  /** The server did not take this token. Answers whether another one may be had. */
  renewAfterRefusal(token: string): boolean {
    if (typeof this.#options === 'string') return false;
    if (this.#token === token) this.#token = undefined;
    return true;
  }

  async #renewToken(request: TokenRequest): Promise<string> {
    try {
      const { token, lifeMs } = await requestAccess(request);
      const now = this.#now();
      this.#token = token;
      this.#isKnown = true;
      this.#renewAt = now + RENEW_AFTER * lifeMs;
      this.#expiresAt = now + lifeMs;
      return token;
    } finally {
      this.#renewal = undefined;
    }
  }
}
