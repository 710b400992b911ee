import type { FoundDetection, FoundTrack, OpenTracks } from '../../sdk/detector.ts';
import type { Following, TrackPart } from './open-track.ts';
import { Tracker, type TrackingRules } from './tracker.ts';

/** A track is of one class: each class is followed on its own. */
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

  /** Takes what was found in the next frame, by class; answers the tracks that ended by it. */
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
