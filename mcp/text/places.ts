/** Times of media, and links to the page. */
import { z } from 'zod';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const CLOCK = /^(?:(?:(\d{1,4}):)?(\d{1,4}):)?(\d{1,7}(?:\.\d{1,3})?)$/;

/** Formats milliseconds such as `0:04.250` or `1:02:03.456`. */
export function clock(ms: number): string {
  const two = (n: number) => String(n).padStart(2, '0');
  const hours = Math.floor(ms / HOUR_MS);
  const minutes = Math.floor((ms % HOUR_MS) / MINUTE_MS);
  const seconds = Math.floor((ms % MINUTE_MS) / SECOND_MS);
  const rest = String(Math.floor(ms % SECOND_MS)).padStart(3, '0');
  return `${hours === 0 ? minutes : `${hours}:${two(minutes)}`}:${two(seconds)}.${rest}`;
}

/** Returns the range of times, or a single time. */
export const clockRange = (from: number, to: number): string =>
  to <= from ? clock(from) : `${clock(from)} to ${clock(to)}`;

/** A time in a medium as an agent writes it, converted to milliseconds. */
export const mediumTime = z
  .union([
    z.number().min(0).max(10_000_000),
    z.string().regex(CLOCK, { error: 'must be like 83.5 or 1:23.5' }),
  ])
  .describe('Seconds (83.5) or minutes and seconds ("1:23.5")');

export function millisecondsOf(given: z.output<typeof mediumTime>): number {
  if (typeof given === 'number') return Math.round(given * SECOND_MS);
  const [, hours = '0', minutes = '0', seconds = '0'] = CLOCK.exec(given) ?? [];
  return Math.round(Number(hours) * HOUR_MS + Number(minutes) * MINUTE_MS + Number(seconds) * SECOND_MS);
}

export const hasTimes = (mediaType: string): boolean => mediaType === 'VIDEO' || mediaType === 'AUDIO';

/** Returns the address of a job in the web page, or of a medium at a time. */
export function linkTo(pageUrl: string, job: string, medium?: number, ms?: number): string {
  const place = medium === undefined ? '' : `/media/${medium}`;
  const time = ms === undefined ? '' : `?t=${Math.round(ms)}`;
  return `${pageUrl}/#/jobs/${encodeURIComponent(job)}${place}${time}`;
}

/** Returns the address of a streaming job in the web page. */
export const linkToStream = (pageUrl: string, job: string): string =>
  `${pageUrl}/#/streams/${encodeURIComponent(job)}`;

/** Returns a count such as `1 hit` or `2 hits`. */
export const countOf = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;
