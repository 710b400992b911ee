/**
 * The newest picture of each track, for its events. Of tracks in the newest frame, the pixels around the box are kept. When a track is
 * missed, they become a JPEG, so that few frames cost an encoding.
 */
import type { SeenBox } from '../../../domain/zones/types.ts';
import { cutOut, jpegOf, type Cutout } from './crops.ts';
import type { LiveFrame } from './source.ts';

/** Maximum number of tracks with a picture. Those without an event, or without a detection for the longest time, have none. */
const MOST_KEPT = 64;

export interface TrackPicture {
  /** Number and time of its frame. */
  readonly frame: number;
  readonly at: number;
  readonly jpeg: Promise<Buffer | undefined>;
}

interface Place {
  readonly frame: number;
  readonly at: number;
  readonly box: SeenBox;
  readonly hasEvent: boolean;
}

interface Kept extends Pick<TrackPicture, 'frame' | 'at'> {
  content: { readonly cutout: Cutout } | Pick<TrackPicture, 'jpeg'>;
}

export class TrackPictures {
  /** By track; the newest last. */
  readonly #kept = new Map<string, Kept>();
  /** The newest place of each track since the last frame. */
  #seen = new Map<string, Place>();

  see(track: string, place: Place): void {
    const hasEvent = place.hasEvent || this.#seen.get(track)?.hasEvent === true;
    this.#seen.set(track, { ...place, hasEvent });
  }

  /** Copies the pixels of the tracks that were found in this frame. */
  take(frame: LiveFrame): void {
    const seen = this.#seen;
    if (seen.size === 0) return;
    this.#seen = new Map();
    for (const [track, kept] of this.#kept) if (!seen.has(track)) void jpegIn(kept);
    const first = [...seen].toSorted(([, a], [, b]) => Number(b.hasEvent) - Number(a.hasEvent));
    for (const [track, { frame: index, at, box }] of first.slice(0, MOST_KEPT)) {
      const cutout = index === frame.index ? cutOut(frame, box) : undefined;
      if (cutout === undefined) continue;
      this.#kept.delete(track);
      this.#kept.set(track, { frame: index, at, content: { cutout } });
    }
    for (const track of this.#kept.keys()) if (this.#kept.size > MOST_KEPT) this.#kept.delete(track);
  }

  of(track: string): TrackPicture | undefined {
    const kept = this.#kept.get(track);
    return kept && { frame: kept.frame, at: kept.at, jpeg: jpegIn(kept) };
  }

  drop(track: string): void {
    this.#kept.delete(track);
    this.#seen.delete(track);
  }
}

function jpegIn(kept: Kept): TrackPicture['jpeg'] {
  if ('jpeg' in kept.content) return kept.content.jpeg;
  const jpeg = jpegOf(kept.content.cutout);
  kept.content = { jpeg };
  return jpeg;
}
