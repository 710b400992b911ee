/** Simulations by seed, one or many per test. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Settings } from '../../config/settings.ts';
import { settingsOf } from '../support/processes/environment.ts';
import { ATTEMPTS } from './shapes.ts';
import type { LeftOut } from './shared-redis.ts';
import { simulate, type Outcome } from './simulation.ts';

/** Runs only this seed. */
export const ONE = process.env['SIMULATION'];
/** `npm test` runs this many seeds, and `npm run test:long` the following ones. */
export const FEW = 8;
const AT_A_TIME = 250;

export interface Seeds {
  runSimulated(seed: number, leftOut?: LeftOut): Promise<Outcome>;
  /** Fails with the history if a guarantee is broken. */
  keeps(seed: number): Promise<void>;
}

/** Prepares the simulations of a suite. */
export function seedsOfSuite(): Seeds {
  let dataDir: string;
  let settings: Settings;
  before(() => {
    dataDir = mkdtempSync(path.join(tmpdir(), 'troupe-simulation-'));
    settings = settingsOf({
      DATA_DIR: dataDir,
      MIN_FREE_BYTES: '0',
      MAX_LIVE_JOBS: '3',
      SUB_JOB_ATTEMPTS: String(ATTEMPTS),
      RECONCILE_MS: '2000',
      CALLBACK_PRIVATE: 'true',
      DELIVERY_FIRST_DELAY_MS: '100',
      DELIVERY_MAX_DELAY_MS: '1000',
    });
  });
  after(() => rmSync(dataDir, { recursive: true, force: true }));

  const runSimulated = (seed: number, leftOut?: LeftOut) =>
    simulate({ seed, settings, ...(leftOut === undefined ? {} : { leftOut }) });
  const keeps = async (seed: number) => {
    const { broken, story } = await runSimulated(seed);
    if (broken === undefined) return;
    const again = `SIMULATION=${seed} node test/run.mjs simulation`;
    const told = ONE === undefined ? story.slice(-40) : story;
    throw new Error(`${broken}\nThis shows it again, with all that happened: ${again}\n${told.join('\n')}`);
  };
  return { runSimulated, keeps };
}

/** Tests that all guarantees hold for all seeds in this range. */
export function keepPromises({ keeps }: Seeds, from: number, to: number): void {
  for (let first = from; first <= to; first += AT_A_TIME) {
    const last = Math.min(to, first + AT_A_TIME - 1);
    it(`keep their promises while they, Redis, components and networks fail [seeds ${first} to ${last}]`, async () => {
      for (let seed = first; seed <= last; seed++) await keeps(seed);
    });
  }
}
