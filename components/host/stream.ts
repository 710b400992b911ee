/**
 * Runs detectors on a live stream: with the same views, properties and forms of tracks as in a video, cut into segments. A segment is
 * reported when its last frame has passed. Urgent events are reported at once.
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

/** Rules for replacing a process after some time. */
export interface Renewal {
  /** Number of HTTP connections after which the process is replaced. */
  readonly after: number;
  /** Makes this process release the stream and end. Another process continues with the next whole segment. */
  leave(): void;
}

/** Returns the loaded detector of an algorithm. */
export type DetectorOf = (algorithm: string) => Promise<Detector>;

/** Watches a stream. Throws COULD_NOT_OPEN_MEDIA with a sentence for people, and errors of the detectors. */
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
      // Replacing the process here loses no picture, because the connection has just broken.
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
    // Does not wait for an unresponsive camera, unless the last recorded fragment is still being written.
    const closed = source.close().catch(() => undefined);
    if (work.recording !== undefined) await closed;
  }
}

/**
 * True if the process must be replaced. Only connections with pictures count, because the memory leak occurs when a container is opened.
 */
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
  /** Motion gates for one picture size, by action. What they learned stays valid across segments. */
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

  /** Handles events of the reader in order. */
  onEvent(event: LiveEvent): void {
    if (event.type === 'opened') this.#fps = event.fps;
    if (event.type === 'running') this.#segments.wasInterrupted = true;
    this.#context.report.event(event, true);
  }

  /** Runs one course of detectors after another, for each picture size. */
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

  /** Reports a warning. Equal warnings are reported once, and their number is limited. */
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
