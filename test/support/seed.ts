/** The seed of every random test: it stands in the name of the test, and SEED= runs it again. */
import * as fc from 'fast-check';

// A list of up to 60 commands is one of up to 60, and not of 10 as it would be by default.
fc.configureGlobal({ ...fc.readConfigureGlobal(), defaultSizeToMaxWhenMaxSpecified: true });

export const seed: number = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 31));

/** Ends the name of a random test. */
export const seeded = `[SEED=${seed}]`;

/** A part of the runs, for every day; `npm run test:long` makes all of them. */
const share = Number(process.env['SHARE_OF_RUNS'] ?? 0.05);

export function runs<T>(numRuns: number): fc.Parameters<T> {
  return { seed, numRuns: Math.ceil(numRuns * share) };
}

/**
 * The same for a test that also asks whether everything has been seen: a part of the runs after the other until it has, at most all.
 */
export function runUntil<T>(hasSeenAll: () => boolean, property: fc.IProperty<T>, numRuns: number): void {
  for (let part = 0; part < 1 / share; part++) {
    fc.assert(property, { ...runs(numRuns), seed: seed + part });
    if (hasSeenAll()) return;
  }
}
