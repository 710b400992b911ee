/** The address of the clip of an event, for notifications. */

const BEFORE_EVENT_MS = 5_000;
const AFTER_EVENT_MS = 5_000;
/** Maximum length of an event in a clip. For longer events, the clip shows the end. */
const LONGEST_EVENT_MS = 600_000;
const LONGEST_DATE = 8.64e15;

export interface EventTimes {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Start of the event. Undefined if the event has no duration. */
  readonly since?: number | undefined;
}

/** Returns the path of a GET at this service. The GET waits until the end of the clip is recorded. */
export function clipOfEvent(job: number, { at, since = at }: EventTimes): string {
  const start = isoOf(Math.max(since, at - LONGEST_EVENT_MS) - BEFORE_EVENT_MS);
  return `/rest/streaming/jobs/${job}/recordings/clip.mp4?start=${start}&stop=${isoOf(at + AFTER_EVENT_MS)}`;
}

const isoOf = (at: number): string => new Date(Math.min(Math.max(at, 0), LONGEST_DATE)).toISOString();
