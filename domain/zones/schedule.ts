/** Times of day of a rule, in its time zone. */
import { DAYS, type Day, type Schedule } from './types.ts';

const TIME = /^([01]\d|2[0-3]):([0-5]\d)$/;

/** Minutes since midnight. Undefined if the text is no time of day. */
export function minutesOf(text: string): number | undefined {
  const [, hours, minutes] = TIME.exec(text) ?? [];
  return hours === undefined ? undefined : Number(hours) * 60 + Number(minutes);
}

export function isTimeZone(name: string): boolean {
  try {
    formatOf(name);
    return true;
  } catch {
    return false;
  }
}

const FORMATS = new Map<string, Intl.DateTimeFormat>();
/** Maximum number of cached formats. There are few time zones, but each spelling counts as another name. */
const MOST_FORMATS = 500;

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = FORMATS.get(timeZone);
  if (known !== undefined) return known;
  if (FORMATS.size >= MOST_FORMATS) FORMATS.clear();
  const made = new Intl.DateTimeFormat('en-GB', {
    ...{ timeZone, hourCycle: 'h23' as const },
    ...{ weekday: 'short', hour: '2-digit', minute: '2-digit' },
  });
  FORMATS.set(timeZone, made);
  return made;
}

interface LocalTime {
  readonly day: number;
  readonly minutes: number;
}

function localTime(at: number, timeZone: string): LocalTime {
  const parts = formatOf(timeZone).formatToParts(at);
  const part = (type: string) => parts.find((one) => one.type === type)?.value ?? '';
  const day = DAYS.indexOf(part('weekday').toUpperCase() as Day);
  return { day, minutes: Number(part('hour')) * 60 + Number(part('minute')) };
}

/** True if a moment (milliseconds since the epoch) is within a schedule. `from` is included, `to` is not. */
export function isWithin({ from, to, timeZone = 'UTC', days = DAYS }: Schedule, at: number): boolean {
  const { day, minutes } = localTime(at, timeZone);
  const [start, stop] = [minutesOf(from) ?? 0, minutesOf(to) ?? 0];
  const begins = (which: number) => days.includes(DAYS[(which + DAYS.length) % DAYS.length]!);
  if (start < stop) return minutes >= start && minutes < stop && begins(day);
  return (minutes >= start && begins(day)) || (minutes < stop && begins(day - 1));
}
