/** Counts over the index of a document: tracks by time, boxes by position. */
import type { Database } from 'better-sqlite3';
import {
  MOST_INTERVALS,
  MOST_SERIES,
  roundInterval,
  type CountSeries,
  type HeatMap,
  type HeatQuery,
  type TrackCounts,
} from '../../domain/tracks/track-counts.ts';
import { UNAVAILABLE, type Unavailable } from '../../domain/tracks/viewing.ts';
import type { Properties } from '../../domain/types.ts';

interface TrackTime {
  readonly type: string;
  readonly class: string | null;
  readonly startMs: number;
  readonly stopMs: number;
}

const ALL_TRACKS = `SELECT type, json_extract(properties, '$.CLASSIFICATION') AS class, start_ms AS startMs, stop_ms AS stopMs
  FROM tracks JOIN lanes ON lanes.medium = tracks.medium AND lanes.lane = tracks.lane WHERE tracks.medium = ?`;

export function countTracks(
  db: Database,
  medium: number,
  asked: number | undefined,
): TrackCounts | Unavailable {
  const { lengthMs } = db
    .prepare<[number], { lengthMs: number }>(
      'SELECT coalesce(max(stop_ms), -1) + 1 AS lengthMs FROM tracks WHERE medium = ?',
    )
    .get(medium)!;
  const intervalMs = asked ?? roundInterval(lengthMs);
  const intervals = Math.ceil(lengthMs / intervalMs);
  if (intervals > MOST_INTERVALS) return UNAVAILABLE;
  const frequent = seriesOf(db, medium);
  const counters = new Map(
    frequent.slice(0, MOST_SERIES).map((one) => [keyOf(one), { ...one, ...emptyCounts(intervals) }]),
  );
  for (const track of db.prepare<[number], TrackTime>(ALL_TRACKS).iterate(medium)) {
    const counter = counters.get(keyOf(track));
    if (counter === undefined) continue;
    const first = Math.floor(Math.max(0, track.startMs) / intervalMs);
    const last = Math.floor(Math.max(0, track.startMs, track.stopMs) / intervalMs);
    counter.begins[first]! += 1;
    counter.changes[first]! += 1;
    counter.changes[last + 1]! -= 1;
  }
  const series = [...counters.values()].map(({ changes, ...one }): CountSeries => {
    let open = 0;
    return { ...one, present: changes.slice(0, intervals).map((change) => (open += change)) };
  });
  return { intervalMs, intervals, series, omitted: frequent.length - series.length };
}

type Named = Pick<CountSeries, 'type' | 'class' | 'total'>;
const keyOf = ({ type, class: name }: Pick<Named, 'type' | 'class'>) => JSON.stringify([type, name]);
const zeros = (length: number) => Array.from({ length }, () => 0);
/** `changes`: difference in the number of open tracks to the previous interval. */
const emptyCounts = (intervals: number) => ({ begins: zeros(intervals), changes: zeros(intervals + 1) });

const seriesOf = (db: Database, medium: number): readonly Named[] =>
  db
    .prepare<[number], Named>(
      `SELECT type, class, count(*) AS total FROM (${ALL_TRACKS}) GROUP BY type, class ORDER BY total DESC, type, class`,
    )
    .all(medium);

export interface Covered {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly corners: string | null;
}

export function heatMap(db: Database, medium: number, { columns, lane }: HeatQuery): HeatMap | Unavailable {
  const size = sizeOf(db, medium);
  if (size === undefined) return UNAVAILABLE;
  const { width, height } = size;
  const rows = Math.max(1, Math.round((columns * height) / width));
  // Each box changes four cells of a table. The sums over all cells to the upper left are the counts.
  const across = columns + 1;
  const changes = new Float64Array(across * (rows + 1));
  const given = lane === undefined ? [medium] : [medium, lane];
  const boxes = db.prepare<number[], Covered>(
    `SELECT x, y, width, height, corners FROM boxes
       ${lane === undefined ? 'WHERE boxes.medium = ?' : 'JOIN tracks ON tracks.medium = boxes.medium AND tracks.n = boxes.track WHERE boxes.medium = ? AND tracks.lane = ?'}`,
  );
  for (const box of boxes.iterate(...given)) {
    const { left, top, right, bottom } = extentOf(box);
    if (right <= 0 || bottom <= 0 || left >= width || top >= height) continue;
    const from = Math.floor((Math.max(0, left) / width) * columns);
    const to = Math.ceil((Math.min(width, right) / width) * columns);
    const upper = Math.floor((Math.max(0, top) / height) * rows);
    const lower = Math.ceil((Math.min(height, bottom) / height) * rows);
    changes[upper * across + from]! += 1;
    changes[upper * across + to]! -= 1;
    changes[lower * across + from]! -= 1;
    changes[lower * across + to]! += 1;
  }
  return { width, height, columns, rows, cells: sums(changes, columns, rows) };
}

function sums(changes: Float64Array, columns: number, rows: number): readonly number[] {
  const across = columns + 1;
  const cells: number[] = [];
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++) {
      const above = row === 0 ? 0 : cells[(row - 1) * columns + column]!;
      const left = column === 0 ? 0 : cells[row * columns + column - 1]!;
      const both = row === 0 || column === 0 ? 0 : cells[(row - 1) * columns + column - 1]!;
      cells.push(changes[row * across + column]! + above + left - both);
    }
  return cells;
}

/** The upright rectangle around a box in pixels. */
export function extentOf({ x, y, width, height, corners }: Covered) {
  if (corners === null) return { left: x, top: y, right: x + width, bottom: y + height };
  const points = corners.split(' ').map((corner) => corner.split(',').map(Number));
  const [xs, ys] = [points.map(([across = 0]) => across), points.map(([, down = 0]) => down)];
  return { left: Math.min(...xs), top: Math.min(...ys), right: Math.max(...xs), bottom: Math.max(...ys) };
}

export function sizeOf(
  db: Database,
  medium: number,
): { readonly width: number; readonly height: number } | undefined {
  const row = db
    .prepare<[number], { metadata: string }>('SELECT metadata FROM media WHERE n = ?')
    .get(medium);
  const metadata = row === undefined ? {} : (JSON.parse(row.metadata) as Properties);
  const [width, height] = [Number(metadata['FRAME_WIDTH']), Number(metadata['FRAME_HEIGHT'])];
  return width > 0 && height > 0 ? { width, height } : undefined;
}
