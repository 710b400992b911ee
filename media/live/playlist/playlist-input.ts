/**
 * Reads a stream by an HLS or DASH playlist: MPEG-TS, fragmented MP4 or WebM. FFmpeg receives only bytes and no address of the playlist.
 */
import type { Packet } from 'node-av/lib';
import type { HttpAnswer, HttpClient } from '../../../egress/http/http-client.ts';
import { ByteFeed } from '../input/byte-feed.ts';
import { openContainerInput } from '../input/container-input.ts';
import type { GetRequest } from '../../../egress/http/follow.ts';
import type { CodedVideo, Connect, LiveInput } from '../input/input.ts';
import { LiveError } from '../input/live-error.ts';
import { pacedInput } from './paced-input.ts';
import { NEW_FORMAT, segmentBytes, textOf, type PlaylistFetch } from './segment-feed.ts';

/** A request for a file of a playlist. */
export type PlaylistRequest = Pick<GetRequest, 'uri' | 'range' | 'onAnswer'>;

export interface PlaylistOpening {
  /** The playlist, which was already requested. */
  readonly feed: ByteFeed;
  /** The playlist's address after redirections, with the stream's login. */
  readonly url: URL;
  /** Runs a GET that follows redirections and obeys the address rules. Throws LiveError. */
  fetch(request: PlaylistRequest): Promise<HttpAnswer>;
  readonly client: Pick<HttpClient, 'close'>;
  readonly connect: Connect;
  readonly signal: AbortSignal;
}

const READ_BYTES = 64 * 1024;

export async function openPlaylist(opening: PlaylistOpening): Promise<LiveInput> {
  const { feed, url, client, connect, signal } = opening;
  const text = await textOf(bytesOf(feed));
  const segments = segmentBytes(text, url, fetchFor(opening), {
    maxPixels: connect.maxPixels,
    place: connect.place,
    signal,
  });
  const formats = new Formats(segments, connect.maxPixels);
  await formats.open();
  const closing: LiveInput = {
    read: (packet) => formats.read(packet),
    close: async () => {
      await client.close();
      await formats.close();
    },
  };
  return pacedInput(closing, signal);
}

/** Reads segments of one format after another. Each format is a separate container. */
class Formats implements LiveInput {
  readonly #segments: AsyncGenerator<Uint8Array | typeof NEW_FORMAT>;
  readonly #maxPixels: number;
  #input: LiveInput | undefined;
  #isOver = false;
  /** The container's description of its pictures, and the number of all descriptions so far. */
  #video: CodedVideo | undefined;
  #videos = 0;

  constructor(segments: AsyncGenerator<Uint8Array | typeof NEW_FORMAT>, maxPixels: number) {
    this.#segments = segments;
    this.#maxPixels = maxPixels;
  }

  /** Opens the next format. */
  async open(): Promise<void> {
    await this.close();
    const media = new ByteFeed(this.#bytes());
    const beginning = await media.begin();
    if (media.error !== undefined) throw media.error;
    const options = { multipart: false, endIsTold: true, maxPixels: this.#maxPixels, beginning };
    this.#input = await openContainerInput(media, options);
  }

  async read(packet: Packet): Promise<CodedVideo | undefined> {
    for (;;) {
      const video = await this.#input?.read(packet);
      if (video !== undefined) return this.#giveNumber(video);
      if (this.#isOver) return undefined;
      await this.open();
    }
  }

  async close(): Promise<void> {
    await this.#input?.close();
    this.#input = undefined;
  }

  #giveNumber(video: CodedVideo): CodedVideo {
    if (this.#video !== video) this.#videos++;
    this.#video = video;
    return { ...video, id: this.#videos };
  }

  /** Yields the bytes of one format. */
  async *#bytes(): AsyncGenerator<Uint8Array> {
    for (;;) {
      const { done, value } = await this.#segments.next();
      if (done === true) this.#isOver = true;
      if (done === true || value === NEW_FORMAT) return;
      yield value;
    }
  }
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
        throw new LiveError('REFUSED', 'The server of the stream does not support byte ranges.');
      if (statusCode === 200 || statusCode === 206) return { url, body: answer.body };
      await answer.body.dump();
      // The segment may have been removed meanwhile. The playlist then names newer ones.
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
