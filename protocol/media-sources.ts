/** Input of a detector: pictures and sound, as media readers provide them. */

/**
 * An upright picture or, with feed-forward, the part of it to be analyzed. `data` is RGB, tightly packed, `width * height * 3` bytes. It is
 * valid until the next frame is requested.
 */
export interface Frame {
  /** Frame number within the medium; 0 for an image. */
  readonly index: number;
  /** Milliseconds from the start of the medium. */
  readonly time: number;
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array;
  /** True for warm-up frames before the sub-job's range. The detector may learn from them, but must not report them. */
  readonly warmUp: boolean;
}

export interface FrameSource {
  /** Size of the frames. With feed-forward of regions, the largest size, because each frame has its own. */
  readonly width: number;
  readonly height: number;
  /** Frames per second of the medium (not of the sampled frames). */
  readonly fps: number;
  /**
   * The inclusive range of frames that this sub-job reports. For a live stream, `stop` is that of the segment, or Number.MAX_SAFE_INTEGER.
   */
  readonly start: number;
  readonly stop: number;
  frames(): AsyncIterable<Frame>;
}

/** Mono sound, 16,000 samples a second, floats in [-1, 1], in chunks of any length. */
export interface AudioSource {
  /** Time of the first sample in milliseconds. */
  readonly startTime: number;
  chunks(): AsyncIterable<Float32Array>;
}

/** The sound of a medium as stored: all channels at the original rate. A medium may have no sound. */
export interface SoundFile {
  /** Absolute path of its file. */
  readonly path: string;
  /** Milliseconds of the medium, both ends included. Infinity: to its end. */
  readonly startMs: number;
  readonly stopMs: number;
  /** Reports progress: processed milliseconds from `startMs`. */
  heard(ms: number): void;
}
