/** State of tracks in zones between two sightings. Plain data, so that another component can take over the stream. */
import type { Passage } from './track-properties.ts';
import type { Point, SeenBox } from './types.ts';

export interface Visit {
  /** Time at which the track entered the zone. */
  readonly since: number;
  /** Time in the zone, without jumps of the clock. */
  readonly dwellMs: number;
  /** Confidence of the most certain detection of the visit. */
  readonly confidence: number;
  /** Rules that already triggered in this visit. */
  readonly done: readonly string[];
}

export interface WatchedTrack {
  /** Stays the same if another component follows the track under another name. */
  readonly id: string;
  readonly class: string;
  readonly confidence: number;
  readonly at: number;
  readonly frame: number;
  readonly point: Point;
  readonly box: SeenBox;
  /** By zone. */
  readonly visits: Readonly<Record<string, Visit>>;
  /** Absent if the track touched no zone and no line. */
  readonly passed?: Passage;
}

export interface WatchState {
  /** By the name that the current component uses. */
  readonly tracks: Readonly<Record<string, WatchedTrack>>;
  /** By rule: time of its last event. */
  readonly last: Readonly<Record<string, number>>;
  /** COUNT rules whose number is reached. */
  readonly reached: readonly string[];
  /** Number of ignored sightings, because there were too many tracks. */
  readonly ignored: number;
}

export const NOTHING_SEEN: WatchState = { tracks: {}, last: {}, reached: [], ignored: 0 };

/** Maximum number of tracks at a time. */
export const MOST_TRACKS = 1_000;
/**
 * Maximum time between two sightings in milliseconds that counts as time in the zone. Beyond it, the clock jumped, or the stream was not
 * analyzed.
 */
export const LONGEST_STEP_MS = 60_000;
/** Maximum distance (share of the picture) at which a new track continues a track of a dead component. */
const NEAR = 0.2;

/** The track of an ended component that continues as this one. Undefined if there is none. */
export function followedTrack(
  left: ReadonlyMap<string, WatchedTrack>,
  { class: name, point, at }: Pick<WatchedTrack, 'class' | 'point' | 'at'>,
): string | undefined {
  let best: { readonly key: string; readonly distance: number } | undefined;
  for (const [key, one] of left) {
    if (one.class !== name || Math.abs(at - one.at) > LONGEST_STEP_MS) continue;
    const distance = Math.hypot(point[0] - one.point[0], point[1] - one.point[1]);
    if (distance <= NEAR && distance < (best?.distance ?? Infinity)) best = { key, distance };
  }
  return best?.key;
}

/** Time between two sightings that counts as time in the zone. */
export const stepBetween = (before: number, now: number): number =>
  now < before || now - before > LONGEST_STEP_MS ? 0 : now - before;
