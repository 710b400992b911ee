/** What is known of tracks in zones between two sightings. Plain data: whoever takes a stream over continues with it. */
import type { Point, SeenBox } from './types.ts';

export interface Visit {
  /** When the track came into the zone. */
  readonly since: number;
  /** Time in the zone, without jumps of the clock. */
  readonly dwellMs: number;
  /** Of the surest detection of the visit. */
  readonly confidence: number;
  /** Rules that had their event of this visit. */
  readonly done: readonly string[];
}

export interface WatchedTrack {
  /** The same when another component follows it under another name. */
  readonly id: string;
  readonly class: string;
  readonly confidence: number;
  readonly at: number;
  readonly frame: number;
  readonly point: Point;
  readonly box: SeenBox;
  /** By zone. */
  readonly visits: Readonly<Record<string, Visit>>;
}

export interface WatchState {
  /** By the name that whoever follows it uses now. */
  readonly tracks: Readonly<Record<string, WatchedTrack>>;
  /** By rule: its last event. */
  readonly last: Readonly<Record<string, number>>;
  /** COUNT rules whose number is reached. */
  readonly reached: readonly string[];
  /** Sightings that were left out, as too many tracks were there. */
  readonly ignored: number;
}

export const NOTHING_SEEN: WatchState = { tracks: {}, last: {}, reached: [], ignored: 0 };

/** Tracks that are watched at a time. */
export const MOST_TRACKS = 1_000;
/**
 * Two sightings that lie further apart (milliseconds) do not count as time in the zone: the clock jumped, or the stream was not
 * analyzed.
 */
export const LONGEST_STEP_MS = 60_000;
/** A track of a component that died is taken up by a track that begins so near (share of the picture). */
const NEAR = 0.2;

/** The track of an ended component that continues as this one; undefined: none does. */
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

/** Time between two sightings that counts. */
export const stepBetween = (before: number, now: number): number =>
  now < before || now - before > LONGEST_STEP_MS ? 0 : now - before;
