/** Two servers of one store answer a node whose requests reach either of them. */
import { expect } from 'chai';
import type { NodeOrder } from '../../../actors/cluster/cluster.ts';
import { NodeGateway } from '../../../actors/node-gateway/gateway.ts';
import type { SyncAnswer, SyncRequest } from '../../../actors/node-gateway/messages.ts';
import type { NodeManagerModel } from '../../../actors/node-configuration/model.ts';
import { NodeStates } from '../../../actors/node-manager/node-state.ts';
import { hashToken, newToken } from '../../../actors/node-manager/tokens.ts';
import { systemClock as clock } from '../../../actors/basics/clock.ts';
import { MemoryLedger } from '../../../store/memory-ledger.ts';
import { SqliteStore } from '../../../store/sqlite/sqlite-store.ts';
import { temporaryFolder } from '../../store/folder.ts';
import { until } from '../../support/until.ts';
import { deployService, FACES, FIRST, NODE, SILENCE_MS, silentLogger as logger, TOKEN_MS } from './rack.ts';

const SERVICE = deployService(1, { lastKnownState: 'Running' });

describe('The gateways of two servers that share a store', () => {
  const path = temporaryFolder();
  let files = 0;
  let store: SqliteStore;
  let gateways: readonly NodeGateway[];
  let gone: string[];
  let turn: number;
  let stored: readonly NodeManagerModel[];
  let storedClasses: readonly NodeManagerModel[];
  let left: string[];
  beforeEach(() => {
    store = new SqliteStore(path(`shared-${++files}.db`), {
      work: new MemoryLedger({ now: () => clock.steady() }),
    });
    [gone, left, storedClasses] = [[], [], []];
    turn = 0;
    stored = [{ host: NODE, services: [FACES] }];
    gateways = ['server 1', 'server 2'].map(startServer);
  });
  afterEach(() => store.close());

  const startServer = (serverId: string): NodeGateway => {
    const gateway = new NodeGateway({
      ...{
        host: serverId,
        serverId,
        version: '1.4.2',
        store,
        ledger: store.work,
        clock,
        logger,
        maxNodes: 3,
      },
      owner: { server: serverId, epoch: 1 },
      states: new NodeStates({ store, clock, silenceMs: SILENCE_MS, tokenMs: TOKEN_MS }),
      silenceMs: SILENCE_MS,
      components: [{ queues: ['FACE'], model: FACES }],
      registeredQueue: () => undefined,
      mayServe: () => true,
      ownCapacity: () => 0,
      servedFromOutside: () => false,
      livesElsewhere: () => false,
      isDraining: () => false,
      servicesElsewhere: () => [],
      releaseWorker: (worker) => Promise.resolve(gone.push(worker)),
      unavailable() {},
      announce() {},
      warn() {},
      others: {
        order: (order: NodeOrder) => gateways.forEach((one) => one.hear(order)),
        storedConfiguration: () => Promise.resolve(stored),
        storedClasses: () => Promise.resolve({ classes: storedClasses, isInitial: false }),
      },
      onLeave: (node) => Promise.resolve(void left.push(node)),
    });
    gateway.configureClasses({ classes: [], isInitial: true });
    gateway.configure(stored);
    return gateway;
  };
  const sync = (at: number, message: Partial<SyncRequest> = {}): Promise<SyncAnswer> =>
    gateways[at]!.sync(
      NODE,
      { client: 'client a', node: null },
      { ...FIRST, services: [SERVICE], turn: ++turn, ...message },
      new AbortController().signal,
    );
  const refreshAll = () => Promise.all(gateways.map((one) => one.refresh()));
  const typesOf = ({ commands }: SyncAnswer) => commands.map(({ type }) => type);

  it('give the node what either wants done, each command once it is told back no more', async () => {
    const { server } = await sync(0);
    await refreshAll();
    const outcome = gateways[1]!.orders.give(NODE, 'stopService', SERVICE.name);
    await until('the other knows of it', async () => {
      await refreshAll();
      return typesOf(await sync(0, { server })).includes('stopService');
    });
    const again = await sync(1, { server });
    expect([again.server, typesOf(again)], 'it was not told back').to.deep.equal([server, ['stopService']]);
    const done = again.commands[0]!.number;
    expect(typesOf(await sync(0, { server, done }))).to.deep.equal([]);
    await refreshAll();
    expect(await outcome).to.equal('DONE');
    expect(typesOf(await sync(1, { server, done }))).to.deep.equal([]);
  });

  it('know a token at once, and not after its process ended, though an older message is late', async () => {
    const token = newToken(NODE);
    const processes = [{ worker: `${SERVICE.name}#1`, tokenHash: hashToken(token) }];
    await sync(0, { processes });
    expect(await gateways[1]!.storedHolderOf(token)).to.deep.equal({
      worker: `${SERVICE.name}#1`,
      queues: ['FACE'],
    });
    const late = { processes, turn };
    await sync(0);
    await sync(1, late);
    await refreshAll();
    for (const gateway of gateways) {
      expect(gateway.holderOf(token)).to.equal(undefined);
      expect(await gateway.storedHolderOf(token)).to.equal(undefined);
    }
  });

  it('refuse another node of its name at either server, and accept its next start', async () => {
    await sync(0);
    const refusal = await sync(1, { instance: 'stranger', turn: 0 }).catch((error: unknown) => String(error));
    expect(refusal).to.include(`Another node is called ${NODE} and is connected`);
    const before = (await sync(0)).server;
    const next = await sync(1, { instance: 'two', formerly: 'one', turn: 0 });
    expect(next.server, 'its commands are numbered anew').to.not.equal(before);
    await refreshAll();
    for (const gateway of gateways)
      expect(gateway.connectedNodes().get(NODE)?.about.instance).to.equal('two');
  });

  it('wake a message that waits at the one by what the other wants', async () => {
    const { server, configuration } = await sync(0);
    await refreshAll();
    const waiting = sync(0, { server, configuration: configuration!.version, waitMs: 2_000 });
    await until('it is the newest', async () => {
      await refreshAll();
      return true;
    });
    gateways[1]!.kill(`${SERVICE.name}#1`, 'it hangs');
    expect(typesOf(await waiting)).to.deep.equal(['kill']);
  });

  it('leave the node what one has stored, though the other has not looked yet', async () => {
    const first = (await sync(0)).configuration!;
    stored = [{ host: NODE, services: [{ ...FACES, serviceCount: 1 }] }];
    gateways[0]!.configure(stored);
    const newer = (await sync(0, { configuration: first.version })).configuration!;
    expect(newer.services[0]!.serviceCount).to.equal(1);
    expect((await sync(1, { configuration: newer.version })).configuration).to.equal(undefined);
    const late = (await sync(1, { configuration: first.version })).configuration;
    expect(late, 'it has missed it').to.deep.equal(newer);
  });

  it('forget at both a node that says it ends', async () => {
    await sync(0);
    await refreshAll();
    await sync(1, { leaving: true });
    await refreshAll();
    for (const gateway of gateways) expect(gateway.connectedNodes().size).to.equal(0);
  });

  it('take a node of a class that only the other has read, and see both that it drains', async () => {
    stored = [];
    gateways = ['server 3', 'server 4'].map(startServer);
    storedClasses = [{ host: 'gpu', services: [FACES] }];
    const taken = await sync(0, { nodeClass: 'gpu' });
    expect(taken.configuration?.services).to.deep.equal([FACES]);
    await refreshAll();
    const worker = `${NODE}:Faces:1#1`;
    expect(gateways.map((one) => one.isEnding(worker))).to.deep.equal([false, false]);
    expect(gateways[0]!.members).to.deep.equal([{ host: NODE, services: [FACES] }]);
    expect((await sync(1, { nodeClass: 'gpu', draining: true })).working).to.equal(0);
    await until('both know', () => gateways.every((one) => one.isEnding(worker)));
    await sync(0, { nodeClass: 'gpu', draining: true, services: [], leaving: true });
    expect(left).to.deep.equal([NODE]);
    await refreshAll();
    expect(gateways.map(({ members }) => members)).to.deep.equal([[], []]);
  });
});
