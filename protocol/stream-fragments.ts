/**
 * Recordings of live streams. A component cuts the coded pictures of a camera into fragments, which it sends as small MP4 files. All that
 * lists and clips need to know of a fragment is in its name, so a folder is its own index.
 */

export interface RecordedFragment {
  /** When its first picture came: milliseconds since the epoch. */
  readonly at: number;
  /** The connection, or the stretch between two jumps of the camera's clock. Positions of one run can be compared. */
  readonly run: string;
  /** Time of its first picture: ticks of its MP4 since the start of the run. */
  readonly position: number;
  readonly durationMs: number;
  /** Number in the stream of its first picture; null: the pictures are not those that are analyzed. */
  readonly firstFrame: number | null;
  readonly frames: number;
  /** It begins with a key picture. */
  readonly isKey: boolean;
}

/** What a component is asked to record. */
export interface RecordingWork {
  /** Another address of the camera, with more pixels; absent: what is analyzed is recorded. */
  readonly uri?: string | undefined;
}

/** Larger ones are refused. */
export const MAX_FRAGMENT_BYTES = 64 * 1024 * 1024;

export function fragmentName(fragment: RecordedFragment): string {
  const { at, run, position, durationMs, firstFrame, frames, isKey } = fragment;
  return [at, run, position, durationMs, firstFrame ?? 'x', frames, isKey ? 'k' : 'c'].join('-');
}

const NAME = /^(\d{1,15})-([0-9a-z]{1,16})-(\d{1,15})-(\d{1,9})-(\d{1,15}|x)-(\d{1,7})-([kc])$/;

/** Undefined: it is no name of a fragment. */
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
