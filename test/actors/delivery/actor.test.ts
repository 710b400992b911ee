import { expect } from 'chai';
import { destinationOf } from '../../../actors/delivery/notice.ts';
import { SqliteStore } from '../../../store/sqlite/sqlite-store.ts';
import type { Store } from '../../../store/store.ts';
import { around, temporaryFolder } from '../../store/folder.ts';
import { answer, drop, hang, inTurn, Receiver, type Manner } from '../../support/servers/receiver.ts';
import { until } from '../../support/until.ts';
import { noticeTo, QUICK, stage, type Stage, type StageOptions } from './debtor.ts';

describe('The delivery actor', () => {
  const path = temporaryFolder();
  const receivers: Receiver[] = [];
  let files = 0;
  let store: SqliteStore;
  let run: Stage;

  const start = (options: StageOptions = {}, over: Store = store) => (run = stage(over, options));
  const startReceiver = async (manner: Manner = answer(200)): Promise<Receiver> => {
    const receiver = await Receiver.start(manner);
    receivers.push(receiver);
    return receiver;
  };
  /** Creates each notice with its own debtor. */
  const owe = async (receiver: Receiver, ...ids: string[]) => {
    await Promise.all(
      ids.map((id) => run.debtors.ask(id, { type: 'owe', notices: [noticeTo(`${receiver.url}/`, id)] })),
    );
  };
  const countLeft = async (): Promise<number> => {
    let n = 0;
    for (const destination of await store.destinations({ limit: 99 }))
      n += (await store.outbox(destination, { limit: 9_999 })).length;
    return n;
  };
  const waitForDelivery = () => until('nothing is left in the outbox', countLeft, (n) => n === 0);
  const names = (n: number, prefix = 'n') => Array.from({ length: n }, (_, i) => `${prefix}${i}`);

  beforeEach(() => {
    store = new SqliteStore(path(`${++files}.db`));
  });
  afterEach(async () => {
    await run.stop();
    await store.close();
    await Promise.all(receivers.splice(0).map((receiver) => receiver.close()));
  });

  it('delivers what an actor owes after its commit, and the actor takes it out of the outbox', async () => {
    start();
    const receiver = await startReceiver();
    await owe(receiver, 'a');
    await waitForDelivery();
    expect(receiver.requests.map(({ key, body }) => [key, body])).to.deep.equal([['a', '{"jobId":"a"}']]);
    expect(await run.debts('a')).to.deep.equal({ owed: [], sent: ['a'], failures: [] });
  });

  it('delivers each of many once, so many at a time as is set', async () => {
    start();
    const waiting: { end(): void }[] = [];
    // Answers only when as many requests wait as may run at a time. With a higher limit they would never be
    // answered.
    const together: Manner = (_, response) => {
      if (waiting.push(response) === QUICK.concurrency) waiting.splice(0).forEach((one) => one.end());
    };
    const receiver = await startReceiver(together);
    await owe(receiver, ...names(10 * QUICK.concurrency));
    await waitForDelivery();
    expect([...receiver.keys.values()]).to.deep.equal(Array(10 * QUICK.concurrency).fill(1));
    expect(Math.max(...receiver.requests.map(({ atATime }) => atATime))).to.equal(QUICK.concurrency);
  });

  it('finds what is owed at start, for every destination', async () => {
    start();
    await run.stop();
    start({ policy: { firstDelayMs: 60_000, maxDelayMs: 60_000 } });
    const [one, two] = [await startReceiver(drop), await startReceiver(drop)];
    await owe(one, 'a');
    await owe(two, 'b');
    const failures = async (id: string) => (await run.debts(id)).failures.length;
    await until('both have failed', async () => (await failures('a')) + (await failures('b')) === 2);
    await run.stop();
    for (const receiver of [one, two]) receiver.manner = answer(200);
    // Sets the times back, as if an hour had passed.
    for (const id of ['a', 'b']) {
      const entry = (await store.outbox((id === 'a' ? one : two).url, { limit: 1 }))[0]!;
      const { actor, ...notice } = entry;
      const stored = (await store.load(actor))!;
      await store.commit({
        actor,
        expected: stored.version,
        owner: stored.owner,
        snapshot: stored.snapshot,
        outbox: { put: [{ ...notice, due: Date.now() }] },
      });
    }
    start();
    await run.delivery.wakeAll();
    await waitForDelivery();
    expect([...one.keys, ...two.keys]).to.deep.equal([
      ['a', 2],
      ['b', 2],
    ]);
  });

  it('retries a failure with the same Idempotency-Key, and reports each error', async () => {
    start();
    const receiver = await startReceiver(inTurn(answer(500, 'oh'), drop, answer(409), answer(200)));
    await owe(receiver, 'a');
    await waitForDelivery();
    expect([...receiver.keys]).to.deep.equal([['a', 4]]);
    const { sent, failures } = await run.debts('a');
    expect(sent).to.deep.equal(['a']);
    const begin = `Sending HTTP POST callback to "${receiver.url}/" failed due to: `;
    expect(failures.map(({ reason }) => reason)).to.deep.equal([
      `${begin}the receiver answered with status 500: oh`,
      `${begin}the connection was closed before the answer was complete`,
      `${begin}the receiver answered with status 409`,
    ]);
    const attempts = failures.map(
      ({ next }) => (next?.body as { readonly attempts: number } | undefined)?.attempts,
    );
    expect(attempts).to.deep.equal([1, 2, 3]);
    const gaps = receiver.requests.slice(1).map(({ at }, n) => at - receiver.requests[n]!.at);
    for (const [n, gap] of gaps.entries()) expect(gap, `gap ${n}`).to.be.at.least(20 * 2 ** n * 0.8 - 2);
  });

  it('gives up at the age that is set, and the actor hears why', async () => {
    start({ policy: { giveUpMs: 200 } });
    const receiver = await startReceiver(answer(500));
    await owe(receiver, 'a');
    await waitForDelivery();
    const { owed, sent, failures } = await run.debts('a');
    expect([owed, sent, failures.at(-1)?.next]).to.deep.equal([[], [], null]);
    expect(receiver.requests).to.have.length(failures.length);
  });

  it('gives a post up at once when the archive does not know what it is about', async () => {
    start();
    const receiver = await startReceiver(answer(500, 'could not identify referenced item'));
    const notices = [
      noticeTo(`${receiver.url}/`, 'a', { kind: 'archive' }),
      noticeTo(`${receiver.url}/`, 'b'),
    ];
    await run.debtors.ask('x', { type: 'owe', notices });
    await until('a is given up', async () =>
      (await run.debts('x')).failures.some(({ next }) => next === null),
    );
    expect((await run.debts('x')).failures.find(({ next }) => next === null)).to.deep.equal({
      id: 'a',
      reason: `Sending HTTP POST to the archive (${receiver.url}/) failed due to: the receiver answered with status 500: could not identify referenced item`,
      next: null,
    });
    await until('the callback is tried again', () => (receiver.keys.get('b') ?? 0) > 1);
    expect(receiver.keys.get('a')).to.equal(1);
  });

  it('has no receiver wait for another that hangs or is dead', async () => {
    start({ timeoutMs: 60_000 });
    const [hanging, dead, well] = [await startReceiver(hang), await startReceiver(), await startReceiver()];
    await dead.close();
    await owe(hanging, ...names(20, 'h'));
    await owe(dead, ...names(20, 'd'));
    await until('the first one hangs', () => hanging.requests.length === QUICK.concurrency);
    await owe(well, ...names(20, 'w'));
    await until('the third has all of its own', () => well.requests.length === 20);
    expect(hanging.requests).to.have.length(QUICK.concurrency);
  });

  it('only probes a failing receiver, one request at a time, and resumes when it is well', async () => {
    start({ policy: { firstDelayMs: 50, maxDelayMs: 50 } });
    const receiver = await startReceiver(answer(503));
    await owe(receiver, ...names(40));
    const countRequests = () => receiver.requests.length;
    await until('it has been probed some times', () => countRequests() >= 12);
    const probes = receiver.requests.slice(QUICK.breakerFailures + QUICK.concurrency);
    expect(Math.max(...probes.map(({ atATime }) => atATime))).to.equal(1);
    const gaps = probes.slice(1).map(({ at }, n) => at - probes[n]!.at);
    expect(Math.min(...gaps)).to.be.at.least(45);
    receiver.manner = answer(200);
    await waitForDelivery();
    expect(receiver.keys.size).to.equal(40);
  });

  it('forgets the trouble of a receiver to which nothing is owed any more', async () => {
    start();
    const receiver = await startReceiver(answer(503));
    const destination = destinationOf(`${receiver.url}/`);
    const trouble = () => Promise.resolve(run.delivery.troubleOf(destination));
    await owe(receiver, ...names(10));
    await until('it is in lasting trouble', trouble);
    await Promise.all(names(10).map((id) => run.debtors.ask(id, { type: 'withdraw', ids: [id] })));
    await until('nothing is owed to it', countLeft, (n) => n === 0);
    await until(
      'it is forgotten',
      () => run.delivery.wakeAll().then(trouble),
      (reason) => reason === undefined,
    );
  });

  it('sends nothing that was taken out, also while other notices of its destination are sent', async () => {
    start({ policy: { concurrency: 1 } });
    const receiver = await startReceiver(hang);
    await owe(receiver, ...names(20));
    await until('the first one is on its way', () => receiver.requests.length === 1);
    const first = receiver.requests[0]!.key;
    await Promise.all(
      names(20)
        .filter((id) => id !== first && id !== 'n7')
        .map((id) => run.debtors.ask(id, { type: 'withdraw', ids: [id] })),
    );
    receiver.manner = answer(200);
    await waitForDelivery();
    expect([...receiver.keys.keys()]).to.have.members([first, 'n7']);
  });

  it('sends nothing twice when the actor cannot say for a while that it has heard', async () => {
    let broken = true;
    start({
      wrapReport: (report) => async (entry, told, envelopeId) => {
        // Every second report is processed, but its reply is lost.
        if (broken && envelopeId.length % 2 === 0) await report(entry, told, envelopeId);
        if (broken) throw new Error('no answer');
        return report(entry, told, envelopeId);
      },
    });
    const receiver = await startReceiver();
    await owe(receiver, ...names(12));
    await until('some were sent', () => receiver.requests.length >= QUICK.concurrency);
    for (let n = 0; n < 5; n++) await run.delivery.wakeAll();
    await until('half of them are settled', countLeft, (n) => n <= 10);
    broken = false;
    await waitForDelivery();
    expect([...receiver.keys.values()]).to.deep.equal(Array(12).fill(1));
    for (const id of names(12)) expect((await run.debts(id)).sent, id).to.deep.equal([id]);
  });

  it('goes on when the store works again', async () => {
    let broken = false;
    const faulty = around<Store>(store, {
      outbox: (destination, options) =>
        broken ? Promise.reject(new Error('disk')) : store.outbox(destination, options),
    });
    start({}, faulty);
    const receiver = await startReceiver();
    broken = true;
    await owe(receiver, ...names(30));
    broken = false;
    await waitForDelivery();
    expect([...receiver.keys.values()]).to.deep.equal(Array(30).fill(1));
  });

  it('goes on after a failure of its own, and repeats what was under way', async () => {
    let fail = 2;
    start({
      wrapSend: (send) => (request, signal) => {
        if (fail-- > 0) return Promise.resolve(null as never);
        return send(request, signal);
      },
    });
    const receiver = await startReceiver();
    await owe(receiver, ...names(10));
    await waitForDelivery();
    expect(receiver.keys.size).to.equal(10);
  });

  it('leaves memory when there is nothing to do, and also while it waits for a late notice', async function () {
    this.timeout(240_000);
    start({ idleMs: 100, policy: { firstDelayMs: 8_000, maxDelayMs: 8_000 } });
    const [well, dead] = [await startReceiver(), await startReceiver(inTurn(answer(500), answer(200)))];
    await owe(well, 'a');
    await owe(dead, 'b');
    await until('one has failed', async () => (await run.debts('b')).failures.length === 1);
    const deliverers = () => run.system.roster.page({ limit: 10, kind: 'delivery' }).actors.length;
    expect(deliverers()).to.equal(2);
    await until('the deliverers have left', deliverers, (n) => n === 0);
    await waitForDelivery();
    expect([...dead.keys]).to.deep.equal([['b', 2]]);
  });

  it('waits, when the server stops, for the ends of what is under way, and sends nothing new', async () => {
    start({ timeoutMs: 60_000 });
    const [well, hanging] = [await startReceiver(hang), await startReceiver(hang)];
    let go = () => {};
    const gone = new Promise<void>((resolve) => (go = resolve));
    well.manner = (_, response) => void gone.then(() => response.end());
    await owe(well, ...names(10));
    await until('some are under way', () => well.requests.length === QUICK.concurrency);
    const settling = run.delivery.settle(20_000);
    go();
    await settling;
    expect(await countLeft(), 'they are taken out').to.equal(10 - QUICK.concurrency);
    expect(well.requests).to.have.length(QUICK.concurrency);
    await run.stop();

    start({ timeoutMs: 60_000 });
    await owe(hanging, 'h');
    await until('it hangs', () => hanging.requests.length === 1);
    await run.delivery.settle(50);
    expect(await countLeft(), 'it does not wait for ever').to.equal(11 - QUICK.concurrency);
  });

  it('gives up a running request when the server stops, and sends it at the next start', async () => {
    start({ timeoutMs: 60_000 });
    const receiver = await startReceiver(hang);
    await owe(receiver, 'a');
    await until('the request has come', () => receiver.requests.length === 1);
    // Connections stay open at the stop: the request must be aborted, not cut off.
    await run.system.stop(1_000);
    await until('its connection is closed', () => receiver.connections === 0, Boolean, { withinMs: 5_000 });
    receiver.manner = answer(200);
    start();
    await run.delivery.wakeAll();
    await waitForDelivery();
    expect([...receiver.keys]).to.deep.equal([['a', 2]]);
  });
});
