import type { FrameRun } from '../../domain/frames/frame-runs.ts';
import type { FrameTimes } from '../../domain/types.ts';

export const constantFrameTimes = (fps: number, startTime = 0): FrameTimes => ({
  fps,
  constantRate: true,
  startTime,
});

/** `times` are milliseconds by frame. */
export const variableFrameTimes = (times: readonly number[], fps: number): FrameTimes => ({
  fps,
  constantRate: false,
  startTime: times[0] ?? 0,
  times,
});

/** Times of all frames, calculated from the runs. */
export const timesOfRuns = (runs: readonly FrameRun[]): readonly number[] =>
  runs.flatMap(([start, delta, count]) =>
    Array.from({ length: count }, (_, i) => Math.floor(start + i * delta + 1e-6)),
  );
