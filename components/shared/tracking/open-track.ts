/**
 * A track that is still open. In a live stream it may be open for weeks. At each border of a segment it returns its new detections and
 * keeps only what tracking needs.
 */
import type { FoundDetection, FoundTrack, LiveJob } from '../../sdk/detector.ts';

/** All that was found of a track, or in a live stream what was found since the last border. */
export type TrackPart = Pick<FoundTrack, 'detections' | 'type' | 'liveId' | 'open'>;

export interface Following {
  readonly live?: LiveJob | undefined;
  /** The type of the tracks; that of the algorithm when absent. */
  readonly type?: string | undefined;
  /** A track with fewer detections does not count; 1 when absent. */
  readonly minDetections?: number | undefined;
}

export class OpenTrack {
  last: FoundDetection;
  /** The last but one. */
  before: FoundDetection | undefined;
  /** Looked-at frames since the last detection. */
  missed = 0;
  readonly #following: Following;
  readonly #liveId: string | undefined;
  #part: FoundDetection[] = [];
  #count = 0;

  constructor(first: FoundDetection, following: Following) {
    this.#following = following;
    this.#liveId = following.live?.newTrack(following.type);
    this.last = first;
    this.#take(first);
  }

  add(detection: FoundDetection): void {
    this.before = this.last;
    this.last = detection;
    this.missed = 0;
    this.#take(detection);
  }

  /** What was found since the last border; undefined when there is nothing to tell of. */
  cut(): TrackPart | undefined {
    return this.#give(true);
  }

  /** The same, of a track that is over. */
  end(): TrackPart | undefined {
    if (this.#liveId !== undefined) this.#following.live?.ended(this.#liveId);
    return this.#give(false);
  }

  #take(detection: FoundDetection): void {
    this.#part.push(detection);
    this.#count++;
    const { live } = this.#following;
    if (this.#liveId === undefined) return;
    if (this.#counts()) live?.seen(this.#liveId, detection, this.#part[0]?.frame);
    else live?.mayCount(this.#liveId, detection);
  }

  #counts(): boolean {
    return this.#count >= (this.#following.minDetections ?? 1);
  }

  #give(open: boolean): TrackPart | undefined {
    const detections = this.#part;
    this.#part = [];
    if (detections.length === 0 || !this.#counts()) return undefined;
    const { type } = this.#following;
    return {
      detections,
      ...(type === undefined ? {} : { type }),
      ...(this.#liveId === undefined ? {} : { liveId: this.#liveId, open }),
    };
  }
}

/** Parts of those tracks that have any. */
export function partsOf(
  tracks: readonly OpenTrack[],
  part: (track: OpenTrack) => TrackPart | undefined,
): TrackPart[] {
  return tracks.flatMap((track) => part(track) ?? []);
}

/** A track as confident as its best detection. */
export function asTrack(part: TrackPart): FoundTrack {
  const confidence = part.detections.reduce((best, one) => Math.max(best, one.confidence), 0);
  return { ...part, confidence };
}
