/** The boxes to draw, by frame. There can be millions, so each takes about forty bytes in columns, and equal labels are stored once. */
export interface Mark {
  /** The box of the detection, in pixels of the stored picture. */
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** Degrees. */
  readonly rotation: number;
  readonly flip: boolean;
  /** Number of the track from 0, which determines the colour. */
  readonly track: number;
  readonly label: string | null;
}

const PLACE = 5;
const NO_LABEL = -1;

export class Marks {
  #count = 0;
  #frames = new Int32Array(1024);
  #tracks = new Int32Array(1024);
  #labels = new Int32Array(1024);
  #flips = new Uint8Array(1024);
  /** x, y, width, height and rotation of each mark. */
  #places = new Float32Array(1024 * PLACE);
  readonly #texts: string[] = [];
  readonly #numbers = new Map<string, number>();

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  add(frame: number, mark: Mark): void {
    if (this.#count === this.#frames.length) this.#grow();
    const at = this.#count++;
    this.#frames[at] = frame;
    this.#tracks[at] = mark.track;
    this.#flips[at] = mark.flip ? 1 : 0;
    this.#labels[at] = this.#labelNumber(mark.label);
    this.#places.set([mark.x, mark.y, mark.width, mark.height, mark.rotation], at * PLACE);
  }

  /** Returns a function for the marks of a frame. Frames must be requested in ascending order. */
  byFrame(): (frame: number) => readonly Mark[] {
    const frames = this.#frames;
    const order = new Uint32Array(this.#count).map((_, index) => index);
    order.sort((a, b) => (frames[a] ?? 0) - (frames[b] ?? 0));
    const frameAt = (position: number): number => frames[order[position] ?? 0] ?? 0;
    let next = 0;
    return (frame) => {
      const found: Mark[] = [];
      while (next < order.length && frameAt(next) < frame) next++;
      for (; next < order.length && frameAt(next) === frame; next++) found.push(this.#mark(order[next] ?? 0));
      return found;
    };
  }

  #mark(at: number): Mark {
    const place = (column: number): number => this.#places[at * PLACE + column] ?? 0;
    return {
      x: place(0),
      y: place(1),
      width: place(2),
      height: place(3),
      rotation: place(4),
      flip: this.#flips[at] === 1,
      track: this.#tracks[at] ?? 0,
      label: this.#texts[this.#labels[at] ?? NO_LABEL] ?? null,
    };
  }

  #labelNumber(label: string | null): number {
    if (label === null) return NO_LABEL;
    const known = this.#numbers.get(label);
    if (known !== undefined) return known;
    const number = this.#texts.push(label) - 1;
    this.#numbers.set(label, number);
    return number;
  }

  #grow(): void {
    const size = this.#frames.length * 2;
    const longer = <T extends Int32Array | Uint8Array | Float32Array>(to: T, from: T): T => {
      to.set(from);
      return to;
    };
    this.#frames = longer(new Int32Array(size), this.#frames);
    this.#tracks = longer(new Int32Array(size), this.#tracks);
    this.#labels = longer(new Int32Array(size), this.#labels);
    this.#flips = longer(new Uint8Array(size), this.#flips);
    this.#places = longer(new Float32Array(size * PLACE), this.#places);
  }
}
