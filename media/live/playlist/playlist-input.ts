/** A stream by a playlist of HLS or DASH: MPEG-TS, fragmented MP4 or WebM. FFmpeg sees bytes, and no address of the playlist. */
import type { HttpAnswer, HttpClient } from '../../../egress/http/http-client.ts';
import { ByteFeed } from '../input/byte-feed.ts';
import { openContainerInput } from '../input/container-input.ts';
import type { GetRequest } from '../../../egress/http/follow.ts';
import type { Connect, LiveInput } from '../input/input.ts';
import { LiveError } from '../input/live-error.ts';
import { pacedInput } from './paced-input.ts';
import { segmentBytes, textOf, type PlaylistFetch } from './segment-feed.ts';

/** What is asked for on behalf of a playlist. */
export type PlaylistRequest = Pick<GetRequest, 'uri' | 'range' | 'onAnswer'>;

export interface PlaylistOpening {
  /** The playlist, which was asked for already. */
  readonly feed: ByteFeed;
  /** The address that gave it, with the login of the stream. */
  readonly url: URL;
  /** A GET by the rules about addresses, with redirections. Errors: LiveError. */
  fetch(request: PlaylistRequest): Promise<HttpAnswer>;
  readonly client: Pick<HttpClient, 'close'>;
  readonly connect: Connect;
  readonly signal: AbortSignal;
}

const READ_BYTES = 64 * 1024;

export async function openPlaylist(opening: PlaylistOpening): Promise<LiveInput> {
  const { feed, url, client, connect, signal } = opening;
  const text = await textOf(bytesOf(feed));
  const segments = segmentBytes(text, url, fetchFor(opening), { maxPixels: connect.maxPixels, signal });
  const media = new ByteFeed(segments);
  const beginning = await media.begin();
  if (media.error !== undefined) throw media.error;
  const input = await openContainerInput(media, {
    multipart: false,
    endIsTold: true,
    maxPixels: connect.maxPixels,
    beginning,
  });
  const closing: LiveInput = {
    read: (packet) => input.read(packet),
    close: async () => {
      await client.close();
      await input.close();
    },
  };
  return pacedInput(closing, signal);
}

function fetchFor({ url: home, fetch }: PlaylistOpening): PlaylistFetch {
  return {
    async get(given, range) {
      const wanted = withLogin(given, home);
      let url = wanted;
      const answer = await fetch({
        uri: wanted.href,
        range: range && `bytes=${range.start}-${range.start + range.bytes - 1}`,
        onAnswer: (at) => (url = withLogin(at, home)),
      });
      const { statusCode } = answer;
      if (statusCode === 200 && range !== undefined)
        throw new LiveError('REFUSED', 'The server of the stream does not give parts of files.');
      if (statusCode === 200 || statusCode === 206) return { url, body: answer.body };
      await answer.body.dump();
      // It may have been removed meanwhile; the playlist then names newer ones.
      throw new LiveError('LOST', `A part of the stream could not be read (status ${statusCode}).`);
    },
  };
}

function withLogin(url: URL, home: URL): URL {
  if (url.origin !== home.origin || url.username !== '') return url;
  return Object.assign(new URL(url), { username: home.username, password: home.password });
}

async function* bytesOf(feed: ByteFeed): AsyncGenerator<Uint8Array> {
  for (let bytes = await feed.read(READ_BYTES); bytes !== null; bytes = await feed.read(READ_BYTES))
    yield bytes;
  if (feed.error !== undefined) throw feed.error;
}
