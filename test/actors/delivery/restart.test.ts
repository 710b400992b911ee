import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { temporaryFolder } from '../../store/folder.ts';
import { answer, Receiver, type Manner } from '../../support/servers/receiver.ts';
import { within } from '../../support/until.ts';
import { runs, seed, seeded } from '../../support/seed.ts';

const CHILD = fileURLToPath(new URL('./delivering-child.js', import.meta.url));
const ROUNDS = Math.max(3, runs(12).numRuns ?? 0);
const NOTICES = 40;

/** Pseudo-random small numbers, the same for the same seed. */
function numbers(start: number): (below: number) => number {
  let state = start;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

describe('A server that is killed while it delivers', () => {
  const path = temporaryFolder();

  it(`delivers every committed notice at least once with one key, none after its end is stored ${seeded}`, async function () {
    this.timeout(240_000);
    const random = numbers(seed);
    const receiver = await Receiver.start();
    const owed = new Set<string>();
    /** The round in which a notice left the outbox. */
    const outIn = new Map<string, number>();
    const kinds = new Set<string>();
    try {
      for (let round = 1; round <= ROUNDS; round++) {
        const last = round === ROUNDS;
        const args = [CHILD, path('killed.db'), receiver.url, String(round), String(last ? 0 : NOTICES)];
        const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
        const kill = () => void child.kill('SIGKILL');
        const [when, nth] = [
          ['before the answer', 'after the answer', 'after a commit'][random(3)]!,
          1 + random(NOTICES),
        ];
        let requests = 0;
        let lines = 0;
        receiver.manner = (received, response) => {
          const hit = !last && ++requests === nth;
          if (hit) kinds.add(when);
          if (hit && when === 'before the answer') return kill();
          (answer(200) satisfies Manner)(received, response);
          if (hit && when === 'after the answer') response.once('finish', kill);
        };
        const reader = createInterface({ input: child.stdout }).on('line', (line) => {
          const [what, id = ''] = line.split(' ');
          if (what === 'owes') owed.add(id);
          if (what === 'out') outIn.set(id, round);
          if (what === 'empty' || (when === 'after a commit' && !last && ++lines === nth)) kill();
        });
        await within(
          20_000,
          `round ${round} ends`,
          Promise.all([once(child, 'exit'), once(reader, 'close')]),
        );
        expect(child.signalCode, `round ${round}`).to.equal('SIGKILL');
      }
    } finally {
      await receiver.close();
    }
    expect(owed.size, 'notices').to.be.greaterThan(ROUNDS);
    const rounds = new Map<string, number[]>();
    for (const { key, body, headers } of receiver.requests) {
      expect(body, 'the same key for the same notice').to.equal(`{"jobId":"${key}"}`);
      const round = Number(headers['user-agent']?.replace('Troupe/', ''));
      rounds.set(key, [...(rounds.get(key) ?? []), round]);
    }
    for (const id of owed) expect(rounds.has(id), `${id} has arrived`).to.equal(true);
    for (const [id, seen] of rounds) {
      expect(new Set(seen).size, `${id} is sent once by one server`).to.equal(seen.length);
      expect(Math.max(...seen), `${id} is not sent when it was taken out`).to.be.at.most(
        outIn.get(id) ?? ROUNDS,
      );
    }
    expect(kinds.size, 'ways to die').to.be.greaterThan(0);
  });
});
