/** A server says to the others that it is there before it does anything that they would have to go on with. */
import { expect } from 'chai';
import { Cluster, type Liveness } from '../../../actors/cluster/cluster.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { StoreAway } from '../../../store/store.ts';

const silent = { debug() {}, info() {}, warn() {}, error() {} };
const SILENCE_MS = 4_000;

describe('A server of a cluster that starts', () => {
  const startCluster = (alive: Liveness['alive']) => {
    const clock = new VirtualClock();
    const channel = { say: () => Promise.resolve(), listen: () => undefined };
    const ledger = { alive, isThere: () => Promise.resolve(true), leave: () => Promise.resolve() };
    const cluster = new Cluster({
      ...{ clock, channel, ledger, logger: silent },
      ...{ node: 'one', silenceMs: SILENCE_MS },
    });
    const seen: string[] = [];
    const started = cluster.start().then(
      () => seen.push('started'),
      (error: unknown) => seen.push(String(error)),
    );
    return { clock, seen, started, cluster };
  };

  it('has started only when the others know of it', async () => {
    let answers = false;
    const { clock, seen, started } = startCluster(() =>
      answers ? Promise.resolve({ dead: [], servers: 1 }) : Promise.reject(new StoreAway('no answer')),
    );
    await clock.advance(SILENCE_MS);
    expect(seen).to.deep.equal([]);
    answers = true;
    await clock.advance(SILENCE_MS);
    await started;
    expect(seen).to.deep.equal(['started']);
  });

  it('does not start while the store does not answer', async () => {
    const { clock, seen, started } = startCluster(() => Promise.reject(new StoreAway('no answer')));
    await clock.advance(3 * SILENCE_MS);
    await started;
    expect(seen[0]).to.contain('StoreAway: The store does not answer');
  });

  it('knows when others may have taken it for dead', async () => {
    let answer: 'heard' | 'absent' | 'away' = 'absent';
    const { clock, started, cluster } = startCluster(() =>
      answer === 'away'
        ? Promise.reject(new StoreAway('no answer'))
        : Promise.resolve({ dead: [], servers: 2, wasAbsent: answer === 'absent' }),
    );
    expect(cluster.stay, 'before it has said that it is there').to.equal(undefined);
    await started;
    const first = cluster.stay;
    answer = 'heard';
    await clock.advance(2 * SILENCE_MS);
    expect([typeof first, cluster.stay]).to.deep.equal(['number', first]);
    answer = 'away';
    await clock.advance(SILENCE_MS);
    expect(cluster.stay, 'it was not heard of for so long').to.equal(undefined);
    answer = 'heard';
    await clock.advance(SILENCE_MS);
    const second = cluster.stay;
    expect(second).to.be.a('number').and.not.equal(first);
    answer = 'absent';
    await clock.advance(SILENCE_MS);
    expect(cluster.stay, 'others took it for dead').to.be.a('number').and.not.equal(second);
  });

  it('does not start beside one whose node has its name', async () => {
    const { clock, seen, started } = startCluster(() =>
      Promise.resolve({ dead: [], servers: 0, holder: 'another' }),
    );
    await clock.advance(3 * SILENCE_MS);
    await started;
    expect(seen[0]).to.contain('give each server a NODE_NAME of its own');
  });
});
