import type { Box, BoxPage } from './types.ts';

/** Frames of a window, which is loaded in one go. */
const WINDOW = 100;
/** Time after which a window that could not be loaded is asked for again: milliseconds. */
const AGAIN_MS = 5_000;
/** Windows that are kept. */
const KEPT = 60;
/** Pages of a window that are loaded at most: of more boxes than that only the first are drawn. */
const MOST_PAGES = 20;

interface Loaded {
  readonly frames: Map<number, Box[]>;
  /** Boxes are known up to this frame. */
  upTo: number;
}

/** The boxes around the frame that is shown, loaded a window at a time; those not looked at for long are forgotten. */
export class BoxCache {
  readonly #windows = new Map<number, Loaded>();
  readonly #load: (fromFrame: number, toFrame: number) => Promise<BoxPage>;
  readonly #changed: () => void;

  /** `changed`: more boxes are known than before. */
  constructor(load: (fromFrame: number, toFrame: number) => Promise<BoxPage>, changed: () => void) {
    this.#load = load;
    this.#changed = changed;
  }

  /** The boxes of a frame; undefined: they are on their way. What comes next is fetched ahead. */
  at(frame: number): readonly Box[] | undefined {
    const number = Math.floor(frame / WINDOW);
    const window = this.#windowOf(number);
    this.#windowOf(number + 1);
    return frame <= window.upTo ? (window.frames.get(frame) ?? []) : undefined;
  }

  #windowOf(number: number): Loaded {
    const known = this.#windows.get(number);
    const window = known ?? { frames: new Map<number, Box[]>(), upTo: -1 };
    this.#windows.delete(number);
    this.#windows.set(number, window);
    if (known === undefined) {
      void this.#fill(number, window);
      for (const [oldest] of this.#windows) {
        if (this.#windows.size <= KEPT) break;
        this.#windows.delete(oldest);
      }
    }
    return window;
  }

  async #fill(number: number, window: Loaded): Promise<void> {
    const end = (number + 1) * WINDOW - 1;
    let from = number * WINDOW;
    try {
      for (let n = 0; from <= end && n < MOST_PAGES; n++) {
        const { boxes, toFrame } = await this.#load(from, end);
        for (const box of boxes) {
          const others = window.frames.get(box.frame);
          if (others === undefined) window.frames.set(box.frame, [box]);
          else others.push(box);
        }
        window.upTo = toFrame;
        from = toFrame + 1;
        this.#changed();
      }
      window.upTo = end;
    } catch {
      // It is asked for again when somebody looks there after a while: the server may have too much to do.
      setTimeout(() => {
        if (this.#windows.get(number) !== window) return;
        this.#windows.delete(number);
        this.#changed();
      }, AGAIN_MS);
    }
  }
}
