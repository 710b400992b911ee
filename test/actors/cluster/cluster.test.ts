/** A server announces itself to the others before it does anything that they would have to take over. */
import { expect } from 'chai';
import { Cluster, type Liveness } from '../../../actors/cluster/cluster.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { StoreAway, StoreRefuses } from '../../../store/store.ts';

const silent = { debug() {}, info() {}, warn() {}, error() {} };
const SILENCE_MS = 4_000;

describe('A server of a cluster that starts', () => {
  const startCluster = (alive: () => Promise<Omit<Awaited<ReturnType<Liveness['alive']>>, 'rank'>>) => {
    const clock = new VirtualClock();
    const channel = { say: () => Promise.resolve(), listen: () => undefined };
    const ledger = {
      alive: async () => ({ rank: 0, ...(await alive()) }),
      listKnown: () => Promise.resolve([]),
      listConnected: () => Promise.resolve(undefined),
      cut: () => Promise.resolve(),
      isThere: () => Promise.resolve(true),
      leave: () => Promise.resolve(),
    };
    const cluster = new Cluster({
      ...{ clock, channel, ledger, logger: silent },
      ...{ node: 'one', server: 'me', silenceMs: SILENCE_MS },
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

  it('knows at once whether the store takes something in', async () => {
    let error: Error | undefined;
    const { started, cluster } = startCluster(() =>
      error === undefined ? Promise.resolve({ dead: [], servers: 1 }) : Promise.reject(error),
    );
    await started;
    for (const [next, isRefused] of [
      [new StoreRefuses('no replicas'), true],
      [new StoreAway('no answer'), false],
      [new StoreRefuses('no replicas'), true],
      [undefined, false],
    ] as const) {
      error = next;
      await cluster.sayNow();
      expect(cluster.isRefused).to.equal(isRefused);
    }
  });

  it('does not start beside one whose node has its name', async () => {
    const { clock, seen, started } = startCluster(() =>
      Promise.resolve({ dead: [], servers: 0, holder: 'another' }),
    );
    await clock.advance(3 * SILENCE_MS);
    await started;
    expect(seen[0]).to.contain('give each server its own NODE_NAME');
  });
});

describe('A server that looks at the connections of others', () => {
  /** A ledger like Redis: which servers are connected, and when each sent its last heartbeat. */
  const watchOthers = async (rank = 0, known: readonly string[] = []) => {
    const clock = new VirtualClock();
    const connected = new Set(['me', 'other']);
    const state = { until: SILENCE_MS, tells: true, looks: 0, servers: 2 };
    const ledger: Liveness = {
      alive: () => {
        const isDead = clock.steady() >= state.until;
        state.until = isDead ? Infinity : state.until;
        return Promise.resolve({ dead: isDead ? ['other'] : [], servers: isDead ? 1 : state.servers, rank });
      },
      listKnown: () => Promise.resolve([...known]),
      listConnected: () => {
        state.looks++;
        return Promise.resolve(state.tells ? new Set(connected) : undefined);
      },
      cut: (_, leftMs) => {
        if (state.until - clock.steady() < (leftMs ?? Infinity)) state.until = clock.steady();
        return Promise.resolve();
      },
      isThere: () => Promise.resolve(true),
      leave: () => Promise.resolve(),
    };
    const listeners: ((words: string) => void)[] = [];
    const channel = {
      say: () => Promise.resolve(),
      listen: (heard: (words: string) => void) => void listeners.push(heard),
    };
    const say = (words: object) => listeners.forEach((heard) => heard(JSON.stringify(words)));
    const cluster = new Cluster({
      ...{ clock, channel, ledger, logger: silent },
      ...{ node: 'one', server: 'me', silenceMs: SILENCE_MS },
    });
    const dead: string[] = [];
    cluster.onDeath((found) => dead.push(...found));
    await cluster.start();
    /** Sends a heartbeat of the other server. */
    const hear = () => (state.until = clock.steady() + SILENCE_MS);
    return { clock, connected, state, dead, hear, cluster, say };
  };

  it('finds one dead within a second that was connected and is not any more', async () => {
    const { clock, connected, dead } = await watchOthers();
    await clock.advance(500);
    connected.delete('other');
    await clock.advance(400);
    expect(dead, 'it may connect again').to.deep.equal([]);
    await clock.advance(300);
    expect(dead).to.deep.equal(['other']);
  });

  it('waits for one that connects again, or says meanwhile that it is there', async () => {
    const { clock, connected, dead, hear } = await watchOthers();
    await clock.advance(500);
    connected.delete('other');
    await clock.advance(250);
    connected.add('other');
    await clock.advance(1_000);
    expect(dead).to.deep.equal([]);
    connected.delete('other');
    await clock.advance(250);
    hear();
    await clock.advance(750);
    expect(dead).to.deep.equal([]);
  });

  it('judges nobody whom it never saw connected, nor after its own connection was lost', async () => {
    const { clock, connected, dead, cluster } = await watchOthers();
    await clock.advance(500);
    connected.delete('other');
    cluster.doubt();
    await clock.advance(1_000);
    expect(dead).to.deep.equal([]);
    await clock.advance(SILENCE_MS);
    expect(dead, 'its silence tells').to.deep.equal(['other']);
  });

  it('finds one dead within a second that died before this one started', async () => {
    const { clock, connected, dead } = await watchOthers(0, ['other']);
    connected.delete('other');
    await clock.advance(500);
    expect(dead, 'it may connect again').to.deep.equal([]);
    await clock.advance(500);
    expect(dead).to.deep.equal(['other']);
  });

  it('judges no server that is connected by what the store knew at the start', async () => {
    const { clock, connected, dead, hear } = await watchOthers(0, ['other']);
    connected.delete('other');
    await clock.advance(500);
    connected.add('other');
    hear();
    await clock.advance(1_000);
    expect(dead).to.deep.equal([]);
  });

  it('looks at nobody while it is alone, until another one says that it joins', async () => {
    const { clock, connected, state, dead, say } = await watchOthers();
    state.servers = 1;
    await clock.advance(1_500);
    const looks = state.looks;
    await clock.advance(1_500);
    expect(state.looks).to.equal(looks);
    // The other server is killed before the next check.
    connected.delete('other');
    say({ type: 'serverJoins', server: 'other' });
    state.servers = 2;
    state.until = clock.steady() + SILENCE_MS;
    await clock.advance(1_000);
    expect(dead).to.deep.equal(['other']);
  });

  it('leaves the looking to two others when there are more', async () => {
    const { clock, state } = await watchOthers(2);
    await clock.advance(SILENCE_MS / 2);
    expect(state.looks).to.equal(0);
  });

  it('waits for the silence when the store does not tell who is connected', async () => {
    const { clock, connected, state, dead } = await watchOthers();
    state.tells = false;
    connected.delete('other');
    await clock.advance(SILENCE_MS / 2);
    expect(dead).to.deep.equal([]);
    await clock.advance(SILENCE_MS);
    expect(dead).to.deep.equal(['other']);
  });
});
