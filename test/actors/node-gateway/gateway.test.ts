/**
 * Answers of a server to nodes on other hosts, message by message. The node of the server itself has no
 * services here.
 */
import { expect } from 'chai';
import { NodeGateway } from '../../../actors/node-gateway/gateway.ts';
import type { NodeAccess, SyncAnswer, SyncRequest } from '../../../actors/node-gateway/messages.ts';
import { NodeReport } from '../../../actors/node-manager/node-report.ts';
import { NodeStates, type DeployedServiceModel } from '../../../actors/node-manager/node-state.ts';
import { hashToken, newToken } from '../../../actors/node-manager/tokens.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { MemoryLedger } from '../../../store/memory-ledger.ts';
import { SqliteStore } from '../../../store/sqlite/sqlite-store.ts';
import { temporaryFolder } from '../../store/folder.ts';
import { deployService, FACES, FIRST, NODE, SILENCE_MS, silentLogger as logger, TOKEN_MS } from './rack.ts';

const access: NodeAccess = { client: 'client a', node: null };

describe('The gateway of nodes on other hosts', () => {
  const path = temporaryFolder();
  let files = 0;
  let store: SqliteStore;
  let ledger: MemoryLedger;
  let clock: VirtualClock;
  let said: (readonly unknown[])[];
  let ownCapacity: number;
  let isReplaced: boolean;
  let draining: readonly string[];
  let isDispatcherBusy: boolean;
  let gateway: NodeGateway;
  beforeEach(() => {
    clock = new VirtualClock(1_000_000);
    ledger = new MemoryLedger({ now: () => clock.steady() });
    store = new SqliteStore(path(`gateway-${++files}.db`), { work: ledger });
    said = [];
    ownCapacity = 0;
    isReplaced = false;
    draining = [];
    isDispatcherBusy = false;
    gateway = startServer();
  });
  afterEach(() => store.close());

  const say = (...what: readonly unknown[]) => void said.push(what);
  /** Restarts the server. */
  const startServer = (serverId = 'server 1') => {
    const one = startUnconfigured(serverId);
    one.configure([{ host: NODE, services: [FACES] }]);
    return one;
  };
  const startUnconfigured = (serverId: string) => {
    const one = new NodeGateway({
      ...{ host: 'here', serverId, version: '1.4.9', store, ledger, clock, logger },
      owner: { server: serverId, epoch: 1 },
      states: new NodeStates({ store, clock, silenceMs: SILENCE_MS, tokenMs: TOKEN_MS }),
      silenceMs: SILENCE_MS,
      maxNodes: 3,
      components: [
        { queues: ['FACE'], model: FACES },
        { queues: ['STREAM:FACE'], model: { ...FACES, serviceName: 'FacesStreams' } },
      ],
      registeredQueue: (name) => (name === 'Guest' ? 'GUEST' : undefined),
      mayServe: (service) => service !== 'Faces' || !isReplaced,
      ownCapacity: () => ownCapacity,
      servedFromOutside: () => false,
      livesElsewhere: () => false,
      isDraining: (node) => draining.includes(node),
      servicesElsewhere: () => [],
      releaseWorker: (worker, counted) =>
        isDispatcherBusy ? Promise.reject(new Error('busy')) : Promise.resolve(say('gone', worker, counted)),
      unavailable: (queue) => say('unavailable', queue),
      announce: () => say('announce'),
      warn: (about, sentence) => say('warn', about, sentence),
      onLeave: (node) => Promise.resolve(say('left', node)),
    });
    one.configureClasses({ classes: [{ host: 'gpu', services: [FACES] }], isInitial: true });
    return one;
  };
  let turn = 0;
  const ask = (message: Partial<SyncRequest> = {}, node = NODE, who = access): Promise<SyncAnswer> =>
    gateway.sync(node, who, { ...FIRST, turn: ++turn, ...message }, new AbortController().signal);
  const refusal = (asked: Promise<unknown>) =>
    asked.then(
      () => expect.fail('it was not refused'),
      (error: Error & { objection?: { refusal: string } }) => [error.objection?.refusal, error.message],
    );
  /** The next request of the node after this answer. */
  const after = ({ server, configuration, commands, taken: _ }: SyncAnswer): Partial<SyncRequest> => ({
    server,
    configuration: configuration?.version ?? '',
    done: Math.max(0, ...commands.map(({ number }) => number)),
  });
  const work = (count: number, queue = 'FACE') =>
    ledger.offer(
      Array.from({ length: count }, (_, n) => ({
        ...{ id: `${queue}${n}`, actor: { kind: 'job', id: '1' }, key: `${n}`, queue },
        ...{ priority: 4, kind: 'DETECT', attempt: 1, share: 1 },
      })),
    );

  it('gives a node its configuration once, with the queues that its services may serve', async () => {
    const answer = await ask();
    expect(answer.configuration?.services).to.deep.equal([FACES]);
    expect(answer.configuration?.queues).to.deep.equal({ Faces: ['FACE'] });
    expect((await ask(after(answer))).configuration).to.equal(undefined);
  });

  it('answers a node that waits as soon as its configuration is another one', async () => {
    const waiting = ask({ ...after(await ask()), waitMs: 2_000 });
    gateway.configure([{ host: NODE, services: [{ ...FACES, serviceName: 'Guest' }] }]);
    expect((await waiting).configuration?.queues).to.deep.equal({ Guest: ['GUEST'] });
  });

  it('says an order again until the node has told its number back', async () => {
    const known = after(await ask({ services: [deployService(1)] }));
    const ordered = gateway.orders.give(NODE, 'stopService', `${NODE}:Faces:1`);
    const told = await ask({ ...known, services: [deployService(1)] });
    expect(told.commands).to.deep.equal([{ type: 'stopService', service: `${NODE}:Faces:1`, number: 1 }]);
    expect((await ask({ ...known, services: [deployService(1)] })).commands).to.deep.equal(told.commands);
    expect((await ask({ ...known, done: 1, services: [deployService(1)] })).commands).to.deep.equal([]);
    expect(await ordered).to.equal('DONE');
  });

  it('takes a number of another start of the server for none of its own', async () => {
    const known = after(await ask({ services: [deployService(1)] }));
    void gateway.orders.give(NODE, 'startService', `${NODE}:Faces:1`);
    const { commands } = await ask({ ...known, server: 'server 0', done: 17 });
    expect(commands).to.have.length(1);
  });

  it('goes on with the numbers of a node that comes back after it had to make room', async () => {
    const services = [deployService(1)];
    const known = { ...after(await ask({ services })), services };
    const ordered = gateway.orders.give(NODE, 'stopService', `${NODE}:Faces:1`);
    await ask({ ...known, done: 1 });
    expect(await ordered).to.equal('DONE');
    await clock.advance(SILENCE_MS);
    for (const name of ['a', 'b', 'c']) await ask({}, name);
    await clock.advance(SILENCE_MS);
    await ask({ ...known, done: 1 });
    void gateway.orders.give(NODE, 'startService', `${NODE}:Faces:1`);
    const { commands } = await ask({ ...known, done: 1 });
    expect(commands).to.deep.equal([{ type: 'startService', service: `${NODE}:Faces:1`, number: 2 }]);
  });

  it('withdraws an order that the node has not been given in time', async () => {
    const services = [deployService(1)];
    const known = { ...after(await ask({ services })), services };
    const ordered = gateway.orders.give(NODE, 'stopService', `${NODE}:Faces:1`);
    await clock.advance(5_000);
    expect(await ordered).to.equal('AWAY');
    expect((await ask(known)).commands).to.deep.equal([]);
  });

  it('says that an order may still be carried out if the node got it and has not reported', async () => {
    const services = [deployService(1)];
    const known = { ...after(await ask({ services })), services };
    const ordered = gateway.orders.give(NODE, 'stopService', `${NODE}:Faces:1`);
    expect((await ask(known)).commands).to.have.length(1);
    await clock.advance(5_000);
    expect(await ordered).to.equal('UNCONFIRMED');
    expect((await ask(known)).commands, 'it is said again').to.have.length(1);
  });

  it('gives no order for a service that is not there, or to a node that is silent', async () => {
    await ask({ services: [deployService(1)] });
    expect(await gateway.orders.give(NODE, 'startService', `${NODE}:Faces:9`)).to.equal('NO_SUCH_SERVICE');
    expect(await gateway.orders.give('rack-3', 'startService', 'rack-3:Faces:1')).to.equal('AWAY');
    await clock.advance(SILENCE_MS);
    expect(await gateway.orders.give(NODE, 'startService', `${NODE}:Faces:1`)).to.equal('AWAY');
  });

  it('gets the last lines of a service from a node, and says if there are none or no answer', async () => {
    const services = [deployService(1)];
    const service = `${NODE}:Faces:1`;
    const known = { ...after(await ask({ services })), services };
    expect(await gateway.orders.linesOf(NODE, `${NODE}:Faces:9`)).to.equal('NO_SUCH_SERVICE');
    expect(await gateway.orders.linesOf('rack-3', 'rack-3:Faces:1')).to.equal('AWAY');
    const asked = [gateway.orders.linesOf(NODE, service), gateway.orders.linesOf(NODE, service)];
    const { commands } = await ask(known);
    const requests = commands.map((command) => (command.type === 'tellLines' ? command.request : ''));
    expect(commands).to.deep.equal(
      requests.map((request, n) => ({ type: 'tellLines', service, request, number: n + 1 })),
    );
    const lines = [{ at: 1, worker: `${service}#1`, source: 'stderr', text: 'a worry' }] as const;
    const news = [
      { what: 'lines', number: 1, request: requests[0]!, lines },
      { what: 'lines', number: 2, request: requests[1]!, lines: null },
      { what: 'lines', number: 3, request: 'of an earlier server', lines },
    ] as const;
    expect((await ask({ ...known, done: 2, news })).taken).to.equal(3);
    expect(await Promise.all(asked)).to.deep.equal([{ lines }, 'NO_SUCH_SERVICE']);
    const late = gateway.orders.linesOf(NODE, service);
    await clock.advance(5_000);
    expect(await late).to.equal('AWAY');
    expect((await ask({ ...known, done: 2 })).commands, 'nobody waits for it').to.deep.equal([]);
  });

  it('takes news once, however often they are told', async () => {
    const news = [
      { what: 'gone', number: 1, worker: `${NODE}:Faces:1#1`, counted: true, reason: 'x' },
    ] as const;
    expect((await ask({ news })).taken).to.equal(1);
    expect((await ask({ news: [...news, { what: 'configured', number: 2 }] })).taken).to.equal(2);
    expect(said.filter(([what]) => what !== 'warn')).to.deep.equal([
      ['gone', `${NODE}:Faces:1#1`, true],
      ['announce'],
    ]);
  });

  it('hears news again that could not be acted on', async () => {
    const gone = { what: 'gone', worker: `${NODE}:Faces:1#1`, counted: true, reason: 'x' } as const;
    const news = [{ what: 'configured', number: 1 } as const, { ...gone, number: 2 }];
    isDispatcherBusy = true;
    const failed = await ask({ news }).catch((error: Error) => error.message);
    expect(failed).to.equal('busy');
    isDispatcherBusy = false;
    expect((await ask({ news })).taken).to.equal(2);
    expect(said.filter(([what]) => what !== 'warn')).to.deep.equal([
      ['announce'],
      ['gone', `${NODE}:Faces:1#1`, true],
    ]);
  });

  it('does not take a message that comes after a later one', async () => {
    await ask({ turn: 7, services: [deployService(1)] });
    await ask({ turn: 6, services: [], news: [{ what: 'configured', number: 1 }] });
    expect(gateway.placement.canServe('FACE')).to.equal(true);
    expect(said.filter(([what]) => what === 'announce')).to.deep.equal([]);
  });

  it('wants no processes of a service whose component is replaced, until that is over', async () => {
    const services = [deployService(1)];
    await work(5);
    expect((await ask({ services })).wanted).to.deep.equal({ FACE: 1 });
    isReplaced = true;
    expect((await ask({ services })).wanted).to.deep.equal({});
    expect([gateway.placement.canServe('FACE'), gateway.placement.serves('FACE')]).to.deep.equal([
      false,
      false,
    ]);
    isReplaced = false;
    expect((await ask({ services })).wanted).to.deep.equal({ FACE: 1 });
  });

  it('wants processes of it for what its own node has none for, and no more than there are', async () => {
    const services = [deployService(1), deployService(2)];
    await work(5);
    ownCapacity = 1;
    const { wanted } = await ask({ services });
    expect(wanted).to.deep.equal({ FACE: 2 });
    ownCapacity = 5;
    expect((await ask({ services })).wanted).to.deep.equal({ FACE: 0 });
  });

  it('prefers hosts that are configured for streams, and offers again what a silent one lost', async () => {
    ownCapacity = 8;
    gateway.configure([{ host: NODE, services: [FACES, { ...FACES, serviceName: 'FacesStreams' }] }]);
    const services = [deployService(1), { ...deployService(1), name: `${NODE}:FacesStreams:1` }];
    const known = { ...after(await ask({ services })), services };
    await work(3, 'STREAM:FACE');
    expect((await ask(known)).wanted).to.deep.equal({ 'STREAM:FACE': 1 });
    expect(gateway.placement.capacity('STREAM:FACE')).to.equal(1);
    gateway.placement.look();
    said = [];
    gateway.placement.look();
    expect(said, 'nothing has changed').to.deep.equal([]);
    gateway.placement.unavailable(NODE, 'STREAM:FACE', 'it crashes');
    expect(said).to.deep.equal([['announce']]);
    await clock.advance(SILENCE_MS);
    gateway.placement.look();
    expect(said).to.deep.equal([['announce'], ['announce']]);
    expect(gateway.placement.capacity('STREAM:FACE')).to.equal(0);
  });

  it('tells a node that a process of it has done what it was started for', async () => {
    const known = after(await ask({ services: [deployService(1)] }));
    gateway.rest(`${NODE}:Faces:1#1`);
    gateway.rest('rack-3:Faces:1#1');
    const { commands } = await ask({ ...known, services: [deployService(1)] });
    expect(commands).to.deep.equal([{ type: 'rest', worker: `${NODE}:Faces:1#1`, number: 1 }]);
  });

  it('asks services that cannot be started if there are no others, so that they retry or say so', async () => {
    const services = [deployService(1, { unlaunchable: true, lastKnownState: 'InactiveNoStart' })];
    await work(2);
    expect((await ask({ services })).wanted).to.deep.equal({ FACE: 1 });
    ownCapacity = 1;
    expect((await ask({ services })).wanted).to.deep.equal({ FACE: 0 });
  });

  it('tells a node that waits of work at once, and of the same work once', async () => {
    const services = [deployService(1), deployService(2)];
    const known = { ...after(await ask({ services })), services };
    ledger.watch({ news() {}, onOffer: (queues) => gateway.onOffer(queues) });
    const waiting = ask({ ...known, waitMs: 2_000 });
    await work(1);
    expect((await waiting).wanted).to.deep.equal({ FACE: 1 });
    const began = clock.steady();
    const next = { isAnswered: false };
    void ask({ ...known, waitMs: 2_000 }).then(() => (next.isAnswered = true));
    await work(1);
    while (!next.isAnswered) {
      await new Promise((resolve) => setImmediate(resolve));
      await clock.advance(1);
    }
    expect(clock.steady() - began).to.be.at.least(2_000);
  });

  it('knows processes of a node by their tokens, in their queues, and tells it which asked', async () => {
    const token = newToken(NODE);
    const processes = [{ worker: `${NODE}:Faces:1#1`, tokenHash: hashToken(token) }];
    expect(gateway.holderOf(token)).to.equal(undefined);
    await ask({ services: [deployService(1)], processes });
    expect(gateway.placement.serves('FACE')).to.equal(false);
    expect(gateway.holderOf(token)).to.deep.equal({ worker: `${NODE}:Faces:1#1`, queues: ['FACE'] });
    expect(gateway.placement.serves('FACE')).to.equal(true);
    const { commands } = await ask({ services: [deployService(1)], processes });
    expect(commands).to.deep.equal([{ type: 'cameUp', worker: `${NODE}:Faces:1#1`, number: 1 }]);
    await ask({ services: [deployService(1)] });
    expect(gateway.holderOf(token)).to.equal(undefined);
    expect(gateway.holderOf(newToken(NODE))).to.equal(undefined);
  });

  it('gives no process work of the media component, whatever it is called', async () => {
    const token = newToken(NODE);
    const processes = [{ worker: `${NODE}:TroupeMedia:1#1`, tokenHash: hashToken(token) }];
    await ask({ processes });
    expect(gateway.holderOf(token)?.queues).to.deep.equal([]);
  });

  it('takes the tokens of processes for good for a minute after their node was heard of', async () => {
    const token = newToken(NODE);
    const processes = [{ worker: `${NODE}:Faces:1#1`, tokenHash: hashToken(token) }];
    await ask({ processes });
    await clock.advance(TOKEN_MS - 1);
    expect(gateway.holderOf(token)?.queues).to.deep.equal(['FACE']);
    await clock.advance(1);
    expect(gateway.holderOf(token)).to.equal(undefined);
    await ask({ processes });
    expect(gateway.holderOf(token)?.queues).to.deep.equal(['FACE']);
  });

  it('gives a process work only while the configuration gives its node the service', async () => {
    const token = newToken('rack-9');
    const processes = [{ worker: 'rack-9:Faces:1#1', tokenHash: hashToken(token) }];
    const queues = () => gateway.holderOf(token)?.queues;
    await ask({ processes }, 'rack-9');
    expect(queues(), 'a name that the configuration does not have').to.deep.equal([]);
    expect(gateway.placement.serves('FACE')).to.equal(false);
    const serviceModel = (serviceName: string, serviceCount: number) =>
      gateway.configure([{ host: 'rack-9', services: [{ ...FACES, serviceName, serviceCount }] }]);
    serviceModel('Guest', 1);
    expect(queues(), 'another service').to.deep.equal([]);
    serviceModel('Faces', 0);
    expect(queues(), 'no process of it').to.deep.equal([]);
    serviceModel('Faces', 1);
    expect(queues()).to.deep.equal(['FACE']);
    expect(gateway.placement.serves('FACE')).to.equal(true);
    gateway.configure([]);
    expect(queues(), 'it is on its way out').to.deep.equal([]);
  });

  it('decides by the configuration for nodes not yet heard of, and by the server of others', async () => {
    const tokens = [newToken(NODE), newToken('rack-3')] as const;
    await ask({ processes: [{ worker: `${NODE}:Faces:1#1`, tokenHash: hashToken(tokens[0]) }] });
    const report = new NodeReport({
      ...{ store, logger, clock, node: 'rack-3', alone: false, silenceMs: SILENCE_MS },
      owner: { server: 'other', epoch: 1 },
      services: () => [],
    });
    report.add(hashToken(tokens[1]), () => ({ worker: 'rack-3:Faces:1#1', queues: ['FACE'] }));
    await report.beat();
    gateway = startUnconfigured('server 2');
    const asked = tokens.map(async (token) => (await gateway.storedHolderOf(token))?.queues);
    gateway.configure([]);
    expect(await Promise.all(asked)).to.deep.equal([[], ['FACE']]);
    gateway.configure([{ host: NODE, services: [FACES] }]);
    expect((await gateway.storedHolderOf(tokens[0]))?.queues).to.deep.equal(['FACE']);
    expect(await gateway.storedHolderOf(newToken(NODE))).to.equal(undefined);
    await report.close();
  });

  it('has nodes wait at a start until the configuration was read, which says what they may do', async () => {
    gateway = startUnconfigured('server 2');
    const waiting = ask();
    gateway.configure([{ host: NODE, services: [FACES] }]);
    expect((await waiting).configuration?.services).to.deep.equal([FACES]);
    gateway = startUnconfigured('server 3');
    const over = ask();
    gateway.close();
    expect((await over).configuration).to.equal(undefined);
  });

  describe('has the work of a queue fail', () => {
    const out = { services: [deployService(1, { unlaunchable: true, lastKnownState: 'InactiveNoStart' })] };
    const other = (more: Partial<DeployedServiceModel> = {}) => ({
      services: [{ ...deployService(1, more), name: 'rack-3:Faces:1' }],
      instance: 'other',
    });
    const unavailableCalls = () => said.filter(([what]) => what === 'unavailable');
    const configureHosts = (...hosts: readonly string[]) =>
      gateway.configure(hosts.map((host) => ({ host, services: [FACES] })));
    let number = 0;
    const sayUnavailable = (queue = 'FACE', node = NODE) =>
      ask(
        {
          ...(node === NODE ? out : {}),
          news: [{ what: 'unavailable', queue, reason: 'it crashes', number: ++number }],
        },
        node,
      );
    beforeEach(() => configureHosts(NODE, 'rack-3'));

    it('when no host that the configuration gives it to can do it, and not before', async () => {
      await ask(other(), 'rack-3');
      await sayUnavailable();
      expect(unavailableCalls()).to.deep.equal([]);
      await ask(other({ unlaunchable: true }), 'rack-3');
      await sayUnavailable();
      expect(unavailableCalls()).to.deep.equal([['unavailable', 'FACE']]);
    });

    it('not while a node that could do it is away; the others are not asked for it', async () => {
      await work(1);
      await ask(other(), 'rack-3');
      await clock.advance(SILENCE_MS);
      expect((await sayUnavailable()).wanted).to.deep.equal({ FACE: 0 });
      expect(gateway.placement.waitingReason('FACE')).to.equal('the node rack-3 is not connected');
      expect(unavailableCalls()).to.deep.equal([]);
      configureHosts(NODE);
      expect((await ask(out)).wanted, 'it is taken out of the configuration').to.deep.equal({ FACE: 1 });
      await sayUnavailable();
      expect(unavailableCalls()).to.deep.equal([['unavailable', 'FACE']]);
    });

    it('not after a start of the server, until all nodes were heard of and know what to run', async () => {
      await sayUnavailable();
      gateway.placement.unavailable('here', 'FACE', 'it crashes');
      await ask({ instance: 'other' }, 'rack-3');
      await sayUnavailable();
      expect(gateway.placement.waitingReason('FACE')).to.equal('its component is starting');
      expect(unavailableCalls()).to.deep.equal([]);
      await ask(other({ unlaunchable: true }), 'rack-3');
      gateway.placement.unavailable('here', 'FACE', 'it crashes');
      expect(unavailableCalls()).to.deep.equal([['unavailable', 'FACE']]);
    });

    it('only by nodes that are to serve the queue', async () => {
      configureHosts(NODE);
      await sayUnavailable('GUEST');
      await sayUnavailable('MEDIA_INSPECTION');
      await sayUnavailable('FACE', 'rack-9');
      expect(unavailableCalls()).to.deep.equal([]);
    });
  });

  it('refuses a second node of a name until the first is silent', async () => {
    await ask();
    const [kind, message] = await refusal(ask({ instance: 'two' }));
    expect(kind).to.equal('CONFLICT');
    expect(message).to.match(
      /^Another node is called rack-2 and is connected. Give each node its own NODE_NAME/,
    );
    await clock.advance(SILENCE_MS);
    await ask({ instance: 'two' });
    expect((await refusal(ask()))[0]).to.equal('CONFLICT');
  });

  it('lets the next start of a node in at once, and takes back what the last one held', async () => {
    await ask();
    await work(1);
    await ledger.claim({ queues: ['FACE'], max: 1, worker: `${NODE}:Faces:1#1`, lasting: true });
    await ask({ instance: 'two', formerly: 'one' });
    expect(said).to.deep.include(['gone', `${NODE}:Faces:1#1`, false]);
  });

  it('takes back what processes of its last start held by its next message when that failed', async () => {
    await ask();
    await work(1);
    await ledger.claim({ queues: ['FACE'], max: 1, worker: `${NODE}:Faces:1#1`, lasting: true });
    const next = { instance: 'two', formerly: 'one' };
    isDispatcherBusy = true;
    expect((await refusal(ask(next)))[1]).to.equal('busy');
    isDispatcherBusy = false;
    await ask(next);
    await ask(next);
    const gone = said.filter(([what]) => what === 'gone');
    expect(gone).to.deep.equal([['gone', `${NODE}:Faces:1#1`, false]]);
  });

  it('knows over its own restart which start of a node is connected', async () => {
    await ask();
    gateway = startServer('server 2');
    expect((await refusal(ask({ instance: 'two' })))[0]).to.equal('CONFLICT');
    await ask({ instance: 'one' });
  });

  it('gives a name away at once when its node has gone in order', async () => {
    await ask();
    await ask({ leaving: true });
    await ask({ instance: 'two' });
    await ask({ instance: 'two', leaving: true });
    gateway = startServer('server 2');
    await ask({ instance: 'three' });
  });

  it('is not brought back by a message of a node that its leaving has overtaken', async () => {
    await ask();
    await ask({ leaving: true });
    expect(await refusal(ask())).to.deep.equal([
      'CONFLICT',
      'This start of the node rack-2 has announced its end: start the node again.',
    ]);
    expect([...gateway.connectedNodes().keys()]).to.deep.equal([]);
  });

  it('keeps a name for its client, as long as the configuration has something for it', async () => {
    await ask();
    const other: NodeAccess = { client: 'client b', node: null };
    await clock.advance(SILENCE_MS);
    const [kind, message] = await refusal(ask({ instance: 'two' }, NODE, other));
    expect([kind, message]).to.deep.equal([
      'FORBIDDEN',
      'The name rack-2 belongs to another client: give this node another NODE_NAME, or take the host out of the node configuration while its node is down.',
    ]);
    gateway.configure([]);
    await ask({ instance: 'two' }, NODE, other);
  });

  it('refuses the name of its own node, a token for another name, and news of another node', async () => {
    expect(await refusal(ask({}, 'here'))).to.deep.equal([
      'CONFLICT',
      "here is the server's own node: give this one another NODE_NAME.",
    ]);
    const [kind, message] = await refusal(ask({}, NODE, { client: 'x', node: 'rack-9' }));
    expect([kind, message]).to.deep.equal([
      'FORBIDDEN',
      'The token is for the node rack-9, not for rack-2: set NODE_NAME=rack-9, or get a token with troupe token --node rack-2.',
    ]);
    for (const told of [
      { services: [{ ...deployService(1), name: 'rack-3:Faces:1' }] },
      { processes: [{ worker: 'here:Faces:1#1', tokenHash: hashToken('x') }] },
      { news: [{ what: 'gone', number: 1, worker: 'here:Faces:1#1', counted: true, reason: '' }] },
      {
        news: [
          {
            what: 'lines',
            number: 1,
            request: 'x',
            lines: [{ at: 1, worker: 'here:Faces:1#1', source: 'stdout', text: '' }],
          },
        ],
      },
    ] as const)
      expect((await refusal(ask(told)))[0]).to.equal('INVALID');
    expect(await store.load({ kind: 'node', id: NODE }), 'nothing is stored').to.equal(undefined);
    expect(said).to.deep.equal([]);
  });

  it('refuses another major version, and warns of another minor one until it is mended', async () => {
    expect(await refusal(ask({ version: '2.0.0' }))).to.deep.equal([
      'CONFLICT',
      "The node is of version 2.0.0, the server of 1.4.9: install the server's version on the node.",
    ]);
    await ask({ version: '1.3.0' });
    await ask({ version: '1.4.0', instance: 'two', formerly: 'one' });
    expect(said.map(([what, about, sentence]) => [what, about, sentence !== undefined])).to.deep.equal([
      ['warn', 'version of node rack-2', true],
      ['warn', 'version of node rack-2', false],
    ]);
  });

  it('takes no more nodes than the limit, of which silent ones do not count', async () => {
    for (const name of ['a', 'b', 'c']) await ask({}, name);
    expect((await refusal(ask({}, 'd')))[1]).to.equal('There are 3 nodes already, which is the limit.');
    await clock.advance(SILENCE_MS);
    await ask({}, 'd');
  });

  describe('with a node of a class', () => {
    const RACK = 'rack-9';
    const askAs = (message: Partial<SyncRequest> = {}) =>
      ask({ nodeClass: 'gpu', installed: [FACES], ...message }, RACK, { client: 'client b', node: null });

    it('gives it the services of the class as long as it is connected', async () => {
      const { configuration } = await askAs();
      expect(configuration?.services).to.deep.equal([FACES]);
      expect(configuration?.queues).to.deep.equal({ Faces: ['FACE'] });
      expect(gateway.members).to.deep.equal([{ host: RACK, services: [FACES] }]);
      await askAs({ leaving: true });
      expect(gateway.members).to.deep.equal([]);
      expect(said).to.deep.include(['left', RACK]);
    });

    it('no longer counts one that has fallen silent as a host of its queues', async () => {
      await askAs();
      await clock.advance(SILENCE_MS + 1);
      expect([gateway.members, gateway.byClass.size]).to.deep.equal([[], 0]);
      expect(gateway.placement.waitingReason('FACE')).to.equal(`the node ${NODE} is not connected`);
      gateway.configure([]);
      expect(gateway.placement.waitingReason('FACE')).to.equal(undefined);
      gateway.configureClasses({ classes: [{ host: 'gpu', services: [FACES] }], isInitial: false });
      expect(gateway.placement.waitingReason('FACE')).to.equal('no node of the class gpu is connected');
    });

    it('prefers what the node configuration gives to its name', async () => {
      gateway.configure([{ host: RACK, services: [{ ...FACES, serviceCount: 7 }] }]);
      expect((await askAs()).configuration?.services[0]?.serviceCount).to.equal(7);
      expect(gateway.members).to.deep.equal([]);
    });

    it('refuses an unknown class, and lists the ones that exist', async () => {
      const [kind, message] = await refusal(askAs({ nodeClass: 'gpx' }));
      expect(kind).to.equal('CONFLICT');
      expect(message).to.equal(
        'There is no node class gpx. There are: gpu. Start the node with one of them, or define gpx with troupe nodes apply-classes.',
      );
    });

    it('tells one that drains how much it still works on, without live streams', async () => {
      await askAs();
      expect(await askAs()).to.not.have.property('working');
      for (const queue of ['FACE', 'STREAM:FACE']) {
        await work(1, queue);
        await ledger.claim({ queues: [queue], max: 1, worker: `${RACK}:Faces:1#1`, lasting: true });
      }
      draining = [RACK];
      expect((await askAs()).working).to.equal(1);
      draining = [];
      expect((await askAs({ draining: true })).working).to.equal(1);
      expect(gateway.isEnding(`${RACK}:Faces:1#1`)).to.equal(true);
      expect(gateway.isEnding(`${NODE}:Faces:1#1`)).to.equal(false);
    });
  });
});
