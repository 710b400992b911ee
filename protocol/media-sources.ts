/** What a detector reads: pictures and sound, as readers of media serve them. */

/** An upright picture; of a track that is fed forward, the part that is to be looked at. `data` is tightly packed, `width * height * 3` bytes, RGB; valid until the next frame is asked for. */
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
  /** Size of the frames; of regions that are fed forward the largest, for each frame has its own. */
  readonly width: number;
  readonly height: number;
  /** Frames per second of the medium (not of the sampled frames). */
  readonly fps: number;
  /** The inclusive range of frames that this sub-job reports on; of a live stream, `stop` is that of the segment, or Number.MAX_SAFE_INTEGER. */
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

/** A sound, or the sound of a video, as it is stored: with all its channels and at its own rate. It may have none. */
export interface SoundFile {
  /** Absolute path of its file. */
  readonly path: string;
  /** Milliseconds of the medium, both ends included; Infinity: to its end. */
  readonly startMs: number;
  readonly stopMs: number;
  /** To be told how much was heard, in milliseconds from `startMs`. */
  heard(ms: number): void;
}
