/** Counts of events in zones and at lines. */
import type { ZoneEvent } from './types.ts';

export interface ZoneCounts {
  /** Number of tracks that began, by class. */
  readonly classes: Readonly<Record<string, number>>;
  /** `dwellMs`: total of all visits that ended. */
  readonly zones: Readonly<
    Record<string, { readonly entered: number; readonly left: number; readonly dwellMs: number }>
  >;
  readonly lines: Readonly<Record<string, { readonly toRight: number; readonly toLeft: number }>>;
  readonly rules: Readonly<Record<string, number>>;
}

export const NO_COUNTS: ZoneCounts = { classes: {}, zones: {}, lines: {}, rules: {} };

/** Maximum number of classes. Further ones are counted together, because a detector that reads text has unlimited classes. */
const MOST_CLASSES = 200;
const OTHERS = 'OTHER';

export function addEvent(counts: ZoneCounts, event: ZoneEvent): ZoneCounts {
  switch (event.type) {
    case 'trackBegan':
      return { ...counts, classes: plusOne(counts.classes, event.class) };
    case 'rule':
      return { ...counts, rules: plusOne(counts.rules, event.rule) };
    case 'entered':
    case 'left': {
      const { entered, left, dwellMs } = counts.zones[event.zone] ?? { entered: 0, left: 0, dwellMs: 0 };
      const zone =
        event.type === 'entered'
          ? { entered: entered + 1, left, dwellMs }
          : { entered, left: left + 1, dwellMs: dwellMs + event.dwellMs };
      return { ...counts, zones: { ...counts.zones, [event.zone]: zone } };
    }
    case 'crossed': {
      const { toRight, toLeft } = counts.lines[event.line] ?? { toRight: 0, toLeft: 0 };
      const isRight = event.direction === 'TO_RIGHT';
      const line = { toRight: toRight + (isRight ? 1 : 0), toLeft: toLeft + (isRight ? 0 : 1) };
      return { ...counts, lines: { ...counts.lines, [event.line]: line } };
    }
    case 'classChanged':
    case 'trackEnded':
      return counts;
  }
}

function plusOne(counts: Readonly<Record<string, number>>, name: string): Readonly<Record<string, number>> {
  const key = Object.hasOwn(counts, name) || Object.keys(counts).length < MOST_CLASSES ? name : OTHERS;
  return { ...counts, [key]: (counts[key] ?? 0) + 1 };
}
