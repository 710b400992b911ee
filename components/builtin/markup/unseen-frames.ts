/**
 * Frames before and after a track in which its object may still be visible: frames within a margin, and frames that no detector processed.
 */
import { frameOfTime, timeOfFrame } from '../../../domain/frames/frame-times.ts';
import type { FrameTimes } from '../../../domain/types.ts';
import type { FrameChoice } from '../../../protocol/track-work.ts';

export interface UnseenFrames {
  /** The first frame to conceal for a track whose first detection is in `frame`. */
  before(frame: number): number;
  /** The last frame to conceal for a track whose last detection is in `frame`. */
  after(frame: number): number;
}

export interface UnseenOptions {
  readonly frameTimes: FrameTimes;
  /** Number of frames in the video. */
  readonly length: number;
  /** Milliseconds. */
  readonly margin: number;
  readonly choices: readonly FrameChoice[];
  /** Times of the key frames in milliseconds, ascending. Only used for choices of key frames. */
  readonly keyFrames: readonly number[];
}

export function unseenFrames(options: UnseenOptions): UnseenFrames {
  const { frameTimes, length, margin, choices, keyFrames } = options;
  const timeOf = (frame: number): number => timeOfFrame(frameTimes, frame);
  /** Returns the first frame that is shown after a time; `lastBefore` returns the last one before it. */
  const firstAfter = (time: number): number =>
    time < timeOf(0) ? 0 : frameOfTime(frameTimes, Math.min(time, timeOf(length - 1))) + 1;
  const lastBefore = (time: number): number => firstAfter(Math.ceil(time) - 1) - 1;
  const reaches = choices.map((choice) =>
    choice.keyFramesOnly
      ? keyFrameReach(keyFrames, choice)
      : plainReach(choice, (time) => timeOf(Math.max(0, lastBefore(time)))),
  );
  return {
    before(frame) {
      const time = timeOf(frame);
      const firsts = reaches.map(({ frames, since }) => Math.min(frame - frames, firstAfter(since(time))));
      return Math.max(0, Math.min(frame, firstAfter(time - margin - 1), ...firsts));
    },
    after(frame) {
      const time = timeOf(frame);
      const lasts = reaches.map(({ frames, until }) => Math.max(frame + frames, lastBefore(until(time))));
      return Math.min(length - 1, Math.max(frame, lastBefore(time + margin + 1), ...lasts));
    },
  };
}

/** Unprocessed frames beside a processed one: at most this many frames, and times up to exclusive limits. */
interface Reach {
  readonly frames: number;
  since(time: number): number;
  until(time: number): number;
}

/**
 * With a rate cap, the first frame of each slot of 1/cap seconds was processed. Unprocessed frames before it share a slot with the previous
 * frame. `timeBefore` returns the time of that frame.
 */
const plainReach = ({ interval, rateCap }: FrameChoice, timeBefore: (time: number) => number): Reach => {
  const gap = rateCap > 0 ? 1000 / rateCap : 0;
  return {
    frames: interval - 1,
    since: (time) => (gap > 0 ? timeBefore(time) - gap : time),
    until: (time) => time + gap,
  };
};

/**
 * The processed key frames are not known exactly. The next one is at most `interval` key frames away, or with a cap the first one after
 * 1/cap seconds.
 */
function keyFrameReach(times: readonly number[], { interval, rateCap }: FrameChoice): Reach {
  const keys = { fps: 0, constantRate: false, startTime: times[0] ?? 0, times };
  const keyAt = (time: number): number => frameOfTime(keys, time);
  if (rateCap > 0) {
    const gap = 1000 / rateCap;
    return {
      frames: 0,
      since: (time) => (times[keyAt(time) - 1] ?? -Infinity) - gap,
      until: (time) => times[keyAt(time + gap) + 1] ?? Infinity,
    };
  }
  return {
    frames: 0,
    since: (time) => times[keyAt(time) - interval] ?? -Infinity,
    until: (time) => times[keyAt(time) + interval] ?? Infinity,
  };
}
