/**
 * Live video over a plain GET: MPEG-TS, multipart JPEG, fragmented MP4, WebM. The connection is that of our HTTP client, which goes
 * only to addresses that are allowed; FFmpeg sees bytes and opens nothing itself.
 */
import type { Socket } from 'node:net';
import type { Agent, Dispatcher } from 'undici';
import { guardedLookup, type AddressRule } from '../../../egress/addresses.ts';
import { authorization, credentialsOf } from './authorization.ts';
import { ByteFeed } from './byte-feed.ts';
import { connectorWith, firstSocket, type Connecting } from './first-socket.ts';
import type { Connect, LiveInput } from './input.ts';
import { LiveError, networkError } from './live-error.ts';

export async function openHttp(uri: string, connect: Connect, signal: AbortSignal): Promise<LiveInput> {
  const rule: AddressRule = { allowPrivate: connect.allowPrivate, settings: 'the setting FETCH_PRIVATE' };
  const connecting = { rule, connectMs: connect.connectMs, signal };
  const url = new URL(uri);
  const agent = await agentOver(await firstSocket(url, connecting), url, connecting);
  try {
    const answer = await get(uri, rule, agent, signal);
    checkAnswer(answer);
    const feed = new ByteFeed(answer.body);
    const beginning = await feed.begin();
    checkBeginning(beginning);
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
        // First the body, for which FFmpeg may be waiting.
        await agent.destroy();
        await input.close();
      },
    };
  } catch (error) {
    await agent.destroy();
    throw error;
  }
}

/** Loads the HTTP client only for a server that takes connections. */
async function agentOver(first: Socket, url: URL, { rule, connectMs }: Connecting): Promise<Agent> {
  const { Agent, buildConnector } = await import('undici');
  return new Agent({
    connect: connectorWith(first, url, buildConnector({ lookup: guardedLookup(rule), timeout: connectMs })),
    headersTimeout: connectMs,
    // How long a camera may be silent is a matter of the stall rules.
    bodyTimeout: 0,
  });
}

async function get(
  uri: string,
  rule: AddressRule,
  agent: Agent,
  signal: AbortSignal,
): Promise<Dispatcher.ResponseData> {
  const credentials = credentialsOf(new URL(uri));
  const authorize = (challenges: readonly string[], { pathname, search }: URL) =>
    credentials && authorization(challenges, credentials)?.('GET', pathname + search);
  const { guardedGet } = await import('../../fetch/http-get.ts');
  try {
    return await guardedGet({ uri, authorize }, { rule, agent, signal });
  } catch (error) {
    if (error instanceof Error && /redirect/.test(error.message) && !('code' in error))
      throw new LiveError('REFUSED', `The server of the stream leads nowhere: ${error.message}.`, {
        cause: error,
      });
    throw networkError(error);
  }
}

function checkAnswer(answer: Dispatcher.ResponseData): void {
  const { statusCode } = answer;
  if (statusCode === 401 || statusCode === 403)
    throw new LiveError(
      'UNAUTHORIZED',
      `The camera does not let us in (status ${statusCode}): user or password are wrong or missing.`,
    );
  if (statusCode !== 200)
    throw new LiveError('REFUSED', `The server of the stream answered with status ${statusCode}.`);
  const type = contentType(answer);
  if (/mpegurl|dash\+xml/i.test(type)) throw playlist();
  if (/^(text\/html|application\/xhtml)/i.test(type)) throw webPage();
}

function checkBeginning(bytes: Buffer): void {
  const text = bytes
    .subarray(0, 64)
    .toString('latin1')
    .replace(/^\u00ef\u00bb\u00bf/, '')
    .trimStart();
  if (text.startsWith('#EXTM3U')) throw playlist();
  if (/^<(MPD|\?xml)/i.test(text)) throw playlist();
  if (/^<(!doctype html|html|head|body)/i.test(text)) throw webPage();
}

const contentType = ({ headers }: Dispatcher.ResponseData): string => String(headers['content-type'] ?? '');

const webPage = (): LiveError =>
  new LiveError('NOT_VIDEO', 'The address answers with a web page and not with video.');

const playlist = (): LiveError =>
  new LiveError(
    'UNSUPPORTED',
    'The address answers with a playlist (HLS or DASH), which is not supported: give the address of the stream itself.',
  );
