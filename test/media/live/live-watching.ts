/** Reads a live stream for a test. */
import { join } from 'node:path';
import type { TlsOptions } from 'node:tls';
import {
  openLive,
  type LiveEnd,
  type LiveEvent,
  type LiveFrame,
  type LiveOptions,
} from '../../../media/live/live-frames.ts';
import type { LiveCounts } from '../../../media/live/counters.ts';
import { openVideo } from '../../../media/video/video-frames.ts';
import type { CodedClip } from '../../support/media/coded-media.ts';
import { h264Over } from '../../support/media/rtp-pictures.ts';
import { rtspServer, type RtspBehaviour, type RtspServer } from '../../support/servers/rtsp-server.ts';
import { streamServer, type StreamAnswer, type StreamServer } from '../../support/servers/stream-server.ts';
import { makeVideo } from '../support/make-video.ts';
import { md5 } from '../support/samples.ts';

export interface Seen extends Omit<LiveFrame, 'data' | 'warmUp'> {
  readonly md5: string;
}

export interface Watched {
  readonly events: readonly LiveEvent[];
  readonly frames: readonly Seen[];
  readonly counts: LiveCounts;
  readonly end: LiveEnd;
}

/** Short timeouts: tests wait for conditions, not for these times. */
export const OPTIONS: LiveOptions = {
  allowPrivate: true,
  stall: { alertMs: 20_000, timeoutMs: 0 },
  reconnect: { firstMs: 20, longestMs: 100 },
};

export class Watching {
  readonly events: LiveEvent[] = [];
  readonly frames: Seen[] = [];
  readonly source;
  readonly #cancel = new AbortController();
  /** Resolves when the stream has ended and all frames were fetched. */
  readonly over: Promise<Watched>;

  constructor(
    uri: string,
    options: Partial<LiveOptions> = {},
    onFrame: () => void | Promise<void> = () => undefined,
  ) {
    this.source = openLive(uri, { ...OPTIONS, ...options }, this.#cancel.signal, (event) =>
      this.events.push(event),
    );
    this.over = this.#watch(onFrame);
    this.over.catch(() => undefined);
  }

  async #watch(onFrame: () => void | Promise<void>): Promise<Watched> {
    for await (const { data, warmUp: _, ...frame } of this.source.frames()) {
      this.frames.push({ ...frame, md5: md5(data) });
      await onFrame();
    }
    const end = await this.source.ended;
    return { events: this.events, frames: this.frames, counts: this.source.counts, end };
  }

  cancel(): void {
    this.#cancel.abort(new Error('cancelled by the test'));
  }
}

export const watch = (uri: string, options?: Partial<LiveOptions>): Promise<Watched> =>
  new Watching(uri, options).over;

/**
 * Four seconds of video with B-frames and a key frame every 25 frames. It is small, so that decoding is
 * cheap.
 */
export function smallClip(folder: string): string {
  const file = join(folder, 'clip.mp4');
  makeVideo(file, { frames: 100, width: 192, height: 112, gop: 25, bFrames: 3 });
  return file;
}

/** Hashes of all frames of a file, as the video reader decodes them. */
export async function batchHashes(file: string): Promise<readonly string[]> {
  const hashes: string[] = [];
  const reader = await openVideo(file);
  for await (const { data } of reader.frames()) hashes.push(md5(data));
  return hashes;
}

const servers: (StreamServer | RtspServer)[] = [];

/** Closes the server after the test. */
export function keep<S extends StreamServer | RtspServer>(server: S): S {
  servers.push(server);
  return server;
}

export async function closeServers(): Promise<void> {
  for (const server of servers.splice(0)) await server.close();
}

export async function http(answerTo: (visit: number) => StreamAnswer | undefined): Promise<StreamServer> {
  return keep(await streamServer(answerTo));
}

/** A camera that sends a clip at full speed; with `tls`, encrypted. */
export async function rtsp(
  clip: CodedClip,
  of: (connection: number) => Partial<RtspBehaviour> = () => ({}),
  tls?: TlsOptions,
): Promise<RtspServer> {
  return keep(await rtspServer((connection) => ({ ...h264Over(clip), speed: 8, ...of(connection) }), tls));
}

export const withLogin = (url: string, login: string): string => url.replace('//', `//${login}@`);
export const types = ({ events }: Pick<Watched, 'events'>): string[] => events.map(({ type }) => type);
