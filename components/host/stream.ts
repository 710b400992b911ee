/**
 * A detector at work on a live stream: the same views, properties and forms of tracks as in a video, cut into segments. A segment is
 * told of when its last frame has passed; what cannot wait, at once.
 */
import { frameTransform } from '../../media/picture/transform.ts';
import { fragmentName } from '../../protocol/stream-fragments.ts';
import type { StreamCounts, StreamEnd, StreamEvent } from '../../protocol/streams.ts';
import type { StreamAssignment } from '../../protocol/worker-protocol.ts';
import { DetectionError, type Detector } from '../sdk/detector.ts';
import type { StreamContext } from '../sdk/work/stream-worker.ts';
import { Course, type CourseParts } from './live/course.ts';
import { FramePump } from './live/frame-pump.ts';
import { LiveTracks } from './live/live-tracks.ts';
import { LiveZones } from './live/live-zones.ts';
import { motionGate, type MotionGate } from './live/motion-gate.ts';
import { NewestPicture } from './live/newest-picture.ts';
import { SegmentLine } from './live/segment-line.ts';
import type { LiveEvent, LiveFrame, LiveOptions, LivePictures, OpenLive } from './live/source.ts';

const MOST_WARNINGS = 20;

type StreamWork = StreamAssignment['work'];

/** Of a process that is to be replaced by a fresh one now and then. */
export interface Renewal {
  /** Connections over HTTP after which it is. */
  readonly after: number;
  /** Has this process give the stream back and end: the stream goes on with the next whole segment in another one. */
  leave(): void;
}

/** Errors: COULD_NOT_OPEN_MEDIA with a sentence for people, those of the detector. */
export async function watchStream(
  detector: Detector,
  { work }: StreamAssignment,
  context: StreamContext,
  open: OpenLive,
  renewal?: Renewal,
): Promise<StreamEnd> {
  if (detector.video === undefined)
    throw new DetectionError('UNSUPPORTED_DATA_TYPE', 'This component does not look at pictures of a video.');
  const reading = new AbortController();
  const watch = new StreamWatch(detector, work, context);
  const source = open(
    work.uri,
    optionsOf(work),
    reading.signal,
    (event) => {
      watch.onEvent(event);
      // No picture is lost by it: the connection has just broken.
      if (event.type === 'reconnecting' && isWorn(work, source.counts.reconnects, renewal)) renewal!.leave();
    },
    {
      fragment: (fragment, bytes) => context.recordings.add(fragmentName(fragment), bytes),
      warn: (message) => watch.warn(message),
    },
  );
  try {
    await watch.all(source);
    return await endOf(source, context.stop);
  } finally {
    reading.abort();
    // A camera that does not answer is not waited for, unless what was recorded last is still to come.
    const closed = source.close().catch(() => undefined);
    if (work.recording !== undefined) await closed;
  }
}

/** Only connections that gave pictures count: what takes memory is done when a container is opened. */
const isWorn = ({ uri }: StreamWork, reconnects: number, renewal: Renewal | undefined): boolean =>
  renewal !== undefined && reconnects >= renewal.after && /^https?:/i.test(uri);

function optionsOf({ properties, stall, reconnect, reading, ...work }: StreamWork): LiveOptions {
  return {
    ...reading,
    allowPrivate: work.allowPrivate,
    stall,
    reconnect,
    ...(work.recording === undefined ? {} : { recording: work.recording }),
    firstFrame: work.firstSegment * work.segmentSize,
    seenBefore: work.firstSegment > 0,
    interval: Math.max(1, Number(properties['FRAME_INTERVAL'] ?? 1) || 1),
    rateCap: Number(properties['FRAME_RATE_CAP'] ?? 0) || 0,
    transport: properties['RTSP_TRANSPORT']?.trim().toUpperCase() === 'UDP' ? 'UDP' : 'TCP',
    keyFramesOnly: properties['USE_KEY_FRAMES']?.toUpperCase() === 'TRUE',
  };
}

async function endOf(source: LivePictures, stop: AbortSignal): Promise<StreamEnd> {
  if (stop.aborted) return { reason: 'cancelled', detail: 'Cancelled.' };
  const { reason, detail } = await source.ended;
  if (reason === 'failed') throw new DetectionError('COULD_NOT_OPEN_MEDIA', detail);
  return { reason, detail };
}

class StreamWatch {
  readonly #detector: Detector;
  readonly #work: StreamWork;
  readonly #context: StreamContext;
  readonly #segments: SegmentLine;
  readonly #tracks: LiveTracks;
  readonly #zones: LiveZones | undefined;
  readonly #picture: NewestPicture;
  readonly #warnings = new Set<string>();
  #fps = 0;
  /** Of pictures of a size: what it has learned holds over the borders of segments. */
  #gate: { readonly size: string; readonly of: MotionGate | undefined } | undefined;

  constructor(detector: Detector, work: StreamWork, context: StreamContext) {
    this.#detector = detector;
    this.#work = work;
    this.#context = context;
    const { report } = context;
    const event = (one: StreamEvent, urgent?: boolean) => report.event(one, urgent);
    this.#zones = work.zones && new LiveZones({ work: work.zones, event });
    this.#tracks = new LiveTracks({
      trackType: work.trackType,
      zones: this.#zones,
      event,
      at: (frame) => this.#segments.clock.at(frame),
    });
    this.#picture = new NewestPicture((picture) => report.frame(picture));
    this.#segments = new SegmentLine(work, this.#tracks, (number, lines) => report.segment(number, lines));
  }

  /** Of the reader, in the order in which it happens. */
  onEvent(event: LiveEvent): void {
    if (event.type === 'opened') this.#fps = event.fps;
    if (event.type === 'running') this.#segments.wasInterrupted = true;
    this.#context.report.event(event, true);
  }

  /** One course of the detector after the other: for each size of pictures, and for each segment when it does not look over borders. */
  async all(source: LivePictures): Promise<void> {
    const { stop, progress, onCounts } = this.#context;
    const pump = new FramePump(source, stop, progress);
    this.#segments.counts = () => countsOf(source, this.#segments);
    onCounts(this.#segments.counts);
    try {
      for (let first = await pump.next(); first !== undefined; first = await pump.next()) {
        pump.hold(first);
        this.#segments.openFor(first);
        await new Course(this.#partsFor(first, pump)).run();
        this.#segments.closePassed();
      }
    } finally {
      this.#segments.closeLast();
      await this.#zones?.settle();
    }
  }

  /** Equal ones are told once, and few of them. */
  warn(message: string): void {
    if (this.#warnings.size >= MOST_WARNINGS || this.#warnings.has(message)) return;
    this.#warnings.add(message);
    this.#context.report.event({ type: 'warning', at: Date.now(), message });
    this.#context.log(`${this.#work.jobId}: ${message}`);
  }

  #partsFor(first: LiveFrame, pump: FramePump): CourseParts {
    const { properties } = this.#work;
    // Nothing is fed forward to a stream, whatever FEED_FORWARD_TYPE says: the search region holds.
    const transform = frameTransform({ ...properties, FEED_FORWARD_TYPE: 'NONE' }, {}, first);
    const size = `${first.width}x${first.height}`;
    if (this.#gate?.size !== size) this.#gate = { size, of: motionGate(properties, transform) };
    return {
      detector: this.#detector,
      work: this.#work,
      context: this.#context,
      tracks: this.#tracks,
      segments: this.#segments,
      pump,
      picture: this.#picture,
      warn: (message) => this.warn(message),
      first,
      transform,
      gate: this.#gate.of,
      zones: this.#zones,
      fps: this.#fps,
    };
  }
}

function countsOf(source: LivePictures, { processed, skipped }: SegmentLine): StreamCounts {
  const { decoded, dropped, reconnects } = source.counts;
  return { read: decoded, processed, dropped, skipped, reconnects };
}
