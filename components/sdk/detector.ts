/**
 * The interface of detectors. One implementation processes a source of frames or sound: a file or a live stream. The host opens the medium
 * and applies search region, rotation, flip, frame interval and key frames. It also maps boxes back to the medium. A detector receives only
 * upright pictures, and returns boxes in their pixels.
 */
import type { Properties, DetectionErrorCode, MediaType, Range } from '../../domain/types.ts';
import type { FedTrack } from '../../protocol/detection-work.ts';
import type { AudioSource, Frame, FrameSource, SoundFile } from '../../protocol/media-sources.ts';
import type { MarkupWork } from '../../protocol/track-work.ts';
import type { WorkContext } from './work/work-context.ts';
import type { RunComponentOptions } from './run-component.ts';
import { CodedError } from '../../protocol/coded-error.ts';

/**
 * A box in pixels of the frame in which it was found. With a property ROTATION, it is turned counter-clockwise by this number of degrees
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
 * A track of a visual detector. `detections` ascend by frame and must not be empty. Start and stop frame are by default those of the first
 * and last detection. A scene, for example, is longer than its detections.
 */
export interface FoundTrack {
  readonly detections: readonly FoundDetection[];
  /** Type of the track; by default that of the algorithm. */
  readonly type?: string;
  readonly confidence: number;
  readonly properties?: Properties;
  readonly startFrame?: number;
  readonly stopFrame?: number;
  /** Identifier in a live stream, which is the same in all parts of the track. */
  readonly liveId?: string;
  /** True if the track continues after the segment border, in a live stream. */
  readonly open?: boolean;
}

/** A period of sound, in milliseconds of the medium. */
export interface FoundSound {
  readonly startTime: number;
  readonly stopTime: number;
  readonly confidence: number;
  readonly properties?: Properties;
}

/** A document, or another medium that is neither picture nor sound. */
export interface GenericSource {
  /** Absolute path of its file. */
  readonly path: string;
  readonly mimeType: string;
  /**
   * Page ranges to process, from 1 as in PAGE_NUM, inclusive, ascending and separate; all pages if undefined. The host warns if a detector
   * does not read this property.
   */
  readonly pages?: readonly Range[] | undefined;
  /** A folder of this sub-job for derivative media. It is created on first access. */
  readonly outputFolder: string;
  /** Reports activity if finding something may take long. Each finding also reports activity. */
  readonly working?: () => void;
}

/** A finding in a document. Its type is by default that of the algorithm. */
export interface FoundPart {
  readonly type?: string;
  /** Confidence; -1 if the detector gives none. */
  readonly confidence: number;
  readonly properties: Properties;
}

/** Properties that a detector adds to a fed track and its detections. */
export interface FoundProperties {
  /** Confidence; by default that of the track. */
  readonly confidence?: number;
  readonly properties: Properties;
}

export interface DetectionJob {
  /** Effective properties of this sub-job, including defaults. */
  readonly properties: Properties;
  /** The current track, if tracks are fed forward one by one. */
  readonly fed?: FedTrack;
  /** True in a live stream, where `fed` has only the detection of the newest frame. More may follow. */
  readonly isFedOpen?: boolean;
  /** All tracks, if they are fed forward together (FEED_FORWARD_ALL_TRACKS). */
  readonly allFed?: readonly FedTrack[];
  /** Aborts when the job is cancelled or the lease is lost. A detector that loops without frames must check it. */
  readonly signal: AbortSignal;
  /**
   * Reports a part of the medium that could not be processed, and how to fix it. It becomes a warning of the medium in the detection
   * document. Equal warnings are reported once. At most 20 warnings of up to 4,000 characters are stored.
   */
  readonly warn?: (message: string) => void;
  /**
   * The trace of the job, as a header of the W3C recommendation Trace Context, for requests to other services; undefined without a trace.
   */
  readonly traceparent?: string;
  /** Reports activity while the detector waits for another service. Requested frames and sound also report activity. */
  readonly working?: () => void;
  /** Defined if the source is a live stream and the detector follows objects across segments (`followsStreams`). */
  readonly live?: LiveJob;
}

/** Context of a long wait: it reports activity, and the signal ends it. */
export type Waiting = Pick<DetectionJob, 'signal' | 'working'>;

/**
 * Passed to a detector that follows objects across segments (`followsStreams`). Its `video` is called once for the whole stream. Each track
 * that it returns must have its `liveId` from here.
 */
export interface LiveJob {
  /** Returns an identifier for a new track. Its type is by default that of the algorithm. */
  newTrack(type?: string): string;
  /**
   * Must be called for each detection of a track as soon as the track counts. The first call reports the start of the track. `since`: first
   * frame of the track in this segment; by default the frame of the detection.
   */
  seen(liveId: string, detection: FoundDetection, since?: number): void;
  /** Must be called for each detection before the track counts. When it counts, zones include these detections. */
  mayCount(liveId: string, detection: FoundDetection): void;
  /** Must be called when the track gets no more detections. */
  ended(liveId: string): void;
  /** Registers the holder of open tracks. Must be called before the first frame is requested. */
  follow(open: OpenTracks): void;
}

/** Called while the detector waits for a frame. */
export interface OpenTracks {
  /**
   * Called when a segment ends with frame `last`. Returns and deletes the findings of each open track since the previous border. The tracks
   * stay open. Tracks without detections since then are left out.
   */
  cut(last: number): readonly FoundTrack[];
  /** Called after a gap in the stream that is too long to follow objects. Closes all tracks and returns their findings. */
  end(last: number): readonly FoundTrack[];
}

/**
 * One loaded detector, which processes one call at a time. In a live stream, calls for fed tracks alternate: all but one of them wait for a
 * frame. A detector omits the methods of unsupported media types. The host answers UNSUPPORTED_DATA_TYPE for them.
 */
export interface Detector {
  video?(source: FrameSource, job: DetectionJob): AsyncIterable<FoundTrack>;
  /**
   * True if `video` is called once for a whole live stream and uses `job.live`. Otherwise, `video` is called for each segment, and tracks
   * end with their segment.
   */
  readonly followsStreams?: boolean;
  image?(frame: Frame, job: DetectionJob): AsyncIterable<FoundTrack>;
  audio?(source: AudioSource, job: DetectionJob): AsyncIterable<FoundSound>;
  /** Called instead of `audio`, also for a video without sound. For detectors that measure a sound as it is stored. */
  soundFile?(source: SoundFile, job: DetectionJob): AsyncIterable<FoundSound>;
  generic?(source: GenericSource, job: DetectionJob): AsyncIterable<FoundPart>;
  /**
   * Processes a fed track instead of the medium. If defined, it is called whenever tracks are fed forward, for all media types. Yielding
   * nothing adds nothing to the track.
   */
  fed?(track: FedTrack, job: DetectionJob): AsyncIterable<FoundProperties>;
  /**
   * Margin around fed boxes (FEED_FORWARD_TYPE=REGION): a share of the width on the left and right, and of the height above and below,
   * within the picture; 0 if undefined.
   */
  readonly fedMargin?: number;
  /** Frees models. The process ends soon afterwards. */
  close?(): Promise<void>;
}

/** The operator's model files, from the settings of the host. */
export interface ModelSettings {
  /** Absolute paths of the folders that contain the models (MODEL_ROOTS). */
  readonly roots: readonly string[];
  /** Maximum number of loaded models per process (MODELS_LOADED). */
  readonly loaded: number;
  /** Timeout in milliseconds for a model's first answer (MODEL_CHECK_MS). */
  readonly checkMs: number;
  /** Memory limit in bytes of a process that tries a model (MAX_COMPONENT_MEMORY); undefined for no limit. */
  readonly maxMemory?: number;
}

/** Rules for model servers that jobs name, from the settings of the host. */
export interface ModelServerSettings {
  /** True if they may be on the host or in private networks (MODEL_SERVER_PRIVATE). */
  readonly allowPrivate: boolean;
  /** Names and addresses that are allowed even if they are private (MODEL_SERVER_ALLOWED_HOSTS). */
  readonly allowedHosts: readonly string[];
  /** Maximum wait in milliseconds for an unavailable server (MODEL_SERVER_WAIT_MS). */
  readonly waitMs: number;
}

/** Facts about the detector's host. */
export interface DetectorHost {
  readonly models: ModelSettings;
  /** Rules for model servers; if undefined, none may be in a private network. */
  readonly modelServers?: ModelServerSettings;
  /** Socket of the process that runs large networks for all live streams of this host; undefined if the detector must run its own. */
  readonly networks?: string;
}

/** The default export of a component's `detector.ts`: loads the models once per process. */
export type LoadDetector = (host: DetectorHost) => Promise<Detector>;

/** The markup component: draws tracks into a copy of a medium, and yields the lines of its answer. */
export interface MarkupComponent {
  markup(work: MarkupWork, context: WorkContext): AsyncIterable<string>;
  close?(): Promise<void>;
}

/** The default export of the markup component's `detector.ts`. */
export type LoadMarkup = () => Promise<MarkupComponent>;

/** Error that fails a sub-job with its own code. All other errors become DETECTION_FAILED. */
export class DetectionError extends CodedError<DetectionErrorCode> {
  override readonly name = 'DetectionError';
}

/** Reads a property as a number. Throws INVALID_PROPERTY if it is not a number, MISSING_PROPERTY if it is absent. */
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
 * Yields frames in arrays of `size` (the last one may be shorter), for networks that process several at a time. Their pixels are valid
 * until the next array is requested. Frames of a live stream come one by one, because their findings are reported at once.
 */
export async function* inBatches(
  source: Pick<FrameSource, 'frames'>,
  size: number,
  { live }: Pick<DetectionJob, 'live'> = {},
): AsyncGenerator<readonly Frame[]> {
  const most = live === undefined ? Math.max(1, Math.floor(size)) : 1;
  let batch: Frame[] = [];
  for await (const frame of source.frames()) {
    // The reader overwrites the frame with the next one, so only the last frame of an array is not copied.
    const isLast = batch.length + 1 === most;
    batch.push(isLast ? frame : { ...frame, data: new Uint8Array(frame.data) });
    if (!isLast) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** Registers a component at a server and runs it on this host until it is stopped. Rejects if the server refuses it. */
export async function runComponent(options: RunComponentOptions): Promise<void> {
  // Loaded only here: a detector that a server starts does not need it.
  const { run } = await import('./run-component.ts');
  return run(options);
}

export type { AudioSource, Frame, FrameSource, MediaType, RunComponentOptions, SoundFile };
