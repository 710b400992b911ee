/** One call of a detector on a live stream. It gets frames one by one, and several calls can take turns over the same frames. */
import { firstIndex } from '../../../../domain/first-index.ts';
import type { FrameTransform } from '../../../../media/picture/transform.ts';
import type { DetectionJob, Detector, FoundTrack, Frame, FrameSource } from '../../../sdk/detector.ts';
import { placeDetection } from '../../report.ts';
import type { LiveTracks } from '../live-tracks.ts';
import type { StreamShaper } from '../segments/stream-shaper.ts';

export interface CallParts {
  readonly detector: Detector;
  readonly job: Omit<DetectionJob, 'live'>;
  /** Place of the action among those of the stream. */
  readonly action: number;
  readonly isHidden: boolean;
  readonly tracks: LiveTracks;
  readonly shaper: StreamShaper;
  /** Of the stream's pictures. */
  readonly size: { readonly width: number; readonly height: number };
  readonly source: Omit<FrameSource, 'frames'>;
  /** Takes what it finds. */
  add(call: DetectorCall, track: FoundTrack): void;
}

/** How a detector sees a frame, and where in the picture its findings are. */
type View = Pick<FrameTransform, 'toMedium'>;

export class DetectorCall {
  readonly tracks: LiveTracks;
  readonly shaper: StreamShaper;
  readonly action: number;
  readonly isHidden: boolean;
  readonly #signal: AbortSignal;
  /** Since the last border of a segment, by frame; a view that does not change is there once. */
  #views: (readonly [frame: number, view: View])[] = [];
  /** The detector waits for a frame. */
  #give: ((frame: Frame | undefined) => void) | undefined;
  #isOver = false;
  #isLeft = false;
  #failure: { readonly error: unknown } | undefined;
  /** Waits until the detector wants a frame or has ended. */
  #onTurn: (() => void) | undefined;

  constructor(parts: CallParts) {
    const { tracks, shaper, action, isHidden, size, job } = parts;
    this.tracks = tracks;
    this.shaper = shaper;
    this.action = action;
    this.isHidden = isHidden;
    this.#signal = job.signal;
    tracks.begin({
      size,
      place: (detection) => placeDetection(detection, this.viewOf(detection.frame)),
      single: (detection, type) => shaper.single(detection, type),
    });
    void this.#run(parts);
  }

  /** The detector has ended by itself. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Resolves when the detector is done with the frame; rejects with its error, unless it was broken off. */
  async look(frame: Frame, view: View): Promise<void> {
    await this.#turn();
    if (this.#give === undefined) return;
    if (this.#views.at(-1)?.[1] !== view) this.#views.push([frame.index, view]);
    this.#answer(frame);
    await this.#turn();
  }

  /** No more frames come: resolves when the detector has told all that it found. */
  async end(): Promise<void> {
    await this.#turn();
    if (this.#give === undefined) return;
    this.#answer(undefined);
    await this.#turn();
  }

  /** How the picture lay before the detector. */
  readonly viewOf = (frame: number): View => {
    const after = firstIndex(this.#views.length, (index) => this.#views[index]![0] > frame);
    return this.#views[Math.max(0, after - 1)]![1];
  };

  /** Another segment begins: nothing is told of frames before it any more. */
  border(): void {
    this.#views = this.#views.slice(-1);
    this.tracks.border();
  }

  /** Nobody waits for it any more. */
  leave(): void {
    this.tracks.leave();
    this.#isLeft = true;
    this.#give?.(undefined);
  }

  async #run({ detector, job, source, tracks, add }: CallParts): Promise<void> {
    const asked = detector.followsStreams === true ? { ...job, live: tracks } : job;
    try {
      for await (const track of detector.video!({ ...source, frames: () => this.#frames() }, asked))
        if (!this.#isLeft) add(this, track);
    } catch (error) {
      // What it has found until it was broken off is told all the same.
      if (!this.#signal.aborted) this.#failure = { error };
    }
    this.#isOver = true;
    this.#give = undefined;
    this.#onTurn?.();
  }

  async *#frames(): AsyncGenerator<Frame> {
    for (;;) {
      const frame = await new Promise<Frame | undefined>((resolve) => {
        this.#give = resolve;
        this.#onTurn?.();
      });
      if (frame === undefined) return;
      yield frame;
    }
  }

  #answer(frame: Frame | undefined): void {
    const give = this.#give!;
    this.#give = undefined;
    give(frame);
  }

  /** Not by `Promise.race`, which would keep what waits for each frame. */
  async #turn(): Promise<void> {
    if (this.#give === undefined && !this.#isOver)
      await new Promise<void>((resolve) => {
        this.#onTurn = resolve;
      });
    this.#onTurn = undefined;
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure !== undefined) throw failure.error;
  }
}
