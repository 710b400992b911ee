/** Counts of findings in a medium, by time and by place. Times are milliseconds. */

/** Tracks of one type and, if a detector names classes, of one class. */
export interface CountSeries {
  readonly type: string;
  readonly class: string | null;
  /** Number of tracks in the whole medium. */
  readonly total: number;
  /** Number of tracks that begin in each interval. */
  readonly begins: readonly number[];
  /** Number of tracks that are visible or audible in a part of each interval. */
  readonly present: readonly number[];
}

export interface TrackCounts {
  readonly intervalMs: number;
  /** Number of intervals from the start of the medium to its last finding. */
  readonly intervals: number;
  /** The most frequent first. */
  readonly series: readonly CountSeries[];
  /** Number of series beyond MOST_SERIES. */
  readonly omitted: number;
}

export interface CountQuery {
  readonly medium: number;
  /** Undefined: a round length for which at most MOST_BARS intervals cover the findings. */
  readonly intervalMs: number | undefined;
}

/** Number of boxes that cover each cell of a grid over the stored picture. */
export interface HeatMap {
  /** Size of the stored picture in pixels. */
  readonly width: number;
  readonly height: number;
  readonly columns: number;
  readonly rows: number;
  /** Number of boxes on each cell, row by row from the top left. */
  readonly cells: readonly number[];
}

export interface HeatQuery {
  readonly medium: number;
  readonly columns: number;
  readonly lane: number | undefined;
}

export const MOST_SERIES = 50;
const MOST_BARS = 120;
export const MOST_INTERVALS = 10_000;

/** Round interval lengths in milliseconds. */
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const ROUND_MS = [
  ...[1, 2, 5, 10, 15, 30].map((n) => n * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((n) => n * MINUTE),
  ...[1, 2, 4, 8, 12, 24].map((n) => n * HOUR),
];

/** The shortest round interval for which at most MOST_BARS intervals cover `lengthMs`. */
export const roundInterval = (lengthMs: number): number =>
  ROUND_MS.find((ms) => lengthMs / ms <= MOST_BARS) ?? Math.ceil(lengthMs / MOST_BARS / HOUR) * HOUR;
