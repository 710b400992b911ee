/**
 * Frames beside the first and the last detection of a track in which what it shows may still be in the picture: those within a margin,
 * and those that no detector looked at.
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
  /** Frames of the video. */
  readonly length: number;
  /** Milliseconds. */
  readonly margin: number;
  readonly choices: readonly FrameChoice[];
  /** Milliseconds of the key frames, ascending; only looked at for choices of key frames. */
  readonly keyFrames: readonly number[];
}

export function unseenFrames(options: UnseenOptions): UnseenFrames {
  const { frameTimes, length, margin, choices, keyFrames } = options;
  const timeOf = (frame: number): number => timeOfFrame(frameTimes, frame);
  /** The first frame that is shown after a moment, and the last one that is shown before it. */
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

/** How far the frames beside one that was looked at may go unseen: so many frames, and up to moments that are not included. */
interface Reach {
  readonly frames: number;
  since(time: number): number;
  until(time: number): number;
}

/**
 * With a cap, the first frame of each stretch of 1/cap seconds was looked at. Frames before it that were not share a stretch with the frame
 * just before it, which `timeBefore` answers the time of.
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
 * Which key frames were looked at is not known, only that the next one is n further at most, or with a cap the first one after a
 * stretch of 1/cap seconds.
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
