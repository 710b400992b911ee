import type { Statements } from './statements.ts';

/** A request to reserve `n` numbers of a sequence. */
export interface Reservation {
  readonly sequence: string;
  readonly n: number;
}

/** Numbers of a sequence that are stored as given, but have not been. */
interface Ahead {
  next: number;
  last: number;
}

/** At most so many numbers are skipped when the process is killed. */
const MOST_AHEAD = 64;

/**
 * The sequences of a store with one process. Where many numbers are needed, some are reserved in advance, so that a
 * caller waits for no transaction. Nothing is reserved for the first caller, and an orderly stop returns the unused
 * numbers.
 */
export class Sequences {
  readonly #statements: Pick<Statements, 'next' | 'endSequence'>;
  readonly #ahead = new Map<string, Ahead>();
  /** Numbers that this process has given. */
  readonly #given = new Map<string, number>();

  constructor(statements: Pick<Statements, 'next' | 'endSequence'>) {
    this.#statements = statements;
  }

  /** The first of `n` numbers that are stored already; undefined: there are not so many. */
  findReserved({ sequence, n }: Reservation): number | undefined {
    const ahead = this.#ahead.get(sequence);
    if (ahead === undefined || ahead.next + n - 1 > ahead.last) return undefined;
    ahead.next += n;
    this.#count(sequence, n);
    return ahead.next - n;
  }

  /** Stores them, and some more, within the transaction that is open; answers the first. */
  reserve(reservation: Reservation): number {
    const known = this.findReserved(reservation);
    if (known !== undefined) return known;
    const { sequence, n } = reservation;
    const left = this.#countLeft(sequence);
    const more = Math.min(MOST_AHEAD, this.#given.get(sequence) ?? 0);
    const { last } = this.#statements.next.get(sequence, n - left + more)!;
    this.#ahead.set(sequence, { next: last - more + 1, last });
    this.#count(sequence, n);
    return last - more - n + 1;
  }

  /** What was reserved in a transaction that has been undone is not stored. */
  forget(): void {
    this.#ahead.clear();
  }

  /** Stores what was given, and no more. */
  end(): void {
    try {
      for (const [sequence, { next, last }] of this.#ahead)
        if (next <= last) this.#statements.endSequence.run(next - 1, sequence);
    } catch {
      // On a disk that takes nothing any more, the numbers that are left are skipped.
    }
    this.#ahead.clear();
  }

  #countLeft(sequence: string): number {
    const { next, last } = this.#ahead.get(sequence) ?? { next: 1, last: 0 };
    return last - next + 1;
  }

  #count(sequence: string, n: number): void {
    this.#given.set(sequence, (this.#given.get(sequence) ?? 0) + n);
  }
}
