/**
 * What servers that share a store know about nodes on other hosts while the store is unreachable, and after
 * it lost its last commits.
 */
import { expect } from 'chai';
import { NodeGateway } from '../../../actors/node-gateway/gateway.ts';
import type { SyncAnswer, SyncRequest } from '../../../actors/node-gateway/messages.ts';
import { NodeStates } from '../../../actors/node-manager/node-state.ts';
import { hashToken, newToken } from '../../../actors/node-manager/tokens.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { MemoryLedger } from '../../../store/memory-ledger.ts';
import { SqliteStore } from '../../../store/sqlite/sqlite-store.ts';
import { StoreAway, type StoredActor } from '../../../store/store.ts';
import { temporaryFolder } from '../../store/folder.ts';
import { until } from '../../support/until.ts';
import { deployService, FACES, FIRST, NODE, SILENCE_MS, silentLogger as logger, TOKEN_MS } from './rack.ts';

const KEY = { kind: 'node', id: NODE };
const OWNER = { server: 'server 1', epoch: 1 };
const RUNNING = deployService(1, { lastKnownState: 'Running' });
const SERVICE = RUNNING.name;
const WORKER = `${SERVICE}#1`;

describe('Servers that share a store know nodes on other hosts', () => {
  const path = temporaryFolder();
  let files = 0;
  let store: SqliteStore;
  let ledger: MemoryLedger;
  let clock: VirtualClock;
  let states: NodeStates;
  let said: (readonly unknown[])[];
  let one: NodeGateway;
  let two: NodeGateway;
  /** Since the store was last unreachable. */
  let reachedMs: number;
  beforeEach(() => {
    clock = new VirtualClock(1_000_000);
    ledger = new MemoryLedger({ now: () => clock.steady() });
    reachedMs = Infinity;
    store = new SqliteStore(path(`shared-${++files}.db`), { work: ledger });
    Object.assign(store, { reachedMs: () => reachedMs });
    states = new NodeStates({ store, clock, silenceMs: SILENCE_MS, tokenMs: TOKEN_MS });
    said = [];
    one = startServer('server 1');
    two = startServer('server 2');
  });
  afterEach(() => store.close());

  const startServer = (serverId: string) => {
    const gateway = new NodeGateway({
      ...{ host: serverId, serverId, version: '1.4.9', store, ledger, clock, logger, states },
      owner: { server: serverId, epoch: 1 },
      silenceMs: SILENCE_MS,
      maxNodes: 3,
      components: [{ queues: ['FACE'], model: FACES }],
      registeredQueue: () => undefined,
      mayServe: () => true,
      ownCapacity: () => 0,
      servedFromOutside: () => false,
      livesElsewhere: () => false,
      isDraining: () => false,
      servicesElsewhere: () => [],
      releaseWorker: (worker, counted) => Promise.resolve(void said.push(['gone', worker, counted])),
      unavailable() {},
      announce() {},
      warn() {},
      onLeave: () => Promise.resolve(),
      others: {
        order() {},
        storedConfiguration: () => Promise.resolve([{ host: NODE, services: [FACES] }]),
        storedClasses: () => Promise.resolve({ classes: [], isInitial: true }),
      },
    });
    gateway.configureClasses({ classes: [], isInitial: true });
    gateway.configure([{ host: NODE, services: [FACES] }]);
    return gateway;
  };
  let turn = 0;
  const tell = (at: NodeGateway, message: Partial<SyncRequest> = {}): Promise<SyncAnswer> =>
    at.sync(
      NODE,
      { client: 'client a', node: null },
      { ...FIRST, services: [RUNNING], turn: ++turn, ...message },
      new AbortController().signal,
    );

  const withoutIds = ({ commands }: SyncAnswer) => commands.map(({ id: _, ...command }) => command);

  /**
   * Resets the store to this state, as after a failover. The next commits have the same versions but other
   * content.
   */
  const readKept = async () => (await store.load(KEY))!;
  const goBackTo = async ({ snapshot, record, version }: StoredActor) => {
    const { version: expected } = await readKept();
    await store.commit({ actor: KEY, expected, owner: OWNER, snapshot: null });
    for (let n = 0; n < version; n++)
      await store.commit({
        ...{ actor: KEY, expected: n, owner: OWNER, snapshot, index: { nodes: clock.now() } },
        ...(n === 0 ? { record } : {}),
      });
  };

  it('show what is stored after the store lost its last commits, though they remember later ones', async () => {
    await tell(one);
    const before = await readKept();
    for (let n = 0; n < 5; n++) await tell(two);
    await one.refresh();
    await goBackTo(before);
    const token = newToken(NODE);
    await tell(two, { processes: [{ worker: WORKER, tokenHash: hashToken(token) }] });
    await one.refresh();
    for (const gateway of [one, two]) expect(gateway.holderOf(token)?.worker).to.equal(WORKER);
  });

  it('have a new order carried out after the store lost others that the node carried out', async () => {
    const { server } = await tell(one);
    const before = await readKept();
    one.kill(WORKER, 'it hangs');
    const isStored = async () => (await readKept()).version > before.version;
    await until('the command is stored', isStored);
    expect((await tell(one, { server })).commands).to.have.length(1);
    await goBackTo(before);
    await Promise.all([one, two].map((gateway) => gateway.refresh()));
    let outcome = '';
    void one.orders.give(NODE, 'stopService', SERVICE).then((what) => (outcome = what));
    await until('the order is stored', isStored);
    const answer = await tell(two, { server, done: 1 });
    expect(withoutIds(answer)).to.deep.equal([{ type: 'stopService', service: SERVICE, number: 1 }]);
    expect(answer.server, 'the node has carried out none of this numbering').to.not.equal(server);
    await one.refresh();
    expect(outcome, 'the node has not told it back').to.equal('');
    await tell(two, { server: answer.server, done: 1 });
    await one.refresh();
    expect(outcome).to.equal('DONE');
  });

  it('repeat an order under its id if the store lost its delivery, so that the node knows it', async () => {
    const { server } = await tell(one);
    const { version } = await readKept();
    one.kill(WORKER, 'it hangs');
    await until('the command is stored', async () => (await readKept()).version > version);
    const before = await readKept();
    const given = (await tell(one, { server })).commands;
    await goBackTo(before);
    await Promise.all([one, two].map((gateway) => gateway.refresh()));
    const again = await tell(two, { server, done: 1 });
    expect(again.server, 'its number says nothing').to.not.equal(server);
    expect(again.commands.map(({ id }) => id)).to.deep.equal(given.map(({ id }) => id));
    expect(given[0]!.id).to.be.a('string');
  });

  it('do not forget one that comes while they look which there are', async () => {
    const list = store.list.bind(store);
    store.list = async (...asked) => {
      const listed = await list(...asked);
      await tell(one);
      return listed;
    };
    await one.refresh();
    expect([...one.connectedNodes().keys()]).to.deep.equal([NODE]);
  });

  it('say again that a process is up when that could not be stored', async () => {
    const token = newToken(NODE);
    const processes = [{ worker: WORKER, tokenHash: hashToken(token) }];
    await tell(one, { processes });
    const commit = store.commit.bind(store);
    let failed = false;
    store.commit = () => {
      failed = true;
      return Promise.reject(new StoreAway('Redis does not answer'));
    };
    one.holderOf(token);
    await until('the commit has failed', () => failed);
    store.commit = commit;
    const { version } = await readKept();
    await until('it is stored', async () => {
      one.holderOf(token);
      return (await readKept()).version > version;
    });
    expect(withoutIds(await tell(one, { processes }))).to.deep.equal([
      { type: 'cameUp', worker: WORKER, number: 1 },
    ]);
  });

  it('say again that a process is up when the store has lost that', async () => {
    const token = newToken(NODE);
    const processes = [{ worker: WORKER, tokenHash: hashToken(token) }];
    await tell(one, { processes });
    const before = await readKept();
    const isStored = async () => {
      one.holderOf(token);
      return (await readKept()).version > before.version;
    };
    await until('it is stored', isStored);
    await goBackTo(before);
    await until('it is stored again', async () => {
      await one.refresh();
      return isStored();
    });
    const { commands } = await tell(one, { processes });
    expect(commands.map(({ type }) => type)).to.deep.equal(['cameUp']);
  });

  it('say of an order that was stored without an answer that it may be carried out', async () => {
    await tell(one);
    const commit = store.commit.bind(store);
    store.commit = async (change) => {
      await commit(change);
      throw new StoreAway('Redis does not answer');
    };
    const { version } = await readKept();
    const outcome = one.orders.give(NODE, 'stopService', SERVICE);
    await until('it is stored', async () => (await readKept()).version > version);
    store.commit = commit;
    expect((await tell(one)).commands).to.have.length(1);
    await clock.advance(5_000);
    expect(await outcome).to.equal('UNCONFIRMED');
  });

  it('take back what its last start held, though the server of its first message could not', async () => {
    await tell(one);
    await ledger.offer([
      {
        ...{ id: 'FACE1', actor: { kind: 'job', id: '1' }, key: '1', queue: 'FACE' },
        ...{ priority: 4, kind: 'DETECT', attempt: 1, share: 1 },
      },
    ]);
    await ledger.claim({ queues: ['FACE'], max: 1, worker: WORKER, lasting: true });
    const next = { instance: 'two', formerly: 'one' };
    const leases = ledger.leases.bind(ledger);
    ledger.leases = () => Promise.reject(new StoreAway('Redis does not answer'));
    const failed = await tell(one, next).catch((error: Error) => error.name);
    expect(failed).to.equal('StoreAway');
    ledger.leases = leases;
    await tell(two, next);
    await tell(two, next);
    expect(said).to.deep.equal([['gone', WORKER, false]]);
  });

  it('accept tokens of its processes after the store was away longer than they are valid', async () => {
    const token = newToken(NODE);
    await tell(one, { processes: [{ worker: WORKER, tokenHash: hashToken(token) }] });
    await clock.advance(2 * TOKEN_MS);
    reachedMs = 1;
    expect(one.holderOf(token)?.worker).to.equal(WORKER);
    expect((await two.storedHolderOf(token))?.worker, 'at the other').to.equal(WORKER);
    reachedMs = TOKEN_MS;
    expect(one.holderOf(token), 'the node had time to be heard of').to.equal(undefined);
    expect(await startServer('server 3').storedHolderOf(token)).to.equal(undefined);
  });

  it('forget none that had no time to be heard of since the store was away', async () => {
    await tell(one);
    await clock.advance(2 * TOKEN_MS);
    reachedMs = 1;
    await states.forgetSilent('server 1', OWNER);
    expect(await store.count('nodes')).to.equal(1);
    reachedMs = TOKEN_MS;
    await states.forgetSilent('server 1', OWNER);
    expect(await store.count('nodes')).to.equal(0);
  });

  it('accept no token of a node that left in order, however short the store has been there', async () => {
    const token = newToken(NODE);
    const processes = [{ worker: WORKER, tokenHash: hashToken(token) }];
    await tell(one, { processes });
    reachedMs = 1;
    await tell(one, { processes, leaving: true });
    expect(one.holderOf(token) ?? (await two.storedHolderOf(token))).to.equal(undefined);
  });
});
