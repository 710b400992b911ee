import type { Statements } from './statements.ts';

/** A request to reserve `n` numbers of a sequence. */
export interface Reservation {
  readonly sequence: string;
  readonly n: number;
}

/** Reserved numbers of a sequence that have not been given yet. */
interface Ahead {
  next: number;
  last: number;
}

/** Most numbers of a sequence that are skipped when the process is killed. */
const MOST_AHEAD = 64;

/**
 * The sequences of a store with one process. Where many numbers are needed, some are reserved in advance, so that a
 * caller waits for no transaction. Nothing is reserved for the first caller, and an orderly stop returns the unused
 * numbers.
 */
export class Sequences {
  readonly #statements: Pick<Statements, 'next' | 'endSequence'>;
  readonly #ahead = new Map<string, Ahead>();
  /** Amount of numbers that this process has given, by sequence. */
  readonly #given = new Map<string, number>();

  constructor(statements: Pick<Statements, 'next' | 'endSequence'>) {
    this.#statements = statements;
  }

  /** Returns the first of `n` reserved numbers, or undefined if fewer are reserved. */
  findReserved({ sequence, n }: Reservation): number | undefined {
    const ahead = this.#ahead.get(sequence);
    if (ahead === undefined || ahead.next + n - 1 > ahead.last) return undefined;
    ahead.next += n;
    this.#count(sequence, n);
    return ahead.next - n;
  }

  /** Reserves `n` numbers and some more in the open transaction. Returns the first. */
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

  /** Discards the numbers of a transaction that was rolled back. */
  forget(): void {
    this.#ahead.clear();
  }

  /** Returns the unused numbers at an orderly stop. */
  end(): void {
    try {
      for (const [sequence, { next, last }] of this.#ahead)
        if (next <= last) this.#statements.endSequence.run(next - 1, sequence);
    } catch {
      // If the disk accepts no writes, the unused numbers are skipped.
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
