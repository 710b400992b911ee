/** A table of many boxes in one block of memory: about eighty bytes per box. */
import type { Box } from '../domain/geometry/geometry.ts';
import { EvaluationError } from './error.ts';

export interface BoxRow extends Box {
  /** Number of the picture, or of the frame of a video. */
  readonly picture: number;
  /** Number of the class. */
  readonly label: number;
  /** Number of the track. -1 if the box has none. */
  readonly track: number;
  /** Confidence. -1 if there is none, as in a truth. */
  readonly score: number;
  readonly area: number;
  readonly ignored: boolean;
  readonly crowd: boolean;
}

const FIELDS = ['picture', 'label', 'track', 'x', 'y', 'width', 'height', 'score', 'area', 'mark'] as const;
const [PLAIN, IGNORED, CROWD] = [0, 1, 2];

export class BoxTable {
  readonly #most: number;
  readonly #what: string;
  #values = new Float64Array(FIELDS.length * 64);
  #count = 0;

  /** @param what name of the boxes in the error message about too many boxes */
  constructor(most: number, what: string) {
    this.#most = most;
    this.#what = what;
  }

  get count(): number {
    return this.#count;
  }

  /** Replaces each box by the result of `change`, or removes it. */
  keep(change: (row: BoxRow) => BoxRow | undefined): void {
    const count = this.#count;
    this.#count = 0;
    for (let index = 0; index < count; index++) {
      const row = change(this.at(index));
      // The table has space, because it writes at most as many boxes as it has read.
      if (row !== undefined) this.#set(row);
    }
  }

  /** @throws EvaluationError if there are too many boxes */
  add(row: BoxRow): void {
    if (this.#count >= this.#most)
      throw new EvaluationError(
        `The ${this.#what} has more than ${this.#most} boxes (--limit). Evaluate fewer media, or raise --limit (a million boxes take some 150 MB).`,
      );
    if (this.#count * FIELDS.length === this.#values.length) {
      const larger = new Float64Array(this.#values.length * 2);
      larger.set(this.#values);
      this.#values = larger;
    }
    this.#set(row);
  }

  #set(row: BoxRow): void {
    const at = this.#count * FIELDS.length;
    const { picture, label, track, x, y, width, height, score, area } = row;
    const mark = row.crowd ? CROWD : row.ignored ? IGNORED : PLAIN;
    this.#values.set([picture, label, track, x, y, width, height, score, area, mark], at);
    this.#count += 1;
  }

  at(index: number): BoxRow {
    const from = index * FIELDS.length;
    const value = (field: number): number => this.#values[from + field]!;
    const [picture, label, track] = [value(0), value(1), value(2)];
    const [x, y, width, height, score, area] = [value(3), value(4), value(5), value(6), value(7), value(8)];
    const mark = value(9);
    const crowd = mark === CROWD;
    return { picture, label, track, x, y, width, height, score, area, crowd, ignored: mark !== PLAIN };
  }

  *[Symbol.iterator](): Generator<BoxRow> {
    for (let index = 0; index < this.#count; index++) yield this.at(index);
  }
}
