import type { Box, BoxPage } from '../types.ts';

/** Frames that are asked for at a time. */
const WINDOW = 50;
/** The first that are asked for after a jump: these are waited for. */
const JUMP = 10;
/** What is played soon is fetched so many frames ahead. */
const AHEAD = 75;
/** Unless they have as many boxes as this: what is fetched ahead must not drive out what is processed. */
const AHEAD_BOXES = 40_000;
/** What is kept at most: boxes, and stretches of frames, which may be empty. */
const [KEPT_BOXES, KEPT_STRETCHES] = [100_000, 200];
/** Whoever goes from place to place is not to wait for what was fetched ahead of the place before: milliseconds. */
const SETTLED_MS = 60;
/** Time after which the server is asked again when it could not answer: milliseconds. */
const AGAIN_MS = 5_000;

/** Frames whose boxes are all known. */
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
  /** Answers with the boxes from a frame on, up to the last one that fits whole. */
  load(fromFrame: number, toFrame: number, signal: AbortSignal): Promise<BoxPage>;
  /** Told when more boxes are known than before. */
  onChange(): void;
  /** Frames of the medium: behind the last there is nothing to be fetched. */
  readonly frames?: number;
  readonly againMs?: number;
  readonly settledMs?: number;
}

/**
 * The boxes around the frame that is shown. One request runs at a time, and moving on aborts the wait for earlier boxes. The least
 * recently shown frames are removed.
 */
export class BoxCache {
  /** The one that was looked at last stands behind all others. */
  #known: Stretch[] = [];
  /** Known before the last refresh: shown until they are known anew. */
  #stale: Stretch[] = [];
  #asking: Asking | undefined;
  /** Whether the last answer held fewer frames than were asked for. */
  #isDense = false;
  #isWaiting = false;
  #isClosed = false;
  /** The frame that was looked at last. */
  #last = 0;
  #settling: ReturnType<typeof setTimeout> | undefined;
  readonly #options: BoxCacheOptions;

  constructor(options: BoxCacheOptions) {
    this.#options = options;
  }

  /** Boxes that are held. */
  get size(): number {
    return this.#known.reduce((sum, { boxes }) => sum + boxes, 0);
  }

  /** The boxes of a frame; undefined: they are on their way. What comes next is fetched ahead. */
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

  /** There is more to know: all frames are asked for again when they are looked at. */
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

  /** The next frame that is worth fetching; undefined: enough is known. */
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
    // Whoever goes back frame by frame wants what lies before; of frames with very many boxes that may be too much to get as far as here.
    const first = to === frame && !this.#isDense ? Math.max(from, frame - WINDOW + 1) : frame;
    const many = from < frame && first === frame ? JUMP : WINDOW;
    this.#asking = { from: first, to: Math.min(to, first + many - 1), stop: new AbortController() };
    void this.#ask(this.#asking);
  }

  /** The frames around one of which nothing is known. */
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
      // The server may have too much to do.
      this.#isWaiting = true;
      setTimeout(() => {
        this.#isWaiting = false;
        if (!this.#isClosed) this.#options.onChange();
      }, this.#options.againMs ?? AGAIN_MS);
    }
    this.#asking = undefined;
    this.#options.onChange();
  }

  /** The newest is kept however large it is. */
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
