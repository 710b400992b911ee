/** A GET that follows redirections one by one, each to an address that may be connected to, and keeps credentials at home. */
import { request } from 'undici';
import type { Agent, Dispatcher } from 'undici';
import { checkHost, type AddressRule } from '../../egress/addresses.ts';

const MAX_REDIRECTS = 5;

export interface GetRequest {
  readonly uri: string;
  /** A token that goes to the host of the URI, unless the URI holds credentials of its own. */
  readonly bearer?: string | undefined;
  /** Answers a 401 of the host of the URI: a header for one more request. */
  readonly authorize?: (challenges: readonly string[], url: URL) => string | undefined;
}

export interface GetContext {
  readonly rule: AddressRule;
  /** With a look-up that is guarded by the same rule. */
  readonly agent: Agent;
  readonly signal: AbortSignal;
}

/** Errors: ForbiddenAddress, those of the network, an Error about redirections that lead nowhere. */
export async function guardedGet(
  { uri, bearer, authorize }: GetRequest,
  { rule, agent, signal }: GetContext,
): Promise<Dispatcher.ResponseData> {
  let url = new URL(uri);
  const home = url.origin;
  let authorization = credentials(url) ?? (bearer === undefined ? undefined : `Bearer ${bearer}`);
  let mayAuthorize = authorize !== undefined;
  for (let redirects = 0; redirects <= MAX_REDIRECTS;) {
    checkHost(url, rule);
    const headers = {
      'accept-encoding': 'identity',
      ...(url.origin === home && authorization !== undefined ? { authorization } : {}),
    };
    const answer = await request(url, { dispatcher: agent, signal, headers });
    const header =
      mayAuthorize && answer.statusCode === 401 && url.origin === home
        ? authorize?.([answer.headers['www-authenticate'] ?? []].flat(), url)
        : undefined;
    const next = redirection(answer, url);
    if (header !== undefined) {
      authorization = header;
      mayAuthorize = false;
    } else if (next === undefined) return answer;
    else redirects++;
    await answer.body.dump();
    url = next ?? url;
  }
  throw new Error(`there were more than ${MAX_REDIRECTS} redirections`);
}

/** User name and password of the URL, as a header; they are taken out of it, so that they go to no other host. */
function credentials(url: URL): string | undefined {
  if (url.username === '' && url.password === '') return undefined;
  const pair = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  url.username = '';
  url.password = '';
  return `Basic ${Buffer.from(pair).toString('base64')}`;
}

function redirection({ statusCode, headers }: Dispatcher.ResponseData, from: URL): URL | undefined {
  if (![301, 302, 303, 307, 308].includes(statusCode)) return undefined;
  const location = typeof headers['location'] === 'string' ? headers['location'] : '';
  if (location === '' || !URL.canParse(location, from.href))
    throw new Error('it redirects to no valid address');
  const next = new URL(location, from);
  if (next.protocol !== 'http:' && next.protocol !== 'https:')
    throw new Error(`it redirects to an address with the scheme ${next.protocol}`);
  return next;
}
