/** A GET that follows redirections one by one, each to an allowed address. Credentials are sent only to the first host. */
import { takeCredentials } from './credentials.ts';
import type { HttpAnswer, HttpClient, HttpRequest } from './http-client.ts';

const MAX_REDIRECTS = 5;

export interface GetRequest extends Pick<HttpRequest, 'headMs' | 'silenceMs' | 'signal'> {
  readonly uri: string;
  /** A token for the host of the URI, unless the URI has credentials. */
  readonly bearer?: string | undefined;
  /** Value of the Range header: only these bytes are requested. */
  readonly range?: string | undefined;
  /** Called with the final address, if redirections were followed. */
  readonly onAnswer?: (url: URL) => void;
  /** Handles a 401 of the host of the URI: returns a header for one more request. */
  readonly authorize?: (challenges: readonly string[], url: URL) => string | undefined;
}

/** A redirection cannot be followed. The message is part of a sentence. */
export class LostRedirection extends Error {
  readonly code = 'LOST_REDIRECTION';
}

/** Errors: those of `HttpClient.open`, LostRedirection. */
export async function follow(
  client: HttpClient,
  { uri, bearer, authorize, range, onAnswer, ...limits }: GetRequest,
): Promise<HttpAnswer> {
  let url = new URL(uri);
  const home = url.origin;
  let authorization =
    takeCredentials(url)?.Authorization ?? (bearer === undefined ? undefined : `Bearer ${bearer}`);
  let mayAuthorize = authorization !== undefined;
  for (let redirects = 0; redirects <= MAX_REDIRECTS;) {
    const headers = {
      ...(url.origin === home && authorization !== undefined ? { authorization } : {}),
      ...(range === undefined ? {} : { range }),
    };
    const answer = await client.open({ url, headers, ...limits });
    const header =
      mayAuthorize && answer.statusCode === 401 && url.origin === home
        ? authorize?.([answer.headers['www-authenticate'] ?? []].flat(), url)
        : undefined;
    const next = redirection(answer, url);
    if (header !== undefined) {
      authorization = header;
      mayAuthorize = false;
    } else if (next === undefined) {
      onAnswer?.(url);
      return answer;
    } else redirects++;
    await answer.body.dump();
    url = next ?? url;
  }
  throw new LostRedirection(`there were more than ${MAX_REDIRECTS} redirections`);
}

function redirection({ statusCode, headers }: HttpAnswer, from: URL): URL | undefined {
  if (![301, 302, 303, 307, 308].includes(statusCode)) return undefined;
  const location = typeof headers['location'] === 'string' ? headers['location'] : '';
  if (location === '' || !URL.canParse(location, from.href))
    throw new LostRedirection('it redirects to no valid address');
  const next = new URL(location, from);
  if (next.protocol !== 'http:' && next.protocol !== 'https:')
    throw new LostRedirection(`it redirects to an address with the scheme ${next.protocol}`);
  return next;
}
