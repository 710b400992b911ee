/** Exports hits as files for other programs. */
import type { Hit } from '../kit/findings/types.ts';

export const jsonOf = (hits: readonly Hit[]): string => `${JSON.stringify(hits, null, 2)}\n`;

/** Columns. They have the same names as in the exports of jobs, where these have the column. */
const COLUMNS: readonly (readonly [string, (hit: Hit) => string | number | null | undefined])[] = [
  ['job_id', ({ jobId }) => jobId],
  ['media_id', ({ mediaId }) => mediaId],
  ['medium', ({ mediaUri }) => mediaUri],
  ['media_type', ({ mediaType }) => mediaType],
  ['task', ({ task }) => task],
  ['action', ({ action }) => action],
  ['algorithm', ({ algorithm }) => algorithm],
  ['type', ({ type }) => type],
  ['class', (hit) => hit.class],
  ['person', ({ person }) => person?.name],
  ['text', ({ snippet }) => snippet.text],
  ['colour', ({ colour }) => colour],
  ['track_id', ({ trackId }) => trackId],
  ['track_confidence', ({ confidence }) => confidence],
  ['track_start_ms', ({ startOffsetTime }) => startOffsetTime],
  ['track_stop_ms', ({ stopOffsetTime }) => stopOffsetTime],
  ['page', ({ page }) => page?.number],
  ['frame', ({ frame }) => frame],
  ['upright_x', ({ box }) => box?.x],
  ['upright_y', ({ box }) => box?.y],
  ['upright_width', ({ box }) => box?.width],
  ['upright_height', ({ box }) => box?.height],
  ['seen', ({ stream, jobEndDate }) => stream?.startDate ?? jobEndDate],
];

/** Returns the hits as CSV (RFC 4180). */
export const csvOf = (hits: readonly Hit[]): string =>
  [COLUMNS.map(([name]) => name), ...hits.map((hit) => COLUMNS.map(([, valueOf]) => cellOf(valueOf(hit))))]
    .map((cells) => `${cells.join(',')}\r\n`)
    .join('');

/** Spreadsheets run text as a formula if it begins with one of these characters. An apostrophe before it prevents this. */
const COMPUTED = /^[=+\-@\t\r\n'\uff1d\uff0b\uff0d\uff20]/;

function cellOf(value: string | number | null | undefined): string {
  if (value == null) return '';
  if (typeof value === 'number') return String(value);
  const safe = COMPUTED.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
