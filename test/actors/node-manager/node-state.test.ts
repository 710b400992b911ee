/** States that nodes report about themselves, with several servers on one store. */
import { expect } from 'chai';
import type { Logger } from '../../../config/logger.ts';
import { NodeReport } from '../../../actors/node-manager/node-report.ts';
import { NodeStates, type DeployedServiceModel } from '../../../actors/node-manager/node-state.ts';
import { hashToken, newToken } from '../../../actors/node-manager/tokens.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { SqliteStore } from '../../../store/sqlite/sqlite-store.ts';
import { allEntries } from '../../../store/store.ts';
import { temporaryFolder } from '../../store/folder.ts';

const SILENCE_MS = 10_000;
const TOKEN_MS = 60_000;
const FACES: DeployedServiceModel = {
  name: 'a:Faces:1',
  kind: 'generic',
  rank: 1,
  serviceCount: 1,
  lastKnownState: 'Running',
  restartCount: 2,
  unlaunchable: false,
};

describe('What a node tells of itself', () => {
  const path = temporaryFolder();
  let files = 0;
  let store: SqliteStore;
  let clock: VirtualClock;
  let nodes: NodeStates;
  let said: string[];
  beforeEach(() => {
    store = new SqliteStore(path(`nodes-${++files}.db`));
    clock = new VirtualClock(1_000_000);
    nodes = new NodeStates({ store, clock, silenceMs: SILENCE_MS, tokenMs: TOKEN_MS });
    said = [];
  });
  afterEach(() => store.close());

  const tell = (_: object, message: string) => void said.push(message);
  const logger: Logger = { debug: tell, info: tell, warn: tell, error: tell };
  /** Creates a server's reporter for its node. */
  const reportOf = (node: string, server: string, { alone = false, services = [FACES] } = {}) =>
    new NodeReport({
      store,
      clock,
      logger,
      node,
      alone,
      silenceMs: SILENCE_MS,
      owner: { server, epoch: 1 },
      services: () => services,
    });
  const versionOf = async (node: string) => (await store.load({ kind: 'node', id: node }))?.version;
  const startWorker = (report: NodeReport, node: string, worker = `${node}:Faces:1#1`) => {
    const token = newToken(node);
    report.add(hashToken(token), () => ({ worker, queues: ['FACE'] }));
    return token;
  };

  it('is seen by every server, until nothing was heard of it for NODE_SILENCE_MS', async () => {
    expect(await nodes.findNode('a')).to.equal(undefined);
    const report = reportOf('a', 'one');
    await report.beat();
    expect(await nodes.findNode('a')).to.deep.include({ services: [FACES], silent: false });
    await clock.advance(SILENCE_MS - 1);
    expect((await nodes.findNode('a'))?.silent).to.equal(false);
    await clock.advance(1);
    expect(await nodes.findNode('a')).to.deep.include({ services: [FACES], silent: true });
    await report.beat();
    expect((await nodes.findNode('a'))?.silent).to.equal(false);
  });

  it('says whose a token is, until its process has ended', async () => {
    const report = reportOf('a', 'one');
    const [first, second] = [startWorker(report, 'a'), startWorker(report, 'a', 'a:Faces:2#1')];
    await report.beat();
    expect(await nodes.holderOf(first)).to.deep.equal({ worker: 'a:Faces:1#1', queues: ['FACE'] });
    report.remove([hashToken(first)]);
    await report.beat();
    expect(await nodes.holderOf(first)).to.equal(undefined);
    expect((await nodes.holderOf(second))?.worker).to.equal('a:Faces:2#1');
  });

  it('knows no token that it has not made', async () => {
    const report = reportOf('a', 'one');
    const token = startWorker(report, 'a');
    await report.beat();
    const [, random = ''] = token.split('~');
    for (const wrong of [
      newToken('a'),
      newToken('b'),
      random,
      '',
      `${token}x`,
      `b~${random}`,
      `../a~${random}`,
      'a~',
    ])
      expect(await nodes.holderOf(wrong), wrong).to.equal(undefined);
  });

  it('lets processes continue for a minute without it; then their tokens are taken away', async () => {
    const report = reportOf('a', 'one');
    const token = startWorker(report, 'a');
    await report.beat();
    await clock.advance(TOKEN_MS - 1);
    await nodes.forgetSilent('b', { server: 'two', epoch: 1 });
    expect(await nodes.holderOf(token)).to.not.equal(undefined);
    await clock.advance(1);
    expect(await nodes.holderOf(token)).to.equal(undefined);
    await nodes.forgetSilent('b', { server: 'two', epoch: 1 });
    const rows = await store.rows({ kind: 'node', id: 'a' }, { prefix: '', limit: 9 });
    expect([rows, await store.count('nodes')]).to.deep.equal([[], 0]);
    // The server was only slow. It reports its full state again and is recognised.
    await report.beat();
    expect((await nodes.holderOf(token))?.worker).to.equal('a:Faces:1#1');
    expect(said.filter((message) => message.includes('same name'))).to.deep.equal([]);
  });

  it('takes no token from the node of the server that looks', async () => {
    const report = reportOf('a', 'one', { alone: true });
    startWorker(report, 'a');
    await report.beat();
    await clock.advance(10 * TOKEN_MS);
    await nodes.forgetSilent('a', { server: 'one', epoch: 1 });
    expect(await store.rows({ kind: 'node', id: 'a' }, { prefix: 'token/', limit: 9 })).to.have.length(1);
  });

  it('takes the tokens of its earlier starts away, in the commit that tells of the new one', async () => {
    const before = reportOf('a', 'one');
    const token = startWorker(before, 'a');
    await before.beat();
    const after = reportOf('a', 'two');
    const next = startWorker(after, 'a', 'a:Faces:1#2');
    await after.beat();
    expect(await nodes.holderOf(token)).to.equal(undefined);
    expect((await nodes.holderOf(next))?.worker).to.equal('a:Faces:1#2');
  });

  it('has what arrives together in one commit, and writes nothing without news or readers', async () => {
    const services = [FACES];
    const report = reportOf('a', 'one', { alone: true, services });
    await report.beat();
    for (let n = 1; n < 4; n++) startWorker(report, 'a', `a:Faces:${n}#1`);
    await report.beat();
    expect(await versionOf('a')).to.equal(2);
    await clock.advance(SILENCE_MS);
    await report.beat();
    expect(await versionOf('a')).to.equal(2);
    services[0] = { ...FACES, lastKnownState: 'Inactive' };
    await report.beat();
    expect((await nodes.findNode('a'))?.services[0]?.lastKnownState).to.equal('Inactive');
  });

  it('is told by one server alone: two with one NODE_NAME say so', async () => {
    const [one, two] = [reportOf('a', 'one'), reportOf('a', 'two')];
    await one.beat();
    await two.beat();
    await one.beat();
    expect(said.at(-1)).to.equal(
      'another server uses the same name for its node: give each its own NODE_NAME',
    );
  });

  it('that cannot be read, or is of a newer version, is nothing', async () => {
    for (const snapshot of [
      { schema: 1, body: { seenAt: 'now' } },
      { schema: 2, body: {} },
    ]) {
      const expected = (await versionOf('a')) ?? 0;
      await store.commit({
        actor: { kind: 'node', id: 'a' },
        expected,
        owner: { server: 'other', epoch: 1 },
        snapshot,
        putRows: [{ key: 'token/x', body: [] }],
      });
      expect(await nodes.findNode('a')).to.equal(undefined);
      expect(await nodes.holderOf(newToken('a'))).to.equal(undefined);
    }
    for await (const { id } of allEntries(store, 'nodes')) expect.fail(id);
  });
});
