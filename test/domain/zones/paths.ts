/**
 * Known paths of tracks in a picture of 1,000 x 1,000 pixels. Boxes are 2 x 2 pixels, with the point at the
 * centre of the lower edge.
 */
import { ZoneWatch } from '../../../domain/zones/watch.ts';
import type { Line, Point, Rule, Sighting, Zone, ZoneEvent, ZonePlan } from '../../../domain/zones/types.ts';

export const SIZE = { width: 1_000, height: 1_000 };
/** The centre of the picture. */
export const YARD: Zone = {
  name: 'yard',
  points: [
    [0.25, 0.25],
    [0.75, 0.25],
    [0.75, 0.75],
    [0.25, 0.75],
  ],
};
/** From top to bottom, so its right side is the left of the picture. */
export const DOOR: Line = {
  name: 'door',
  points: [
    [0.5, 0],
    [0.5, 1],
  ],
};

export const planOf = (...rules: readonly Rule[]): ZonePlan => ({ zones: [YARD], lines: [DOOR], rules });

export interface Step {
  readonly at: number;
  readonly point: Point;
  readonly track?: string;
  readonly class?: string;
  readonly confidence?: number;
}

export const sightingOf = ({
  at,
  point,
  track = 'a',
  class: name = 'person',
  confidence = 0.9,
}: Step): Sighting => ({
  track,
  type: 'CLASS',
  classification: name,
  confidence,
  at,
  frame: Math.max(0, Math.round(at / 40)),
  box: { x: point[0] * SIZE.width - 1, y: point[1] * SIZE.height - 2, width: 2, height: 2 },
});

export const see = (watch: ZoneWatch, ...steps: readonly Step[]): ZoneEvent[] =>
  steps.flatMap((step) => [...watch.see(sightingOf(step), SIZE)]);

/** One point every 200 ms. */
export const walk = (points: readonly Point[], rest: Partial<Step> = {}, from = 0): readonly Step[] =>
  points.map((point, index) => ({ ...rest, at: from + index * 200, point }));

export const standStill = (seconds: number, rest: Partial<Step> = {}, from = 0): readonly Step[] =>
  walk(
    Array.from({ length: seconds * 5 + 1 }, () => [0.5, 0.5] as const),
    rest,
    from,
  );

export const namesOf = (events: readonly ZoneEvent[]): readonly string[] =>
  events.map((event) => (event.type === 'crossed' ? `crossed ${event.direction}` : event.type));

export const ofType = <T extends ZoneEvent['type']>(events: readonly ZoneEvent[], type: T) =>
  events.filter((event): event is Extract<ZoneEvent, { type: T }> => event.type === type);
