const PAGE_BITS = 16;
const PAGE = 2 ** PAGE_BITS;

/** A set of frame numbers: one bit for each frame, in pages. A video of a day needs some hundred KiB. */
export class FrameSet {
  readonly #pages = new Map<number, Uint8Array>();

  add(frame: number): void {
    const at = Math.floor(frame / PAGE);
    const page = this.#pages.get(at) ?? new Uint8Array(PAGE / 8);
    this.#pages.set(at, page);
    const bit = frame % PAGE;
    page[bit >> 3]! |= 1 << (bit & 7);
  }

  *inOrder(): Generator<number> {
    for (const at of [...this.#pages.keys()].toSorted((a, b) => a - b)) {
      const page = this.#pages.get(at)!;
      for (let bit = 0; bit < PAGE; bit += 1)
        if ((page[bit >> 3]! & (1 << (bit & 7))) !== 0) yield at * PAGE + bit;
    }
  }
}
