/** A box in a frame: its class, and its centre and size as parts of the picture. */
export interface FrameBox {
  readonly frame: number;
  readonly label: number;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Numbers of a box besides its frame. */
const NUMBERS = 5;

/** The boxes of a medium as plain numbers, 28 bytes each. They are added by track and read by frame. */
export class FrameBoxes {
  #frames = new Float64Array(256);
  #values = new Float32Array(256 * NUMBERS);
  #count = 0;

  add({ frame, label, x, y, width, height }: FrameBox): void {
    if (this.#count === this.#frames.length) this.#grow();
    this.#frames[this.#count] = frame;
    this.#values.set([label, x, y, width, height], this.#count * NUMBERS);
    this.#count += 1;
  }

  /** Each frame with the lines of its boxes: class, centre and size. */
  *frames(): Generator<readonly [frame: number, lines: string]> {
    const order = Uint32Array.from({ length: this.#count }, (_, at) => at);
    order.sort((a, b) => this.#frames[a]! - this.#frames[b]! || a - b);
    let [frame, lines] = [-1, ''];
    for (const at of order) {
      const next = this.#frames[at]!;
      if (next !== frame && lines !== '') {
        yield [frame, lines];
        lines = '';
      }
      frame = next;
      lines += this.#lineAt(at);
    }
    if (lines !== '') yield [frame, lines];
  }

  #lineAt(at: number): string {
    const [label = 0, ...place] = this.#values.subarray(at * NUMBERS, (at + 1) * NUMBERS);
    return `${label} ${place.map((one) => one.toFixed(6)).join(' ')}\n`;
  }

  #grow(): void {
    const [frames, values] = [this.#frames, this.#values];
    this.#frames = new Float64Array(frames.length * 2);
    this.#frames.set(frames);
    this.#values = new Float32Array(values.length * 2);
    this.#values.set(values);
  }
}
