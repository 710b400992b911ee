/** The current scene as a track; in a live stream, its parts within the segments. */
import type { FoundDetection, FoundTrack, Frame, LiveJob, OpenTracks } from '../../sdk/detector.ts';
import type { Cut } from './cuts.ts';

type Size = Pick<Frame, 'width' | 'height'>;

export class SceneTracks implements OpenTracks {
  /** The last frame that was looked at. */
  seen: number | undefined;
  readonly #first: number;
  readonly #live: LiveJob | undefined;
  #scene: Cut;
  #size: Size = { width: 0, height: 0 };
  #liveId: string | undefined;
  /** The first frame that was not told of yet. */
  #from: number;

  /** The first scene begins with frame `first`. */
  constructor(first: number, live: LiveJob | undefined) {
    this.#first = first;
    this.#live = live;
    this.#scene = { frame: first, unlikeness: 1 };
    this.#from = first;
    this.#liveId = live?.newTrack();
  }

  /** A frame of the scene that goes on. */
  look({ index, width, height }: Frame): void {
    this.seen = index;
    this.#size = { width, height };
    if (this.#liveId !== undefined) this.#live?.seen(this.#liveId, this.#whole(index), this.#from);
  }

  /** A cut is believed: answers the scene before it. It is believed late, so it may lie before the last border: then the border is it. */
  begin(cut: Cut, size: Size = this.#size): readonly FoundTrack[] {
    if (cut.frame <= this.#first) return [];
    this.#size = { width: size.width, height: size.height };
    const before = this.end(cut.frame - 1);
    this.#scene = cut;
    return before;
  }

  cut(last: number): readonly FoundTrack[] {
    return this.#part(last, true);
  }

  /** The scene ends with frame `last`, and another begins. */
  end(last: number): readonly FoundTrack[] {
    if (this.#liveId !== undefined) this.#live?.ended(this.#liveId);
    const part = this.#part(last, false);
    this.#scene = { frame: last + 1, unlikeness: 1 };
    this.#liveId = this.#live?.newTrack();
    return part;
  }

  /** The middle frame stands for the scene: first frames are often still blurred by the cut. */
  #part(last: number, open: boolean): readonly FoundTrack[] {
    const from = this.#from;
    if (this.seen === undefined || last < from) return [];
    this.#from = last + 1;
    const ofStream = this.#liveId === undefined ? {} : { liveId: this.#liveId, open };
    return [
      {
        startFrame: from,
        stopFrame: last,
        confidence: this.#scene.unlikeness,
        detections: [this.#whole(Math.floor((from + last) / 2))],
        ...ofStream,
      },
    ];
  }

  #whole(frame: number): FoundDetection {
    return { frame, x: 0, y: 0, ...this.#size, confidence: this.#scene.unlikeness };
  }
}
