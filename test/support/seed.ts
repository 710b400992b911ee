/** The seed of all random tests. It is part of their titles, and SEED=N repeats a run. */
import * as fc from 'fast-check';

// Lists use their full length: by default, the library limits a list of up to 60 commands to 10.
fc.configureGlobal({ ...fc.readConfigureGlobal(), defaultSizeToMaxWhenMaxSpecified: true });

export const seed: number = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 31));

/** The end of the title of a random test. */
export const seeded = `[SEED=${seed}]`;

/** Some of the runs, for `npm test`. `npm run test:long` does all of them. */
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
