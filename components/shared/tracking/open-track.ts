/**
 * A track that is still open. In a live stream it may be open for weeks. At each border of a segment it returns its new detections and
 * keeps only what tracking needs.
 */
import type { FoundDetection, FoundTrack, LiveJob } from '../../sdk/detector.ts';

/** A whole track, or in a live stream the part since the last segment border. */
export type TrackPart = Pick<FoundTrack, 'detections' | 'type' | 'liveId' | 'open'>;

export interface Following {
  readonly live?: LiveJob | undefined;
  /** Type of the tracks; by default the type of the algorithm. */
  readonly type?: string | undefined;
  /** Minimum number of detections of a track; 1 if undefined. */
  readonly minDetections?: number | undefined;
}

export class OpenTrack {
  last: FoundDetection;
  /** The detection before the last one. */
  before: FoundDetection | undefined;
  /** Number of processed frames since the last detection. */
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

  /** Returns the detections since the last border; undefined if the track has nothing to report. */
  cut(): TrackPart | undefined {
    return this.#give(true);
  }

  /** Returns the same for a track that has ended. */
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

/** Returns the parts of all tracks that have one. */
export function partsOf(
  tracks: readonly OpenTrack[],
  part: (track: OpenTrack) => TrackPart | undefined,
): TrackPart[] {
  return tracks.flatMap((track) => part(track) ?? []);
}

/** Makes a track with the confidence of its best detection. */
export function asTrack(part: TrackPart): FoundTrack {
  const confidence = part.detections.reduce((best, one) => Math.max(best, one.confidence), 0);
  return { ...part, confidence };
}
