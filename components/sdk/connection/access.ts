/** Authentication of a component: with a token from its node or the server, or with tokens from the identity provider. */
import { IssuerError, ProtocolError } from '../failure.ts';
import { requestAccess, type TokenRequest } from './token-request.ts';

/** A token that is valid for the life of the process, or a request for tokens. */
export type AccessOptions = string | TokenRequest;

/** Share of a token's life after which it is renewed. The rest covers outages of the provider. */
const RENEW_AFTER = 0.75;

export class Access {
  readonly #options: AccessOptions;
  readonly #now: () => number;
  #token: string | undefined;
  #renewAt = 0;
  #expiresAt = 0;
  #renewal: Promise<string> | undefined;
  /** True if the provider has issued a token, so the issuer is correct. */
  #isKnown = false;

  /** `now`: monotonic time in milliseconds. */
  constructor(options: AccessOptions, now: () => number = () => performance.now()) {
    this.#options = options;
    this.#now = now;
  }

  /**
   * Returns a valid token.
   * @throws Error with a sentence if the provider issues no token and no valid one is left; ProtocolError 401 if it will never issue one,
   * or if the issuer's address has never answered as a provider
   */
  async bearer(): Promise<string> {
    if (typeof this.#options === 'string') return this.#options;
    if (this.#token !== undefined && this.#now() < this.#renewAt) return this.#token;
    try {
      return await (this.#renewal ??= this.#renewToken(this.#options));
    } catch (error) {
      // The provider is unavailable. The current token is still valid.
      if (this.#token !== undefined && this.#now() < this.#expiresAt) return this.#token;
      if (error instanceof IssuerError && !this.#isKnown) throw new ProtocolError(401, error.message);
      throw error;
    }
  }

  /** Handles a token that the server has refused. True if another token may be available. */
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
