/** The service as a client of its OpenID Connect provider. */
import type { ClientAuth, Configuration } from 'openid-client';

/** Loaded when the provider is asked for the first time. */
export type Library = typeof import('openid-client');

/** The service's client at its OpenID Connect provider. */
export interface ServiceClient {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Plain http to the provider is allowed. */
  readonly allowHttp: boolean;
}

const TIMEOUT_S = 10;

/** Reads what the provider says of itself. */
export async function findProvider(library: Library, client: ServiceClient): Promise<Configuration> {
  const { issuer, clientId, clientSecret, allowHttp } = client;
  return library.discovery(new URL(issuer), clientId, undefined, authentication(library, clientSecret), {
    timeout: TIMEOUT_S,
    execute: allowHttp ? [library.allowInsecureRequests] : [],
  });
}

/** As the provider takes it; the standard's default is basic. */
function authentication({ ClientSecretBasic, ClientSecretPost }: Library, secret: string): ClientAuth {
  const basic = ClientSecretBasic(secret);
  const post = ClientSecretPost(secret);
  return (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const chosen = !methods.includes('client_secret_basic') && methods.includes('client_secret_post');
    (chosen ? post : basic)(server, ...rest);
  };
}

/** Why the provider gave nothing, without a secret. */
export function reasonOf(library: Library, error: unknown): string {
  return error instanceof library.ResponseBodyError
    ? [error.error, error.error_description].filter((part) => part !== undefined).join(': ')
    : messagesOf(error).join(': ');
}

/** Of the error and what caused it: a failed fetch says only "fetch failed" itself. */
function messagesOf(error: unknown): readonly string[] {
  if (!(error instanceof Error)) return [];
  const own = error.message === '' && 'code' in error ? String(error.code) : error.message;
  return [...new Set([own, ...messagesOf(error.cause)])];
}
