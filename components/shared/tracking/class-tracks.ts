import type { FoundDetection, FoundTrack, OpenTracks } from '../../sdk/detector.ts';
import type { Following, TrackPart } from './open-track.ts';
import { Tracker, type TrackingRules } from './tracker.ts';

/** Tracks each class separately, because a track has one class. */
export class ClassTracks implements OpenTracks {
  readonly #trackers = new Map<string, Tracker>();
  readonly #rules: TrackingRules;
  readonly #following: Following;
  readonly #asTrack: (part: TrackPart) => FoundTrack;

  constructor(rules: TrackingRules, following: Following, asTrack: (part: TrackPart) => FoundTrack) {
    this.#rules = rules;
    this.#following = following;
    this.#asTrack = asTrack;
  }

  /** Adds the detections of the next frame, by class. Yields the tracks that it ended. */
  *next(frame: number, found: ReadonlyMap<string, readonly FoundDetection[]>): Iterable<FoundTrack> {
    for (const name of found.keys())
      if (!this.#trackers.has(name)) this.#trackers.set(name, new Tracker(this.#rules, this.#following));
    for (const [name, tracker] of this.#trackers)
      yield* tracker.next(frame, found.get(name) ?? []).map(this.#asTrack);
  }

  cut(): readonly FoundTrack[] {
    return this.#parts((tracker) => tracker.cut());
  }

  end(): readonly FoundTrack[] {
    return this.#parts((tracker) => tracker.finish());
  }

  #parts(of: (tracker: Tracker) => readonly TrackPart[]): readonly FoundTrack[] {
    return [...this.#trackers.values()].flatMap((tracker) => of(tracker).map(this.#asTrack));
  }
}
