/**
 * What a detector is. It is written once, for a source of frames (or sound) that may be a file or, later, a live stream;
 * the host opens the medium, applies search region, rotation, flip, frame interval and key frames, and maps the boxes back
 * to the medium, so a detector only ever sees upright pictures and answers in their pixels.
 */
import type { Properties, DetectionErrorCode, MediaType } from '../../pipeline/types.ts';

/** An upright picture. `data` is tightly packed, `width * height * 3` bytes, RGB; valid until the next frame is asked for. */
export interface Frame {
  /** Frame number within the medium; 0 for an image. */
  readonly index: number;
  /** Milliseconds from the start of the medium. */
  readonly time: number;
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array;
  /** True for frames read only to warm up (before the sub-job's range): learn from them, report nothing. */
  readonly warmUp: boolean;
}

export interface FrameSource {
  readonly width: number;
  readonly height: number;
  /** Frames per second of the medium (not of the sampled frames). */
  readonly fps: number;
  /** The inclusive range of frames that this sub-job reports on. */
  readonly start: number;
  readonly stop: number;
  frames(): AsyncIterable<Frame>;
}

/** Mono sound, 16,000 samples a second, floats in [-1, 1], in chunks of any length. */
export interface AudioSource {
  /** Milliseconds at which the first sample lies. */
  readonly startTime: number;
  chunks(): AsyncIterable<Float32Array>;
}

/** A box in the pixels of the frame it was found in. */
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
  readonly confidence: number;
  readonly properties?: Properties;
  readonly startFrame?: number;
  readonly stopFrame?: number;
}

/** A stretch of sound, in milliseconds of the medium. */
export interface FoundSound {
  readonly startTime: number;
  readonly stopTime: number;
  readonly confidence: number;
  readonly properties?: Properties;
}

export interface DetectionJob {
  /** Effective properties of this sub-job, complete with defaults. */
  readonly properties: Properties;
  /** Aborts when the job is cancelled or the lease is lost; a detector that loops without frames must look at it. */
  readonly signal: AbortSignal;
}

/**
 * One loaded detector; one call at a time. A detector leaves out the methods of media types it does not know: the host
 * answers UNSUPPORTED_DATA_TYPE for them.
 */
export interface Detector {
  video?(source: FrameSource, job: DetectionJob): AsyncIterable<FoundTrack>;
  image?(frame: Frame, job: DetectionJob): AsyncIterable<FoundTrack>;
  audio?(source: AudioSource, job: DetectionJob): AsyncIterable<FoundSound>;
  /** Frees models; the process ends soon after. */
  close?(): Promise<void>;
}

/** The default export of a component's `detector.ts`: loads the models once per process. */
export type LoadDetector = () => Promise<Detector>;

/** Throw this to fail a sub-job with a code of its own; any other error becomes DETECTION_FAILED. */
export class DetectionError extends Error {
  readonly code: DetectionErrorCode;
  constructor(code: DetectionErrorCode, message: string) {
    super(message);
    this.name = 'DetectionError';
    this.code = code;
  }
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

export type { MediaType };
