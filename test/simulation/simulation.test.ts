/** Servers in simulated time: thousands of hours of faults in seconds, and each of them again by its seed. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { readSettings, type Settings } from '../../config/settings.ts';
import { ATTEMPTS } from './shapes.ts';
import { simulate } from './simulation.ts';
import type { LeftOut } from './shared-redis.ts';

const SEEDS = Number(process.env['SIMULATIONS'] ?? 1_000);
const AT_A_TIME = 250;
const ONE = process.env['SIMULATION'];
/** Seeds beyond the first thousand with which a promise was broken once. */
const BROKEN_ONCE = [25, 3_451, 3_805, 5_607];
/** In which a rule that is left out has to be missed. */
const TRIES = 60;

/** What breaks when a rule is left out. */
const MISSED: readonly (readonly [LeftOut, string])[] = [
  ['commits look at the version', 'no commit but on the last version'],
  ['what is withdrawn is not handed out', 'a cancelled job hands out no work'],
  ['what dead servers held goes back uncounted', 'only components cost attempts'],
  ['what is owed stays until it has arrived', 'who waits for a job hears of its end'],
];

describe('Servers that share a store, in simulated time', function () {
  this.timeout(900_000);
  let dataDir: string;
  let settings: Settings;
  before(() => {
    dataDir = mkdtempSync(path.join(tmpdir(), 'troupe-simulation-'));
    settings = readSettings({
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

  const keeps = async (seed: number) => {
    const { broken, story } = await simulate({ seed, settings });
    if (broken === undefined) return;
    const again = `SIMULATION=${seed} node test/run.mjs simulation`;
    const told = ONE === undefined ? story.slice(-40) : story;
    throw new Error(`${broken}\nThis shows it again, with all that happened: ${again}\n${told.join('\n')}`);
  };

  if (ONE !== undefined) it(`keep their promises [SIMULATION=${ONE}]`, () => keeps(Number(ONE)));
  else
    for (let first = 1; first <= SEEDS; first += AT_A_TIME) {
      const last = Math.min(SEEDS, first + AT_A_TIME - 1);
      it(`keep their promises while they, Redis, components and what lies between them fail [seeds ${first} to ${last}]`, async () => {
        for (let seed = first; seed <= last; seed++) await keeps(seed);
      });
    }

  it(`keep the promises that they have broken once [seeds ${BROKEN_ONCE.join(', ')}]`, async () => {
    for (const seed of BROKEN_ONCE) await keeps(seed);
  });

  it('do the same again for the same seed', async () => {
    const [one, other] = [await simulate({ seed: 7, settings }), await simulate({ seed: 7, settings })];
    expect(other.story).to.deep.equal(one.story);
    expect(one.jobs * one.faults).to.be.greaterThan(0);
  });

  for (const [leftOut, missed] of MISSED)
    it(`are found out when they do not keep to it that ${leftOut}`, async () => {
      const broken = new Set<string>();
      for (let seed = 1; seed <= TRIES && !broken.has(missed); seed++)
        broken.add((await simulate({ seed, settings, leftOut })).broken?.split(':')[0] ?? '');
      expect([...broken]).to.include(missed);
    });
});
