interface Waiting {
  readonly n: number;
  resolve(first: number): void;
  reject(error: unknown): void;
}

/**
 * Reserves numbers of sequences for many callers: callers share the next request to Redis while one is in progress.
 */
export class Numbers {
  readonly #reserve: (sequence: string, n: number) => Promise<number>;
  /** Callers that wait for a request in progress, by sequence. */
  readonly #waiting = new Map<string, Waiting[]>();

  constructor(reserve: (sequence: string, n: number) => Promise<number>) {
    this.#reserve = reserve;
  }

  next(sequence: string, n: number): Promise<number> {
    return new Promise((resolve, reject) => {
      const waiting = this.#waiting.get(sequence);
      if (waiting !== undefined) return void waiting.push({ n, resolve, reject });
      this.#waiting.set(sequence, []);
      void this.#give(sequence, [{ n, resolve, reject }]);
    });
  }

  async #give(sequence: string, some: readonly Waiting[]): Promise<void> {
    try {
      let first = await this.#reserve(
        sequence,
        some.reduce((sum, { n }) => sum + n, 0),
      );
      for (const { n, resolve } of some) {
        resolve(first);
        first += n;
      }
    } catch (error) {
      for (const { reject } of some) reject(error);
    }
    const next = this.#waiting.get(sequence) ?? [];
    if (next.length === 0) return void this.#waiting.delete(sequence);
    this.#waiting.set(sequence, []);
    await this.#give(sequence, next);
  }
}
