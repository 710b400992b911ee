/** The current scene as a track. In a live stream, its parts are in the segments. */
import type { FoundDetection, FoundTrack, Frame, LiveJob, OpenTracks } from '../../sdk/detector.ts';
import type { Cut } from './cuts.ts';

type Size = Pick<Frame, 'width' | 'height'>;

export class SceneTracks implements OpenTracks {
  /** The last processed frame. */
  seen: number | undefined;
  readonly #first: number;
  readonly #live: LiveJob | undefined;
  #scene: Cut;
  #size: Size = { width: 0, height: 0 };
  #liveId: string | undefined;
  /** The first frame that was not reported yet. */
  #from: number;

  /** The first scene begins with frame `first`. */
  constructor(first: number, live: LiveJob | undefined) {
    this.#first = first;
    this.#live = live;
    this.#scene = { frame: first, unlikeness: 1 };
    this.#from = first;
    this.#liveId = live?.newTrack();
  }

  /** Adds a frame to the current scene. */
  look({ index, width, height }: Frame): void {
    this.seen = index;
    this.#size = { width, height };
    if (this.#liveId !== undefined) this.#live?.seen(this.#liveId, this.#whole(index), this.#from);
  }

  /**
   * Starts a new scene after a confirmed cut. Returns the previous scene. A cut is confirmed late and may be before the last border; then
   * the border is the cut.
   */
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

  /** Ends the scene with frame `last`, and starts another one. */
  end(last: number): readonly FoundTrack[] {
    if (this.#liveId !== undefined) this.#live?.ended(this.#liveId);
    const part = this.#part(last, false);
    this.#scene = { frame: last + 1, unlikeness: 1 };
    this.#liveId = this.#live?.newTrack();
    return part;
  }

  /** Returns the reported part. Its middle frame represents it, because first frames are often blurred by the cut. */
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
