import type { Message } from '../../../egress/node-http.ts';
import { AccessError, IssuerError, ProtocolError } from '../failure.ts';
import { askOnce } from './one-request.ts';

const TIMEOUT_MS = 10_000;

export interface TokenRequest {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

export interface GrantedAccess {
  readonly token: string;
  /** Remaining life in milliseconds from now. */
  readonly lifeMs: number;
}

/** Life of a token whose provider does not state it. */
const DEFAULT_LIFE_SECONDS = 60;

/** Status codes of a temporary failure: the provider timed out, is not ready, or limits the request rate. */
const PASSING: ReadonlySet<number> = new Set([408, 425, 429]);

/** Returns an access token by the client credentials grant. Errors are those of `requestAccess`. */
export const requestToken = async (request: TokenRequest): Promise<string> =>
  (await requestAccess(request)).token;

/**
 * Returns an access token and its remaining life.
 * @throws ProtocolError 401 if the client is refused permanently, AccessError if no token is available now (IssuerError: possibly never).
 * The sentence never contains the secret.
 */
export async function requestAccess({
  issuer,
  clientId,
  clientSecret,
}: TokenRequest): Promise<GrantedAccess> {
  const endpoint = await tokenEndpoint(issuer);
  // RFC 6749 2.3.1: both are form-encoded before they are joined
  const credentials = `${formEncoded(clientId)}:${formEncoded(clientSecret)}`;
  const { status, body } = await askForJson(endpoint, {
    method: 'POST',
    headers: {
      authorization: `Basic ${Buffer.from(credentials).toString('base64')}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: new URLSearchParams({ grant_type: 'client_credentials' }).toString(),
  });
  const { access_token: token, expires_in: seconds } = body;
  if (status === 200 && typeof token === 'string') {
    const life = typeof seconds === 'number' && seconds > 0 ? seconds : DEFAULT_LIFE_SECONDS;
    return { token, lifeMs: life * 1_000 };
  }
  const reason = [body['error'], body['error_description']]
    .filter((part) => typeof part === 'string')
    .join(': ');
  const sentence = `${endpoint} gave no token to client "${clientId}": ${reason === '' ? `status ${String(status)}` : reason}. `;
  // Refusals of the provider are permanent.
  const isRefused = status >= 400 && status < 500 && !PASSING.has(status);
  throw isRefused
    ? new ProtocolError(401, `${sentence}Check the client id and secret.`)
    : new AccessError(`${sentence}It may give one later.`);
}

async function tokenEndpoint(issuer: string): Promise<string> {
  const address = `${issuer.replace(/(?<!\/)\/+$/, '')}/.well-known/openid-configuration`;
  const { status, body } = await askForJson(address, {});
  const endpoint = body['token_endpoint'];
  if (status !== 200 || typeof endpoint !== 'string' || !URL.canParse(endpoint)) {
    const sentence = `${address} does not say where tokens are issued (status ${String(status)}). Check the issuer.`;
    throw status >= 500 || PASSING.has(status) ? new AccessError(sentence) : new IssuerError(sentence);
  }
  if (address.startsWith('https:') && !endpoint.startsWith('https:')) {
    throw new AccessError(`${address} would send the client secret over plain http to ${endpoint}.`);
  }
  return endpoint;
}

async function askForJson(
  address: string,
  message: Partial<Message>,
): Promise<{ status: number; body: Record<string, unknown> }> {
  const headers = { ...message.headers, accept: 'application/json' };
  const { status, text } = await askOnce(address, { ...message, headers, withinMs: TIMEOUT_MS }).catch(
    (error: unknown) => {
      throw new AccessError(`${address} cannot be reached. Is the server running, and the address right?`, {
        cause: error,
      });
    },
  );
  return { status, body: objectIn(text) };
}

function objectIn(text: string): Record<string, unknown> {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null ? Object.fromEntries(Object.entries(body)) : {};
  } catch {
    return {};
  }
}

function formEncoded(text: string): string {
  return new URLSearchParams({ v: text }).toString().slice(2);
}
