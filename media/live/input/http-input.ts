/**
 * Live video over a plain GET: MPEG-TS, multipart JPEG, fragmented MP4, WebM. Our HTTP client connects only to allowed addresses. FFmpeg
 * receives bytes and opens nothing itself.
 */
import type { AddressRule } from '../../../egress/http/addresses.ts';
import type { HttpAnswer, HttpClient } from '../../../egress/http/http-client.ts';
import { authorization, credentialsOf } from './authorization.ts';
import type { PlaylistRequest } from '../playlist/playlist-input.ts';
import { ByteFeed } from './byte-feed.ts';
import { connectorWith, firstSocket } from './first-socket.ts';
import type { Connect, LiveInput } from './input.ts';
import { LiveError, networkError } from './live-error.ts';

export async function openHttp(uri: string, connect: Connect, signal: AbortSignal): Promise<LiveInput> {
  const rule: AddressRule = { allowPrivate: connect.allowPrivate, settings: 'the setting FETCH_PRIVATE' };
  const { connectMs } = connect;
  const url = new URL(uri);
  const first = await firstSocket(url, { rule, connectMs, signal });
  // Loaded only if the server accepts the connection.
  const { HttpClient } = await import('../../../egress/http/http-client.ts');
  const client = new HttpClient(rule, {
    connectMs,
    connector: (checked) => connectorWith(first, url, checked),
  });
  try {
    let from = url;
    const answer = await get({ uri, onAnswer: (at) => (from = at) }, client, connectMs, signal);
    checkAnswer(answer);
    const feed = new ByteFeed(answer.body);
    const beginning = await feed.begin();
    checkBeginning(beginning);
    if (isPlaylist(answer, beginning)) {
      const { openPlaylist } = await import('../playlist/playlist-input.ts');
      const fetch = (wanted: PlaylistRequest) => get(wanted, client, connectMs, signal);
      return await openPlaylist({ feed, url: withLoginOf(uri, from), fetch, client, connect, signal });
    }
    const { openContainerInput } = await import('./container-input.ts');
    const input = await openContainerInput(feed, {
      multipart: /^multipart\//i.test(contentType(answer)),
      endIsTold: 'content-length' in answer.headers || 'transfer-encoding' in answer.headers,
      maxPixels: connect.maxPixels,
      beginning,
    });
    return {
      read: (packet) => input.read(packet),
      close: async () => {
        // The body is closed first, because FFmpeg may be waiting for it.
        await client.close();
        await input.close();
      },
    };
  } catch (error) {
    await client.close();
    throw error;
  }
}

/** Adds the stream's login to a URL of the same server, so that segments are requested with it. */
function withLoginOf(uri: string, from: URL): URL {
  const { username, password, origin } = new URL(uri);
  const url = new URL(from);
  if (url.origin === origin) Object.assign(url, { username, password });
  return url;
}

async function get(
  request: PlaylistRequest,
  client: HttpClient,
  headMs: number,
  signal: AbortSignal,
): Promise<HttpAnswer> {
  const credentials = credentialsOf(new URL(request.uri));
  const authorize = (challenges: readonly string[], { pathname, search }: URL) =>
    credentials && authorization(challenges, credentials)?.('GET', pathname + search);
  const { follow, LostRedirection } = await import('../../../egress/http/follow.ts');
  try {
    // Only the headers have a timeout here. The stall rules limit the silence of a camera.
    return await follow(client, { ...request, authorize, headMs, signal });
  } catch (error) {
    if (error instanceof LostRedirection)
      throw new LiveError(
        'REFUSED',
        `The server of the stream redirects to an address that is not valid: ${error.message}.`,
        {
          cause: error,
        },
      );
    throw networkError(error);
  }
}

function checkAnswer(answer: HttpAnswer): void {
  const { statusCode } = answer;
  if (statusCode === 401 || statusCode === 403)
    throw new LiveError(
      'UNAUTHORIZED',
      `The camera refuses the login (status ${statusCode}). Correct user and password in the URI.`,
    );
  if (statusCode !== 200)
    throw new LiveError('REFUSED', `The server of the stream answered with status ${statusCode}.`);
  const type = contentType(answer);
  if (/^(text\/html|application\/xhtml)/i.test(type)) throw webPage();
}

function checkBeginning(bytes: Buffer): void {
  const text = startOf(bytes);
  if (/^<(!doctype html|html|head|body)/i.test(text)) throw webPage();
}

const startOf = (bytes: Buffer): string =>
  bytes
    .subarray(0, 64)
    .toString('latin1')
    .replace(/^\u00ef\u00bb\u00bf/, '')
    .trimStart();

const isPlaylist = (answer: HttpAnswer, beginning: Buffer): boolean =>
  /mpegurl|dash\+xml/i.test(contentType(answer)) || /^(#EXTM3U|<MPD|<\?xml)/.test(startOf(beginning));

const contentType = ({ headers }: HttpAnswer): string => String(headers['content-type'] ?? '');

const webPage = (): LiveError => new LiveError('NOT_VIDEO', 'The address returns a web page, not a video.');
