/** One call of a detector on a live stream. It receives frames one by one, and several calls can process the same frames in turn. */
import { firstIndex } from '../../../../domain/first-index.ts';
import type { FrameTransform } from '../../../../media/picture/transform.ts';
import type { DetectionJob, Detector, FoundTrack, Frame, FrameSource } from '../../../sdk/detector.ts';
import { placeDetection } from '../../report.ts';
import type { LiveTracks } from '../live-tracks.ts';
import type { StreamShaper } from '../segments/stream-shaper.ts';

export interface CallParts {
  readonly detector: Detector;
  readonly job: Omit<DetectionJob, 'live'>;
  /** Index of the action in the stream. */
  readonly action: number;
  readonly isHidden: boolean;
  readonly tracks: LiveTracks;
  readonly shaper: StreamShaper;
  /** Size of the stream's pictures. */
  readonly size: { readonly width: number; readonly height: number };
  readonly source: Omit<FrameSource, 'frames'>;
  /** Receives the results of the detector. */
  add(call: DetectorCall, track: FoundTrack): void;
}

/** The detector's view of a frame, which maps its results to the picture. */
type View = Pick<FrameTransform, 'toMedium'>;

export class DetectorCall {
  readonly tracks: LiveTracks;
  readonly shaper: StreamShaper;
  readonly action: number;
  readonly isHidden: boolean;
  readonly #signal: AbortSignal;
  /** Views since the last segment border, by frame. An unchanged view is stored once. */
  #views: (readonly [frame: number, view: View])[] = [];
  /** Resolves the detector's pending request for a frame. */
  #give: ((frame: Frame | undefined) => void) | undefined;
  #isOver = false;
  #isLeft = false;
  #failure: { readonly error: unknown } | undefined;
  /** Resolves `#turn` when the detector requests a frame or has ended. */
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

  /** True if the detector has ended. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Resolves when the detector has processed the frame. Rejects with its error, unless it was aborted. */
  async look(frame: Frame, view: View): Promise<void> {
    await this.#turn();
    if (this.#give === undefined) return;
    if (this.#views.at(-1)?.[1] !== view) this.#views.push([frame.index, view]);
    this.#answer(frame);
    await this.#turn();
  }

  /** Ends the frames. Resolves when the detector has returned all its results. */
  async end(): Promise<void> {
    await this.#turn();
    if (this.#give === undefined) return;
    this.#answer(undefined);
    await this.#turn();
  }

  /** Returns the view in which the detector processed a frame. */
  readonly viewOf = (frame: number): View => {
    const after = firstIndex(this.#views.length, (index) => this.#views[index]![0] > frame);
    return this.#views[Math.max(0, after - 1)]![1];
  };

  /** Starts a new segment. Earlier frames get no more results. */
  border(): void {
    this.#views = this.#views.slice(-1);
    this.tracks.border();
  }

  /** Stops waiting for the detector. */
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
      // An aborted detector is no failure. Its results until then are reported.
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

  /** Does not use `Promise.race`, which would keep memory for each frame. */
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
