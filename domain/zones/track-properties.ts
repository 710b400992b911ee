/** Properties of tracks that were in zones or crossed lines. Names have no ";", "=" or ":" (see checks.ts). */
import type { Properties } from '../types.ts';
import type { ZoneEvent } from './types.ts';

/** The zones and lines that a track touched. Part of its state, so that another component can continue it. */
export interface Passage {
  /** Zones in the order of their first visits, with the milliseconds of all visits that ended. */
  readonly zones: readonly (readonly [zone: string, dwellMs: number])[];
  /** Lines with directions in the order of their first crossings: `door:TO_LEFT`. */
  readonly lines: readonly string[];
}

const NO_PASSAGE: Passage = { zones: [], lines: [] };

/** `events`: of one sighting of the track. Undefined as long as it touched nothing. */
export function passageAfter(before: Passage | undefined, events: readonly ZoneEvent[]): Passage | undefined {
  return events.reduce(passedOne, before);
}

function passedOne(before: Passage | undefined, event: ZoneEvent): Passage | undefined {
  const { zones, lines } = before ?? NO_PASSAGE;
  switch (event.type) {
    case 'entered':
    case 'left': {
      const dwell = new Map(zones);
      dwell.set(event.zone, (dwell.get(event.zone) ?? 0) + (event.type === 'left' ? event.dwellMs : 0));
      return { zones: [...dwell], lines };
    }
    case 'crossed':
      return { zones, lines: [...new Set([...lines, `${event.line}:${event.direction}`])] };
    case 'trackBegan':
    case 'classChanged':
    case 'trackEnded':
    case 'rule':
      return before;
  }
}

/** `openMs`: milliseconds of the visit to a zone that has not ended. */
export function passageProperties(
  { zones, lines }: Passage = NO_PASSAGE,
  openMs: (zone: string) => number = () => 0,
): Properties {
  const dwell = zones.map(([zone, ms]) => `${zone}=${Math.round(ms + openMs(zone))}`);
  return {
    ...(zones.length === 0
      ? {}
      : { ZONES: zones.map(([zone]) => zone).join(';'), ZONE_DWELL_MS: dwell.join(';') }),
    ...(lines.length === 0 ? {} : { LINES_CROSSED: lines.join(';') }),
  };
}
