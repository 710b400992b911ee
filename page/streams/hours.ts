/** Counts per hour of a camera for its chart, without a browser. */
import type { z } from 'zod';
import type { hourlyCounts } from '../../http/schemas/streaming/stream-zones.ts';
import { hueOf, trackHue } from '../kit/colours.ts';
import type { PlotLine } from '../kit/chart/plot-data.ts';
import { TEXT } from '../kit/text.ts';
import { findingTitle, keyOf } from '../library/labels.ts';

export type HourlyCounts = z.output<typeof hourlyCounts>;
type Hour = HourlyCounts['hours'][number];

export const HOUR_MS = 3_600_000;
/** Number of hours in the chart. */
export const HOURS = 24;

/** What is counted, in the order in which it is offered. */
export const COUNTED = ['zones', 'lines', 'rules', 'classes'] as const;
export type Counted = (typeof COUNTED)[number];

/** Returns the start of the 24 hours that end with the hour of `until`. */
export const firstHour = (until: number): number =>
  Math.floor(until / HOUR_MS) * HOUR_MS - (HOURS - 1) * HOUR_MS;

/** Returns the kinds that have counts. */
export const countedKinds = ({ hours }: HourlyCounts): readonly Counted[] =>
  COUNTED.filter((kind) => hours.some((hour) => Object.keys(hour[kind]).length > 0));

/** Returns the lines of a kind, the largest sum first. Each has a value for each of the 24 hours. */
export function hourLines({ hours }: HourlyCounts, kind: Counted, from: number): readonly PlotLine[] {
  const lines = new Map<string, number[]>();
  for (const hour of hours) {
    const place = Math.round((Date.parse(hour.start) - from) / HOUR_MS);
    if (place < 0 || place >= HOURS) continue;
    for (const [title, n] of countsOf(hour, kind)) {
      const values = lines.get(title) ?? Array<number>(HOURS).fill(0);
      values[place]! += n;
      lines.set(title, values);
    }
  }
  return [...lines]
    .filter(([, values]) => sumOf(values) > 0)
    .toSorted(([, a], [, b]) => sumOf(b) - sumOf(a))
    .map(([title, values], n) => ({ title: titleOf(kind, title), hue: hueIn(kind, title, n), values }));
}

export const sumOf = (values: readonly number[]): number => values.reduce((sum, n) => sum + n, 0);

function countsOf(hour: Hour, kind: Counted): readonly (readonly [string, number])[] {
  switch (kind) {
    case 'zones':
      return Object.entries(hour.zones).flatMap(([name, { entered, left }]) => [
        [TEXT.streams.enteredZone(name), entered] as const,
        [TEXT.streams.leftZone(name), left] as const,
      ]);
    case 'lines':
      return Object.entries(hour.lines).flatMap(([name, { toRight, toLeft }]) => [
        [TEXT.streams.toTheRight(name), toRight] as const,
        [TEXT.streams.toTheLeft(name), toLeft] as const,
      ]);
    case 'rules':
    case 'classes':
      return Object.entries(hour[kind]);
  }
}

const classNamed = (name: string) => ({ type: name, class: null });

const titleOf = (kind: Counted, title: string) =>
  kind === 'classes' ? findingTitle(classNamed(title)) : title;

/** A class has its colour of all views. Others have different colours. */
const hueIn = (kind: Counted, title: string, n: number) =>
  kind === 'classes' ? hueOf(keyOf(classNamed(title))) : trackHue('person', n);
