/**
 * Recordings of live streams. A component cuts the coded pictures of a camera into fragments, which it sends as small MP4 files. The file
 * name of a fragment contains everything that lists and clips need. So a folder is its own index.
 */

export interface RecordedFragment {
  /** Arrival of its first picture in milliseconds since the epoch. */
  readonly at: number;
  /** The connection, or the part between two jumps of the camera's clock. Positions within one run are comparable. */
  readonly run: string;
  /** Time of its first picture: ticks of its MP4 since the start of the run. */
  readonly position: number;
  readonly durationMs: number;
  /** Number in the stream of its first picture. Null if the recorded pictures are not the analyzed ones. */
  readonly firstFrame: number | null;
  readonly frames: number;
  /** True if it begins with a key picture. */
  readonly isKey: boolean;
}

/** Recording settings for a component. */
export interface RecordingWork {
  /** Another address of the camera with a higher resolution. Absent: the analyzed stream is recorded. */
  readonly uri?: string | undefined;
}

/** Maximum size of a fragment. Larger ones are refused. */
export const MAX_FRAGMENT_BYTES = 64 * 1024 * 1024;

export function fragmentName(fragment: RecordedFragment): string {
  const { at, run, position, durationMs, firstFrame, frames, isKey } = fragment;
  return [at, run, position, durationMs, firstFrame ?? 'x', frames, isKey ? 'k' : 'c'].join('-');
}

const NAME = /^(\d{1,15})-([0-9a-z]{1,16})-(\d{1,15})-(\d{1,9})-(\d{1,15}|x)-(\d{1,7})-([kc])$/;

/** Parses the file name of a fragment. Returns undefined for other names. */
export function fragmentOf(name: string): RecordedFragment | undefined {
  const [, at, run = '', position, durationMs, first, frames, key] = NAME.exec(name) ?? [];
  if (at === undefined) return undefined;
  return {
    at: Number(at),
    run,
    position: Number(position),
    durationMs: Number(durationMs),
    firstFrame: first === 'x' ? null : Number(first),
    frames: Number(frames),
    isKey: key === 'k',
  };
}
