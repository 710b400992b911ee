/**
 * Live streams from recorded videos and painted frames, and a worker that processes them for a server of the
 * test.
 */
import { watchStream, type Renewal } from '../../../components/host/stream.ts';
import type { LiveEvent, LiveFrame, LivePictures, OpenLive } from '../../../components/host/live/source.ts';
import { WorkerClient } from '../../../components/sdk/connection/client.ts';
import type { Detector, Frame, FrameSource } from '../../../components/sdk/detector.ts';
import { runWorker } from '../../../components/sdk/work/worker.ts';
import type { Properties } from '../../../domain/types.ts';
import { openVideo } from '../../../media/video/video-frames.ts';
import { streamQueue, type StreamEnd, type StreamWork } from '../../../protocol/streams.ts';
import { StreamReceiver } from '../../support/servers/stream-receiver.ts';
import { until } from '../../support/until.ts';
import { sample } from '../models/recorded-media.ts';
import { jobOf } from '../visual.ts';

/** Time of the first frame of test streams. */
export const BEGAN = Date.UTC(2026, 0, 2, 3, 4, 5);

/** Called before a frame, to send events or to wait. */
export type Before = (index: number, tell: (event: LiveEvent) => void) => Promise<void> | void;

export interface StreamOf {
  frames(): AsyncIterable<Frame>;
  readonly before?: Before;
  /** Numbers of frames that are skipped, as if they were dropped. */
  readonly isDropped?: (index: number) => boolean;
  /** The loop of the reader runs while no frames come. */
  readonly beats?: boolean;
  readonly end?: { readonly reason: StreamEnd['reason'] | 'failed'; readonly detail: string };
}

/** A reader that creates frames on request, so that none is dropped unintentionally. */
export function liveSource(stream: StreamOf): OpenLive {
  return (_uri, { firstFrame = 0 }, signal, onEvent) => {
    const began = performance.now();
    const counts = {
      get beats() {
        return stream.beats === true ? Math.floor((performance.now() - began) / 100) : 0;
      },
      decoded: 0,
      dropped: 0,
      reconnects: 0,
    };
    const end = stream.end ?? { reason: 'ended', detail: 'The sender has ended the stream.' };
    async function* frames(): AsyncGenerator<LiveFrame, void, undefined> {
      let size = '';
      for await (const frame of stream.frames()) {
        signal.throwIfAborted();
        const index = firstFrame + frame.index;
        counts.decoded++;
        const at = BEGAN + frame.time;
        const { width, height } = frame;
        if (size !== `${width}x${height}`) onEvent({ type: 'opened', at, width, height, fps: 25 });
        size = `${width}x${height}`;
        await stream.before?.(frame.index, onEvent);
        if (stream.isDropped?.(frame.index) === true) counts.dropped++;
        else yield { ...frame, index, at };
      }
    }
    const source: LivePictures = {
      frames,
      counts,
      ended: Promise.resolve(end),
      close: () => Promise.resolve(),
    };
    return source;
  };
}

/** Frames of a recorded video in order. */
export function recordedStream(name: string, options: Parameters<typeof openVideo>[1] = {}): StreamOf {
  return {
    async *frames() {
      const video = await openVideo(sample(name), options);
      try {
        yield* video.frames();
      } finally {
        video.close();
      }
    },
  };
}

export const streamOf = (source: FrameSource): StreamOf => ({ frames: () => source.frames() });

export async function workOf(
  component: string,
  { properties = {}, ...given }: Partial<StreamWork> & { properties?: Properties } = {},
): Promise<StreamWork> {
  return {
    jobId: 10_000_001,
    uri: 'rtsp://camera.example/live',
    allowPrivate: false,
    trackType: 'THING',
    properties: (await jobOf(component, properties)).properties,
    segmentSize: 50,
    firstSegment: 0,
    stall: { alertMs: 30_000, timeoutMs: -1 },
    reconnect: { firstMs: 100, longestMs: 1_000 },
    ...given,
  };
}

export interface Watching {
  readonly server: StreamReceiver;
  readonly detector: Detector;
  /** Detectors of the other algorithms of the stream. */
  readonly others?: Readonly<Record<string, Detector>>;
  readonly open: OpenLive;
  readonly work: StreamWork;
  readonly log?: string[];
  /** Number of HTTP connections after which the process must be replaced. */
  readonly renewedAfter?: number;
}

/** Starts a worker for this stream. Returns a function that ends it like its process would be ended. */
export function watch(watching: Watching): {
  stop(): void;
  readonly ended: Promise<void>;
} {
  const { server, detector, others = {}, open, work, log = [], renewedAfter = Infinity } = watching;
  const detectorOf = (algorithm: string) => Promise.resolve(others[algorithm] ?? detector);
  server.offer('THING', work);
  const client = new WorkerClient(server.url, 'token');
  const stop = new AbortController();
  const end = (): void => stop.abort(new Error('stopping on request'));
  const renewal: Renewal = { after: renewedAfter, leave: end };
  const ended = runWorker({
    client,
    algorithms: [streamQueue('THING')],
    signal: stop.signal,
    handle: () => {
      throw new Error('Nothing but streams is handed out here.');
    },
    watchStream: (assignment, context) => watchStream(detectorOf, assignment, context, open, renewal),
    log: (message) => log.push(message),
  }).finally(() => client.close());
  return { stop: end, ended };
}

/** Processes a stream to its end. */
export async function watchToEnd(watching: Omit<Watching, 'server'>): Promise<StreamReceiver> {
  const server = await new StreamReceiver().start();
  const worker = watch({ ...watching, server });
  try {
    await until('the stream has ended', () => server.isOver, Boolean, { withinMs: 120_000 });
    return server;
  } finally {
    worker.stop();
    await worker.ended;
    await server.stop();
  }
}
