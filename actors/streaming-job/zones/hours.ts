/** Counts of events by hour. The state of the job contains the last hours, and its rows contain all of them. */
import { addEvent, NO_COUNTS, type ZoneCounts } from '../../../domain/zones/counts.ts';
import type { ZoneEvent } from '../../../domain/zones/types.ts';
import type { Row } from '../../../store/store.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Number of hours in the state, because late events may belong to an earlier hour. */
const HOURS_IN_STATE = 3;
/** Age in days after which counts are removed. */
export const DAYS_OF_COUNTS = 31;
/** Number of days without events that may pass. A later day removes the rows of all of them. */
const DAYS_OF_GAPS = 31;
export const HOUR_ROWS = 'hour/';

type Hours = Readonly<Record<string, ZoneCounts>>;

/** Returns the counts after these events, and the changed rows. */
export function countEvents(
  hours: Hours,
  events: readonly ZoneEvent[],
): { readonly hours: Hours; readonly putRows: readonly Row[]; readonly removeRows: readonly string[] } {
  const changed = new Map<string, ZoneCounts>();
  for (const event of events) {
    const hour = String(Math.floor(event.at / HOUR_MS) * HOUR_MS);
    changed.set(hour, addEvent(changed.get(hour) ?? hours[hour] ?? NO_COUNTS, event));
  }
  const all = Object.entries({ ...hours, ...Object.fromEntries(changed) });
  const last = all.toSorted(([a], [b]) => Number(b) - Number(a)).slice(0, HOURS_IN_STATE);
  return {
    hours: Object.fromEntries(last),
    putRows: [...changed].map(([hour, body]) => ({ key: keyOf(Number(hour)), body })),
    removeRows: [...changed.keys()].filter((hour) => hours[hour] === undefined).flatMap(oldDays),
  };
}

const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);
const keyOf = (hour: number): string =>
  `${HOUR_ROWS}${dayOf(hour)}/${new Date(hour).toISOString().slice(11, 13)}`;

const oldDays = (hour: string): readonly string[] =>
  Array.from(
    { length: DAYS_OF_GAPS },
    (_, day) => `${HOUR_ROWS}${dayOf(Number(hour) - (DAYS_OF_COUNTS + day) * DAY_MS)}/`,
  );

/** Returns the start of the hour of a row, in milliseconds since the epoch. */
export const hourOfRow = (key: string): number =>
  Date.parse(`${key.slice(HOUR_ROWS.length).replace('/', 'T')}:00:00Z`);
