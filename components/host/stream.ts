/**
 * Detectors at work on a live stream: the same views, properties and forms of tracks as in a video, cut into segments.
 * A segment is reported when its last frame has passed, and urgent events at once.
 */
import type { FrameTransform } from '../../media/picture/transform.ts';
import { fragmentName } from '../../protocol/stream-fragments.ts';
import type { StreamAction, StreamCounts, StreamEnd, StreamEvent } from '../../protocol/streams.ts';
import type { StreamAssignment } from '../../protocol/worker-protocol.ts';
import { DetectionError, type Detector } from '../sdk/detector.ts';
import type { StreamContext } from '../sdk/work/stream-worker.ts';
import { Course, type LoadedAction } from './live/course.ts';
import { FramePump } from './live/frame-pump.ts';
import { LiveScene } from './live/live-scene.ts';
import { LiveZones } from './live/live-zones.ts';
import { motionGate, type MotionGate } from './live/actions/motion-gate.ts';
import { NewestPicture } from './live/newest-picture.ts';
import { actionsOf, readerOptions } from './live/reader-options.ts';
import { SegmentLine } from './live/segments/segment-line.ts';
import type { LiveEvent, LiveFrame, LivePictures, OpenLive } from './live/source.ts';

const MOST_WARNINGS = 20;

type StreamWork = StreamAssignment['work'];

/** Of a process that is to be replaced by a fresh one now and then. */
export interface Renewal {
  /** Connections over HTTP after which it is. */
  readonly after: number;
  /** Has this process give the stream back and end: the stream goes on with the next whole segment in another one. */
  leave(): void;
}

/** The loaded detector of an algorithm. */
export type DetectorOf = (algorithm: string) => Promise<Detector>;

/** Errors: COULD_NOT_OPEN_MEDIA with a sentence for people, those of the detectors. */
export async function watchStream(
  detectorOf: DetectorOf,
  { work, algorithm }: StreamAssignment,
  context: StreamContext,
  open: OpenLive,
  renewal?: Renewal,
): Promise<StreamEnd> {
  const actions = await loadActions(actionsOf(work, algorithm), detectorOf);
  const reading = new AbortController();
  const watch = new StreamWatch(actions, work, context);
  const source = open(
    work.uri,
    readerOptions(work, actions),
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

async function loadActions(
  actions: readonly StreamAction[],
  detectorOf: DetectorOf,
): Promise<readonly LoadedAction[]> {
  const loaded: LoadedAction[] = [];
  for (const action of actions) {
    const detector = await detectorOf(action.algorithm);
    if (detector.video === undefined)
      throw new DetectionError(
        'UNSUPPORTED_DATA_TYPE',
        'This component does not process the pictures of a video.',
      );
    loaded.push({ ...action, detector });
  }
  return loaded;
}

async function endOf(source: LivePictures, stop: AbortSignal): Promise<StreamEnd> {
  if (stop.aborted) return { reason: 'cancelled', detail: 'Cancelled.' };
  const { reason, detail } = await source.ended;
  if (reason === 'failed') throw new DetectionError('COULD_NOT_OPEN_MEDIA', detail);
  return { reason, detail };
}

class StreamWatch {
  readonly #actions: readonly LoadedAction[];
  readonly #work: StreamWork;
  readonly #context: StreamContext;
  readonly #segments: SegmentLine;
  readonly #scene: LiveScene;
  readonly #zones: LiveZones | undefined;
  readonly #picture: NewestPicture;
  readonly #warnings = new Set<string>();
  #fps = 0;
  /** Of pictures of a size, by action: what they have learned holds over the borders of segments. */
  #gates: { readonly size: string; readonly of: Map<number, MotionGate | undefined> } | undefined;

  constructor(actions: readonly LoadedAction[], work: StreamWork, context: StreamContext) {
    this.#actions = actions;
    this.#work = work;
    this.#context = context;
    const { report } = context;
    const event = (one: StreamEvent, urgent?: boolean) => report.event(one, urgent);
    this.#zones = work.zones && new LiveZones({ work: work.zones, event });
    this.#scene = new LiveScene({
      zones: this.#zones,
      event,
      at: (frame) => this.#segments.clock.at(frame),
    });
    this.#picture = new NewestPicture((picture) => report.frame(picture));
    this.#segments = new SegmentLine(work, this.#scene, (number, lines) => report.segment(number, lines));
  }

  /** Of the reader, in the order in which it happens. */
  onEvent(event: LiveEvent): void {
    if (event.type === 'opened') this.#fps = event.fps;
    if (event.type === 'running') this.#segments.wasInterrupted = true;
    this.#context.report.event(event, true);
  }

  /** One course of the detectors after the other, for each size of pictures. */
  async all(source: LivePictures): Promise<void> {
    const { stop, progress, onCounts } = this.#context;
    const pump = new FramePump(source, stop, progress);
    this.#segments.counts = () => countsOf(source, this.#segments);
    onCounts(this.#segments.counts);
    let course: Course | undefined;
    try {
      for (let frame = await pump.next(); frame !== undefined; frame = await pump.next()) {
        if (course?.isFor(frame) === false) course = await endCourse(course);
        course ??= this.#courseFrom(frame);
        await course.next(frame);
      }
      await course?.end();
    } finally {
      course?.leave();
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

  #courseFrom(first: LiveFrame): Course {
    return new Course({
      actions: this.#actions,
      work: this.#work,
      context: this.#context,
      scene: this.#scene,
      segments: this.#segments,
      picture: this.#picture,
      warn: (message) => this.warn(message),
      first,
      gateOf: (action, transform) => this.#gateOf(action, transform, first),
      zones: this.#zones,
      fps: this.#fps,
    });
  }

  #gateOf(action: number, transform: FrameTransform, { width, height }: LiveFrame): MotionGate | undefined {
    const size = `${width}x${height}`;
    if (this.#gates?.size !== size) this.#gates = { size, of: new Map() };
    const { of } = this.#gates;
    if (!of.has(action)) of.set(action, motionGate(this.#actions[action]!.properties, transform));
    return of.get(action);
  }
}

async function endCourse(course: Course): Promise<undefined> {
  await course.end();
  course.leave();
}

function countsOf(source: LivePictures, { processed, skipped }: SegmentLine): StreamCounts {
  const { decoded, dropped, reconnects } = source.counts;
  return { read: decoded, processed, dropped, skipped, reconnects };
}
