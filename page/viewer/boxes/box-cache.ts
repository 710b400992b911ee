import type { Box, BoxPage } from '../../kit/findings/types.ts';

/** Number of frames in one request. */
const WINDOW = 50;
/** Number of frames in the first request after a jump. The reader waits for these frames. */
const JUMP = 10;
/** Number of frames fetched ahead of the current one. */
const AHEAD = 75;
/** Number of boxes at which fetching ahead stops. More boxes would displace those of the current frames. */
const AHEAD_BOXES = 40_000;
/** Maximum number of boxes kept, and of stretches of frames, which may be empty. */
const [KEPT_BOXES, KEPT_STRETCHES] = [100_000, 200];
/** Delay before fetching ahead, so that a reader who jumps does not wait for boxes of the earlier place: milliseconds. */
const SETTLED_MS = 60;
/** Time until a failed request is repeated: milliseconds. */
const AGAIN_MS = 5_000;

/** A range of frames whose boxes are known. */
interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly frames: ReadonlyMap<number, readonly Box[]>;
  readonly boxes: number;
}

interface Asking {
  readonly from: number;
  readonly to: number;
  readonly stop: AbortController;
}

export interface BoxCacheOptions {
  /** Returns the boxes from a frame on, up to the last frame that fits completely. */
  load(fromFrame: number, toFrame: number, signal: AbortSignal): Promise<BoxPage>;
  /** Called when more boxes are known. */
  onChange(): void;
  /** Number of frames of the medium. Nothing is fetched after the last one. */
  readonly frames?: number;
  readonly againMs?: number;
  readonly settledMs?: number;
}

/**
 * The boxes around the current frame. One request runs at a time, and moving to another place aborts a request for earlier boxes. The least
 * recently shown frames are removed.
 */
export class BoxCache {
  /** Known stretches. The most recently used one is the last. */
  #known: Stretch[] = [];
  /** Stretches known before the last refresh. They are shown until their frames are loaded again. */
  #stale: Stretch[] = [];
  #asking: Asking | undefined;
  /** True if the last answer contained fewer frames than requested. */
  #isDense = false;
  #isWaiting = false;
  #isClosed = false;
  /** The frame shown last. */
  #last = 0;
  #settling: ReturnType<typeof setTimeout> | undefined;
  readonly #options: BoxCacheOptions;

  constructor(options: BoxCacheOptions) {
    this.#options = options;
  }

  /** Number of boxes kept. */
  get size(): number {
    return this.#known.reduce((sum, { boxes }) => sum + boxes, 0);
  }

  /** Returns the boxes of a frame, and fetches the next frames ahead. Returns undefined while they are loading. */
  at(frame: number): readonly Box[] | undefined {
    const stretch = this.#stretchHolding(frame);
    if (stretch === undefined) {
      this.#want(frame);
      const before = this.#stale.findLast((one) => holds(one, frame));
      return before && (before.frames.get(frame) ?? []);
    }
    this.#known = [...this.#known.filter((one) => one !== stretch), stretch];
    this.#last = frame;
    this.#settling ??= setTimeout(() => this.#fetchAhead(), this.#options.settledMs ?? SETTLED_MS);
    return stretch.frames.get(frame) ?? [];
  }

  /** Marks all boxes as outdated, because more may be known. Frames are loaded again when they are shown. */
  refresh(): void {
    this.#stale = this.#known;
    this.#known = [];
    this.#asking?.stop.abort();
    this.#asking = undefined;
    this.#options.onChange();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#settling);
    this.#asking?.stop.abort();
  }

  #fetchAhead(): void {
    this.#settling = undefined;
    const next = this.#firstUnknown(this.#last);
    if (next !== undefined && this.#asking === undefined) this.#want(next);
  }

  #stretchHolding(frame: number): Stretch | undefined {
    return this.#known.findLast((one) => holds(one, frame));
  }

  /** Returns the next frame to fetch. Returns undefined if enough frames are known. */
  #firstUnknown(frame: number): number | undefined {
    let [next, boxes] = [frame, 0];
    for (let one = this.#stretchHolding(next); one !== undefined; one = this.#stretchHolding(next)) {
      next = one.to + 1;
      boxes += one.boxes;
      if (next > frame + AHEAD || boxes > AHEAD_BOXES) return undefined;
    }
    return next < (this.#options.frames ?? Infinity) ? next : undefined;
  }

  #want(frame: number): void {
    const { from, to } = this.#gapAround(frame);
    if (this.#isWaiting || this.#isClosed) return;
    if (this.#asking !== undefined && this.#asking.from <= frame && frame <= this.#asking.to) return;
    this.#asking?.stop.abort();
    // A reader who steps back needs the frames before this one. If frames have very many boxes, an answer from there might not reach this
    // frame.
    const first = to === frame && !this.#isDense ? Math.max(from, frame - WINDOW + 1) : frame;
    const many = from < frame && first === frame ? JUMP : WINDOW;
    this.#asking = { from: first, to: Math.min(to, first + many - 1), stop: new AbortController() };
    void this.#ask(this.#asking);
  }

  /** Returns the unknown frames around a frame. */
  #gapAround(frame: number): { readonly from: number; readonly to: number } {
    const before = this.#known.filter(({ to }) => to < frame).map(({ to }) => to + 1);
    const behind = this.#known.filter(({ from }) => from > frame).map(({ from }) => from - 1);
    return { from: Math.max(0, ...before), to: Math.min(Infinity, ...behind) };
  }

  async #ask(asking: Asking): Promise<void> {
    const { from, to, stop } = asking;
    try {
      const { boxes, toFrame } = await this.#options.load(from, to, stop.signal);
      if (stop.signal.aborted) return;
      this.#isDense = toFrame < to;
      this.#known.push(stretchOf(boxes, from, Math.min(to, toFrame)));
      this.#forgetSome();
    } catch {
      if (stop.signal.aborted) return;
      // The server may be overloaded.
      this.#isWaiting = true;
      setTimeout(() => {
        this.#isWaiting = false;
        if (!this.#isClosed) this.#options.onChange();
      }, this.#options.againMs ?? AGAIN_MS);
    }
    this.#asking = undefined;
    this.#options.onChange();
  }

  /** Removes the oldest stretches. The newest one is kept whatever its size. */
  #forgetSome(): void {
    while (this.#known.length > 1 && (this.size > KEPT_BOXES || this.#known.length > KEPT_STRETCHES))
      this.#known.shift();
  }
}

const holds = ({ from, to }: Stretch, frame: number) => from <= frame && frame <= to;

function stretchOf(boxes: readonly Box[], from: number, to: number): Stretch {
  const frames = new Map<number, Box[]>();
  for (const box of boxes) {
    const others = frames.get(box.frame);
    if (others === undefined) frames.set(box.frame, [box]);
    else others.push(box);
  }
  return { from, to, frames, boxes: boxes.length };
}
