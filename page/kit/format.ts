/** Formats values in the language and the time zone of the browser. */
import { TEXT } from './text.ts';

const DAY_MS = 86_400_000;
const time = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });
const dateAndTime = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const number = new Intl.NumberFormat();

/** Returns a time. A time within the last day has no date. */
export function moment(iso: string | null | undefined): string {
  if (iso === null || iso === undefined) return '';
  const at = new Date(iso);
  return Date.now() - at.getTime() < DAY_MS ? time.format(at) : dateAndTime.format(at);
}

const hour = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });
const day = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' });
const dayOfYear = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });

/** Returns a time of day without seconds such as `14:00`, from milliseconds. */
export const hourText = (at: number): string => hour.format(at);

/** Returns a date such as `Today 11:03` or `12 Mar 11:03`. A date of another year contains the year. */
export function dateText(iso: string, now = new Date()): string {
  const at = new Date(iso);
  const yesterday = new Date(now.getFullYear(), now.getMonth(), now.getDate() - 1);
  if (at.toDateString() === now.toDateString()) return TEXT.kit.today(hour.format(at));
  if (at.toDateString() === yesterday.toDateString()) return TEXT.kit.yesterday(hour.format(at));
  const date = at.getFullYear() === now.getFullYear() ? day.format(at) : dayOfYear.format(at);
  return `${date} ${hour.format(at)}`;
}

/** Formats milliseconds such as `3 min 20 s`. */
export function duration(ms: number): string {
  if (ms < 1_000) return TEXT.kit.ms(Math.round(ms));
  const seconds = ms / 1_000;
  if (seconds < 60) return TEXT.kit.s(seconds.toFixed(seconds < 10 ? 1 : 0));
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return TEXT.kit.minS(minutes, Math.floor(seconds % 60));
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? TEXT.kit.hMin(hours, minutes % 60) : TEXT.kit.days(Math.floor(hours / 24));
}

/** Formats a position in a video such as `1:02:03.456`, from milliseconds. */
export function clock(ms: number): string {
  const whole = Math.floor(ms / 1_000);
  const parts = [Math.floor(whole / 3_600), Math.floor((whole % 3_600) / 60), whole % 60];
  const [hours, minutes, seconds] = parts.map((part) => String(part).padStart(2, '0'));
  const fraction = String(Math.floor(ms % 1_000)).padStart(3, '0');
  return `${parts[0] === 0 ? '' : `${hours}:`}${minutes}:${seconds}.${fraction}`;
}

/** Formats a round interval such as `10 minutes`. */
export function intervalText(ms: number): string {
  const { hour: oneHour, hours, minute, minutes, second, seconds } = TEXT.units;
  const [n, one, many] =
    ms % 3_600_000 === 0
      ? [ms / 3_600_000, oneHour, hours]
      : ms % 60_000 === 0
        ? [ms / 60_000, minute, minutes]
        : [ms / 1_000, second, seconds];
  return n === 1 ? one : `${n} ${many}`;
}

/** Formats a position in a medium such as `1:02`, and below ten seconds `0:04.2`. Players show positions in the same way. */
export function timeText(ms: number): string {
  const tenths = Math.round(ms / 100);
  const seconds = Math.floor(tenths / 10);
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60];
  const two = (n: number) => String(n).padStart(2, '0');
  if (hours > 0) return `${hours}:${two(minutes)}:${two(seconds % 60)}`;
  return `${minutes}:${two(seconds % 60)}.${tenths % 10}`;
}

export const count = (n: number) => number.format(n);

/** Returns `3 jobs` or `1 job`. */
export const countText = (n: number, one: string, many: string = TEXT.units.several(one)) =>
  `${count(n)} ${n === 1 ? one : many}`;

export function bytes(n: number): string {
  if (n < 1_024) return `${n} B`;
  const units = ['KiB', 'MiB', 'GiB', 'TiB'];
  let value = n / 1_024;
  let unit = 0;
  for (; value >= 1_024 && unit < units.length - 1; unit++) value /= 1_024;
  return `${value.toFixed(value < 10 ? 1 : 0)} ${units[unit]}`;
}

/** Returns a text such as `about 45 s left`. */
export const leftText = ({ seconds, atLeast }: { readonly seconds: number; readonly atLeast: boolean }) =>
  TEXT.kit[atLeast ? 'atLeastTimeLeft' : 'timeLeft'](
    seconds < 60 ? TEXT.kit.s(seconds) : TEXT.kit.min(Math.ceil(seconds / 60)),
  );

/** Returns the last part of a URI or path. */
export function fileName(uri: string): string {
  const [path = ''] = uri.split(/[?#]/);
  const name = path.replace(/\/+$/, '').split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(name) || uri;
  } catch {
    return name;
  }
}

/** Returns a code such as `COMPLETE_WITH_ERRORS` as plain words. */
export function words(code: string): string {
  const text = code.replaceAll('_', ' ').toLowerCase();
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Acronyms that are in upper case also within a sentence. */
const ACRONYMS = /\b(api|ai|clip|id|llm|ocr|onnx|pdf|qr|vlm|yolo)\b/gi;

/** Returns a title such as `Face detection` for FACE DETECTION PIPELINE. */
export const elementTitle = (name: string): string =>
  words(name.replace(/ (PIPELINE|TASK|ACTION)$/, '').replace(/ (SOURCE|DERIVATIVE) MEDIA ONLY$/, ''))
    .replaceAll(ACRONYMS, (part) => part.toUpperCase())
    .replaceAll(/\b(openai|kserve)\b/gi, (part) => (/open/i.test(part) ? 'OpenAI' : 'KServe'));
