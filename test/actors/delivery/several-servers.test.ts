/** Notices of servers that share a store: each is sent by only one of them. */
import { expect } from 'chai';
import { StoredLocks } from '../../../store/cluster-locks.ts';
import { SqliteStore } from '../../../store/sqlite/sqlite-store.ts';
import { temporaryFolder } from '../../store/folder.ts';
import { answer, hang, Receiver, type Manner } from '../../support/servers/receiver.ts';
import { until } from '../../support/until.ts';
import { noticeTo, stage, type Stage } from './debtor.ts';

describe('Servers that share an outbox', () => {
  const path = temporaryFolder();
  let files = 0;
  let store: SqliteStore;
  let receiver: Receiver;
  const stages: Stage[] = [];
  beforeEach(() => {
    store = new SqliteStore(path(`${++files}.db`));
  });
  afterEach(async () => {
    await Promise.all(stages.splice(0).map((one) => one.stop()));
    await store.close();
    await receiver.close();
  });

  /** A server with its own actors on the shared store. */
  const server = (name: string, idleMs = 10_000) => {
    const locks = new StoredLocks(store, { server: name, epoch: 1 }, Date.now);
    const one = stage(store, { locks, version: name, idleMs });
    stages.push(one);
    return one;
  };
  const owe = (one: Stage, ids: readonly string[]) =>
    Promise.all(
      ids.map((id) => one.debtors.ask(id, { type: 'owe', notices: [noticeTo(`${receiver.url}/`, id)] })),
    );
  const waitForDelivery = () =>
    until(
      'nothing is left in the outbox',
      () => store.destinations({ limit: 9 }),
      (left) => left.length === 0,
    );
  const names = (prefix: string, n: number) => Array.from({ length: n }, (_, i) => `${prefix}${i}`);

  it('deliver each notice once, whichever of them has made it, and also when all are told of all', async () => {
    const slow: Manner = (_, response) => void setTimeout(() => response.end(), 5);
    receiver = await Receiver.start(slow);
    const servers = [server('one'), server('two'), server('three')];
    await Promise.all(servers.map((one, n) => owe(one, names(`${n}.`, 40))));
    const told = setInterval(() => servers.forEach((one) => void one.delivery.wakeAll()), 10);
    await waitForDelivery().finally(() => clearInterval(told));
    expect(receiver.keys.size).to.equal(120);
    expect([...receiver.keys.values()].filter((times) => times !== 1)).to.deep.equal([]);
  });

  it('deliver what one of them had in hand when it died, after its time', async () => {
    receiver = await Receiver.start(hang);
    const dying = server('dying', 500);
    await owe(dying, ['a', 'b']);
    await until('both are being sent', () => receiver.requests.length === 2);
    const other = server('other', 500);
    await other.delivery.wakeAll();
    receiver.manner = answer(200);
    await dying.stop();
    await waitForDelivery();
    expect([...receiver.keys].toSorted(([a], [b]) => a.localeCompare(b))).to.deep.equal([
      ['a', 2],
      ['b', 2],
    ]);
    const { sent } = await other.debts('a');
    expect(sent).to.deep.equal(['a']);
  });
});
