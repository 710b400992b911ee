/**
 * What a detector is. One implementation serves a source of frames (or sound): a file or a live stream. The host opens the medium and
 * applies search region, rotation, flip, frame interval and key frames. It also maps the boxes back to the medium: a detector sees only
 * upright pictures and answers in their pixels.
 */
import type { Properties, DetectionErrorCode, MediaType, Range } from '../../domain/types.ts';
import type { FedTrack } from '../../protocol/detection-work.ts';
import type { AudioSource, Frame, FrameSource, SoundFile } from '../../protocol/media-sources.ts';
import type { MarkupWork } from '../../protocol/track-work.ts';
import type { WorkContext } from './work/work-context.ts';
import type { RunComponentOptions } from './run-component.ts';
import { CodedError } from '../../protocol/coded-error.ts';

/**
 * A box in the pixels of the frame it was found in. With a property ROTATION it is turned by so many degrees, counter-clockwise,
 * around its corner x, y.
 */
export interface FoundDetection {
  readonly frame: number;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly confidence: number;
  readonly properties?: Properties;
}

/**
 * A track of a visual detector. `detections` ascend by frame and must not be empty; start and stop frame are those of the
 * first and the last detection unless they are given (a scene spans more than its detections).
 */
export interface FoundTrack {
  readonly detections: readonly FoundDetection[];
  /** That of the algorithm when absent. */
  readonly type?: string;
  readonly confidence: number;
  readonly properties?: Properties;
  readonly startFrame?: number;
  readonly stopFrame?: number;
  /** Of a live stream: the same in all parts of the track. */
  readonly liveId?: string;
  /** Of a live stream: the track goes on after the border of the segment. */
  readonly open?: boolean;
}

/** A stretch of sound, in milliseconds of the medium. */
export interface FoundSound {
  readonly startTime: number;
  readonly stopTime: number;
  readonly confidence: number;
  readonly properties?: Properties;
}

/** A document, or any other medium that is no picture and no sound. */
export interface GenericSource {
  /** Absolute path of its file. */
  readonly path: string;
  readonly mimeType: string;
  /**
   * The pages to look at, from 1 as in PAGE_NUM, both ends included, ascending and apart; absent: all of them. The host warns of a
   * detector that does not ask for them.
   */
  readonly pages?: readonly Range[] | undefined;
  /** A folder of this sub-job's own for derivative media; it exists once it was asked for. */
  readonly outputFolder: string;
  /** Tells that it goes on, when it may take long until something is found; each finding tells it as well. */
  readonly working?: () => void;
}

/** A finding in a document: of the algorithm's track type unless it says otherwise. */
export interface FoundPart {
  readonly type?: string;
  /** -1 when the detector gives none. */
  readonly confidence: number;
  readonly properties: Properties;
}

/** What a detector says of a track that it was fed: properties that come to those of the track and of its detections. */
export interface FoundProperties {
  /** The track's own when absent. */
  readonly confidence?: number;
  readonly properties: Properties;
}

export interface DetectionJob {
  /** Effective properties of this sub-job, complete with defaults. */
  readonly properties: Properties;
  /** The track that is worked on, when tracks are fed forward one by one. */
  readonly fed?: FedTrack;
  /** All tracks, when they are fed forward together (FEED_FORWARD_ALL_TRACKS). */
  readonly allFed?: readonly FedTrack[];
  /** Aborts when the job is cancelled or the lease is lost; a detector that loops without frames must look at it. */
  readonly signal: AbortSignal;
  /**
   * Tells of a part of the medium that could not be looked at, and what to do about it: a warning of the medium in the detection
   * document. Equal ones are told once; 20 of up to 4,000 characters at most.
   */
  readonly warn?: (message: string) => void;
  /**
   * The trace of the job, as a header of the W3C recommendation Trace Context, for requests to other services; absent: there is none.
   */
  readonly traceparent?: string;
  /** Tells that it goes on, when it waits for somebody else; frames and sound that are asked for tell it as well. */
  readonly working?: () => void;
  /** The source is a live stream, and the detector follows things over the borders of its segments (`followsStreams`). */
  readonly live?: LiveJob;
}

/** Who waits for something that takes long: told that it goes on, and ended by the signal. */
export type Waiting = Pick<DetectionJob, 'signal' | 'working'>;

/**
 * Given to a detector that follows things over the borders of segments (`followsStreams`): its `video` is called once for the whole
 * stream. Every track that it answers has the `liveId` that it got here.
 */
export interface LiveJob {
  /** A name for a new track, of the algorithm's type unless another is given. */
  newTrack(type?: string): string;
  /**
   * To be called for each detection of a track as soon as it is known that the track counts: the first one tells of its beginning.
   * `since`: the first frame of what this segment has of the track; absent: the frame of the detection.
   */
  seen(liveId: string, detection: FoundDetection, since?: number): void;
  /** For each detection before that: zones count the track from its first one, once it counts. */
  mayCount(liveId: string, detection: FoundDetection): void;
  /** The track gets no more detections. */
  ended(liveId: string): void;
  /** Takes who holds the open tracks; to be called before the first frame is asked for. */
  follow(open: OpenTracks): void;
}

/** Asked while the detector waits for a frame. */
export interface OpenTracks {
  /**
   * A segment ends with frame `last`: answers what each open track has found since the border before, and forgets it. The tracks go on.
   * A track without any detection since then is left out.
   */
  cut(last: number): readonly FoundTrack[];
  /** The stream was away for so long that nothing can be followed over the gap: closes all tracks, and answers the same of them. */
  end(last: number): readonly FoundTrack[];
}

/**
 * One loaded detector; one call at a time. In a live stream, calls for tracks that are fed forward take turns: all but one of them wait
 * for a frame. A detector leaves out the methods of media types it does not know: the host
 * answers UNSUPPORTED_DATA_TYPE for them.
 */
export interface Detector {
  video?(source: FrameSource, job: DetectionJob): AsyncIterable<FoundTrack>;
  /**
   * Live streams: `video` is called once for all of a stream and does what `job.live` asks for. Without it, `video` is called for each
   * segment, and tracks end where their segment does.
   */
  readonly followsStreams?: boolean;
  image?(frame: Frame, job: DetectionJob): AsyncIterable<FoundTrack>;
  audio?(source: AudioSource, job: DetectionJob): AsyncIterable<FoundSound>;
  /** Asked instead of `audio`, also of a video without any sound: for what measures a sound as it is stored. */
  soundFile?(source: SoundFile, job: DetectionJob): AsyncIterable<FoundSound>;
  generic?(source: GenericSource, job: DetectionJob): AsyncIterable<FoundPart>;
  /**
   * Works on what a fed track says and not on the medium. A detector that has it is asked this way whenever tracks are fed
   * forward, for media of all types; nothing yielded means nothing to say of the track.
   */
  fed?(track: FedTrack, job: DetectionJob): AsyncIterable<FoundProperties>;
  /**
   * Of a detector that is fed boxes (FEED_FORWARD_TYPE=REGION): it also sees this share of the width on the left and on the right of a box,
   * and of the height above and below it, as far as the picture reaches. Absent: 0.
   */
  readonly fedMargin?: number;
  /** Frees models; the process ends soon after. */
  close?(): Promise<void>;
}

/** Model files of the operator's own, as the settings of the host say. */
export interface ModelSettings {
  /** Absolute paths of the folders below which they lie (MODEL_ROOTS). */
  readonly roots: readonly string[];
  /** So many of them one process keeps loaded (MODELS_LOADED). */
  readonly loaded: number;
  /** Milliseconds that one may take until it has answered once (MODEL_CHECK_MS). */
  readonly checkMs: number;
  /** Bytes of memory that a process may have which tries one (MAX_COMPONENT_MEMORY); absent: nobody looks. */
  readonly maxMemory?: number;
}

/** Where model servers may be that jobs name, as the settings of the host say. */
export interface ModelServerSettings {
  /** They may be on the host or in private networks (MODEL_SERVER_PRIVATE). */
  readonly allowPrivate: boolean;
  /** Names and addresses that may be so in any case (MODEL_SERVER_ALLOWED_HOSTS). */
  readonly allowedHosts: readonly string[];
  /** Milliseconds for which one that is away is waited for (MODEL_SERVER_WAIT_MS). */
  readonly waitMs: number;
}

/** What a detector is told of the host that it runs on. */
export interface DetectorHost {
  readonly models: ModelSettings;
  /** Absent: none may be in a private network. */
  readonly modelServers?: ModelServerSettings;
}

/** The default export of a component's `detector.ts`: loads the models once per process. */
export type LoadDetector = (host: DetectorHost) => Promise<Detector>;

/** What the markup component is: draws tracks into a copy of a medium, and yields the lines of its answer. */
export interface MarkupComponent {
  markup(work: MarkupWork, context: WorkContext): AsyncIterable<string>;
  close?(): Promise<void>;
}

/** The default export of the markup component's `detector.ts`. */
export type LoadMarkup = () => Promise<MarkupComponent>;

/** Throw this to fail a sub-job with a code of its own; all other errors become DETECTION_FAILED. */
export class DetectionError extends CodedError<DetectionErrorCode> {
  override readonly name = 'DetectionError';
}

/** A property read as a number; INVALID_PROPERTY when it is not one, MISSING_PROPERTY when it is absent. */
export function numberProperty(properties: Properties, name: string): number {
  const text = properties[name];
  if (text === undefined || text.trim() === '')
    throw new DetectionError('MISSING_PROPERTY', `The ${name} property is not set.`);
  const value = Number(text);
  if (Number.isNaN(value))
    throw new DetectionError(
      'INVALID_PROPERTY',
      `The ${name} property has the value "${text}", which is not a number.`,
    );
  return value;
}

/**
 * Frames in arrays of `size` (the last one may be shorter), for networks that take several at a time. Their pixels are valid until the
 * next array is requested. Frames of a live stream come one by one, because their findings are reported at once.
 */
export async function* inBatches(
  source: Pick<FrameSource, 'frames'>,
  size: number,
  { live }: Pick<DetectionJob, 'live'> = {},
): AsyncGenerator<readonly Frame[]> {
  const most = live === undefined ? Math.max(1, Math.floor(size)) : 1;
  let batch: Frame[] = [];
  for await (const frame of source.frames()) {
    // The reader writes the next frame where this one is: only the last of an array may stay there.
    const isLast = batch.length + 1 === most;
    batch.push(isLast ? frame : { ...frame, data: new Uint8Array(frame.data) });
    if (!isLast) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** Registers a component at a server on any host and runs it there until it is stopped. Rejects when the server refuses it. */
export async function runComponent(options: RunComponentOptions): Promise<void> {
  // Loaded here alone: a detector that a server has started does not need it.
  const { run } = await import('./run-component.ts');
  return run(options);
}

export type { AudioSource, Frame, FrameSource, MediaType, RunComponentOptions, SoundFile };
