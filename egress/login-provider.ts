/** The OpenID Connect provider for the login of browsers (specification 5): authorization code flow with PKCE. */
import type { Configuration } from 'openid-client';
import { findProvider, reasonOf, type Library, type ServiceClient } from './provider-client.ts';

/** Values that bind the provider's answer to the browser that began the login. */
export interface LoginChecks {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** The provider's statements about the logged-in user. */
export interface Identity {
  readonly claims: Readonly<Record<string, unknown>>;
  readonly idToken: string;
}

/** The provider cannot be reached, or fails. */
export class ProviderFailed extends Error {
  override readonly name = 'ProviderFailed';
}

/** The login was refused. The message is for the user who wanted to log in. */
export class LoginRefused extends Error {
  override readonly name = 'LoginRefused';
  /** Details for operators. */
  readonly reason: string;
  constructor(message: string, reason: string) {
    super(message);
    this.reason = reason;
  }
}

export interface LoginProviderOptions {
  readonly client: ServiceClient;
  readonly scopes: readonly string[];
  readonly redirectUri: string;
  /** Milliseconds of the monotonic clock. */
  readonly steady: () => number;
}

/** Pause after a failure to find the provider. */
const PAUSE_MS = 1_000;
/** Time after which the provider's metadata are read again. */
const KEPT_MS = 3_600_000;

export class LoginProvider {
  readonly #options: LoginProviderOptions;
  #found: { readonly provider: Promise<Configuration>; readonly until: number } | undefined;

  constructor(options: LoginProviderOptions) {
    this.#options = options;
  }

  /** URL of the login at the provider. `again`: forces a login, even if the provider has a session. @throws ProviderFailed */
  async authorizationUrl({ state, nonce, verifier }: LoginChecks, again: boolean): Promise<string> {
    const { library, provider } = await this.#provider();
    const { scopes, redirectUri } = this.#options;
    return library.buildAuthorizationUrl(provider, {
      redirect_uri: redirectUri,
      scope: scopes.join(' '),
      code_challenge: await library.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
      nonce,
      ...(again ? { prompt: 'login' } : {}),
    }).href;
  }

  /**
   * Identifies the logged-in user: the claims of the ID token, and those of the userinfo endpoint. `search`: the query of the redirect from
   * the provider. The access token is used only for that endpoint.
   * @throws ProviderFailed, LoginRefused
   */
  async identify(search: string, { state, nonce, verifier }: LoginChecks): Promise<Identity> {
    const { library, provider } = await this.#provider();
    // The registered redirect URI is used, because behind a proxy the request has another host.
    const current = new URL(this.#options.redirectUri);
    current.search = search;
    try {
      const tokens = await library.authorizationCodeGrant(provider, current, {
        pkceCodeVerifier: verifier,
        expectedState: state,
        expectedNonce: nonce,
        idTokenExpected: true,
      });
      const claims = tokens.claims();
      if (claims === undefined || tokens.id_token === undefined) throw new Error('there is no ID token');
      const told =
        provider.serverMetadata().userinfo_endpoint === undefined
          ? {}
          : await library.fetchUserInfo(provider, tokens.access_token, claims.sub);
      return { claims: { ...told, ...claims }, idToken: tokens.id_token };
    } catch (error) {
      throw this.#toFailure(library, error);
    }
  }

  /** URL of the logout at the provider. Undefined if it has none. @throws ProviderFailed */
  async endSessionUrl(idToken: string | undefined, returnTo: string): Promise<string | undefined> {
    const { library, provider } = await this.#provider();
    if (provider.serverMetadata().end_session_endpoint === undefined) return undefined;
    return library.buildEndSessionUrl(provider, {
      post_logout_redirect_uri: returnTo,
      ...(idToken === undefined ? {} : { id_token_hint: idToken }),
    }).href;
  }

  /** Finds the provider. Concurrent callers share one request, and its failure for a moment. */
  async #provider(): Promise<{ readonly library: Library; readonly provider: Configuration }> {
    const library = await import('openid-client');
    const { client, steady } = this.#options;
    if (this.#found === undefined || this.#found.until <= steady()) {
      const provider = findProvider(library, client).then((found) => {
        library.enableNonRepudiationChecks(found);
        return found;
      });
      const found = (this.#found = { provider, until: steady() + KEPT_MS });
      provider.catch(() => {
        if (this.#found === found) this.#found = { provider, until: steady() + PAUSE_MS };
      });
    }
    try {
      return { library, provider: await this.#found.provider };
    } catch (error) {
      throw this.#failureOf(library, error);
    }
  }

  #failureOf(library: Library, error: unknown): ProviderFailed {
    const { issuer } = this.#options.client;
    return new ProviderFailed(`${issuer} does not answer as it should: ${reasonOf(library, error)}`, {
      cause: error,
    });
  }

  /** Converts an error by its kind and code into a failure of the provider or a refused login. */
  #toFailure(library: Library, error: unknown): Error {
    const reason = reasonOf(library, error);
    if (error instanceof library.AuthorizationResponseError)
      return new LoginRefused(
        `The identity provider did not log you in (${/^\w{1,60}$/.test(error.error) ? error.error : 'unknown'}).`,
        error.error,
      );
    if (error instanceof library.ResponseBodyError && error.error === 'invalid_grant')
      return new LoginRefused('This login took too long, or was used already. Log in again.', reason);
    if (error instanceof library.ResponseBodyError && error.status < 500)
      return new LoginRefused(
        'The identity provider does not accept this service as a client. The log of the service has the reason.',
        reason,
      );
    if (error instanceof library.ClientError && CONTENT_AT_FAULT.has(error.code ?? ''))
      return new LoginRefused(
        'The answer of the identity provider does not belong to this login. Log in again.',
        reason,
      );
    // The provider may have moved, or changed its keys, so its metadata are read again.
    this.#found = undefined;
    return this.#failureOf(library, error);
  }
}

/** Error codes for invalid answers. */
const CONTENT_AT_FAULT = new Set([
  'OAUTH_INVALID_RESPONSE',
  'OAUTH_JWT_CLAIM_COMPARISON_FAILED',
  'OAUTH_JWT_TIMESTAMP_CHECK_FAILED',
  'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED',
  'OAUTH_PARSE_ERROR',
]);
