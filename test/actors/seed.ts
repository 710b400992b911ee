/** The seed of every random test below test/actors and test/store: it stands in the test's name, and SEED= runs it again. */
import type { Parameters } from 'fast-check';

export const seed: number = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 31));

/** Ends the name of a random test. */
export const seeded = `[SEED=${seed}]`;

export function runs<T>(numRuns: number): Parameters<T> {
  return { seed, numRuns };
}
