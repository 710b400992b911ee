/** The service as a client of its OpenID Connect provider. */
import type { ClientAuth, Configuration } from 'openid-client';

/** Loaded at the first request to the provider. */
export type Library = typeof import('openid-client');

/** The service's client at its OpenID Connect provider. */
export interface ServiceClient {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Allows plain http to the provider. */
  readonly allowHttp: boolean;
}

const TIMEOUT_S = 10;

/** Reads the metadata of the provider. The issuer in the setting may differ from the provider's own issuer by a final slash. */
export async function findProvider(library: Library, client: ServiceClient): Promise<Configuration> {
  const { clientId, clientSecret, allowHttp } = client;
  const discover = (issuer: URL) =>
    library.discovery(issuer, clientId, undefined, authentication(library, clientSecret), {
      timeout: TIMEOUT_S,
      execute: allowHttp ? [library.allowInsecureRequests] : [],
    });
  const issuer = new URL(client.issuer);
  const other = new URL(issuer);
  other.pathname = issuer.pathname.endsWith('/') ? issuer.pathname.slice(0, -1) : `${issuer.pathname}/`;
  try {
    return await discover(issuer);
  } catch (error) {
    const isOther = error instanceof library.ClientError && error.code === OTHER_NAME;
    if (!isOther || other.href === issuer.href) throw error;
    // The provider has yet another name, which the first error states.
    return discover(other).catch(() => Promise.reject(error));
  }
}

/** Error code: the provider's issuer differs from the setting. */
const OTHER_NAME = 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED';

/** Error codes for answers with status 200 that are no metadata. */
const NO_DOCUMENT = new Set([
  OTHER_NAME,
  'OAUTH_RESPONSE_IS_NOT_JSON',
  'OAUTH_PARSE_ERROR',
  'OAUTH_INVALID_RESPONSE',
]);
/** Statuses of a busy or slow provider. */
const PASSING = new Set([408, 425, 429]);

/** True if the answer to `findProvider` came from something that is not a provider, rather than from a failing provider. */
export function isNoProvider(library: Library, error: unknown): boolean {
  if (!(error instanceof library.ClientError)) return false;
  if (error.code !== 'OAUTH_RESPONSE_IS_NOT_CONFORM') return NO_DOCUMENT.has(error.code ?? '');
  const status = error.cause instanceof Response ? error.cause.status : 500;
  return status < 500 && !PASSING.has(status);
}

/** Client authentication in the form that the provider supports. The standard's default is basic. */
function authentication({ ClientSecretBasic, ClientSecretPost }: Library, secret: string): ClientAuth {
  const basic = ClientSecretBasic(secret);
  const post = ClientSecretPost(secret);
  return (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const chosen = !methods.includes('client_secret_basic') && methods.includes('client_secret_post');
    (chosen ? post : basic)(server, ...rest);
  };
}

/** Why the provider gave no token, without secrets. */
export function reasonOf(library: Library, error: unknown): string {
  return error instanceof library.ResponseBodyError
    ? [error.error, error.error_description].filter((part) => part !== undefined).join(': ')
    : messagesOf(error).join(': ');
}

/** Messages of the error and of its causes: a failed fetch itself says only "fetch failed". */
function messagesOf(error: unknown): readonly string[] {
  if (!(error instanceof Error)) return [];
  const own = error.message === '' && 'code' in error ? String(error.code) : error.message;
  return [...new Set([own, ...messagesOf(error.cause)])];
}
