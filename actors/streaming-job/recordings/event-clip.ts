/** The clip around a moment of a stream, for whoever tells others of an event. */
import type { StreamingJobRecord } from '../state.ts';

export interface EventClip {
  /** Milliseconds since the epoch. */
  readonly from: number;
  readonly to: number;
  /** Of a GET at this service. */
  readonly path: string;
  /** Of the picture of the moment. */
  readonly snapshotPath: string;
}

export const BEFORE_EVENT_MS = 5_000;
export const AFTER_EVENT_MS = 5_000;

/** Undefined: the stream is not recorded. The clip is whole some seconds after its end (see `media/live/recording/recorder.ts`). */
export function clipAround(
  { number, recording }: Pick<StreamingJobRecord, 'number' | 'recording'>,
  at: number,
  before: number = BEFORE_EVENT_MS,
  after: number = AFTER_EVENT_MS,
): EventClip | undefined {
  if (recording === undefined) return undefined;
  const [from, to] = [Math.floor(at - before), Math.ceil(at + after)];
  const folder = `/rest/streaming/jobs/${number}/recordings`;
  const [start, stop, moment] = [from, to, at].map((ms) => new Date(ms).toISOString());
  return {
    from,
    to,
    path: `${folder}/clip.mp4?start=${start}&stop=${stop}`,
    snapshotPath: `${folder}/snapshot.jpg?at=${moment}`,
  };
}
