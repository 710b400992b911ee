import { expect } from 'chai';
import { MemoryLedger } from '../../store/memory-ledger.ts';
import { SqliteStore } from '../../store/sqlite/sqlite-store.ts';
import { temporaryFolder } from './folder.ts';
import { actor, item, ledgerContract, ledgerModel, type Open } from './ledger-contract.ts';
import { ledgerTurns } from './ledger-turns.ts';

describe('The work ledger of a server that owns its store', () => {
  const path = temporaryFolder();
  const inMemory: Open = (parts) => {
    const ledger = new MemoryLedger(parts);
    return { ledger, apply: async (of, change) => ledger.apply(of, change) };
  };
  ledgerContract(inMemory);
  ledgerModel(inMemory);
  ledgerTurns(inMemory);

  describe('and of its store', () => {
    const OWNER = { server: 'here', epoch: 1 };
    const SNAPSHOT = { schema: 1, body: {} };
    const commit = (store: SqliteStore, expected: number, work: object) =>
      store.commit({ actor: actor('job'), expected, owner: OWNER, snapshot: SNAPSHOT, record: {}, work });
    let files = 0;
    const claim = { queues: ['FACE'], max: 1, worker: 'far away' };

    it('hands out what was committed, and nothing of a commit that was refused', async () => {
      const store = new SqliteStore(path(`${++files}.db`));
      await commit(store, 0, { offer: [item('a')] });
      await commit(store, 7, { offer: [item('b')] }).catch(() => undefined);
      expect(await store.work.listIds(actor('job'))).to.deep.equal(new Set(['a']));
      await store.quarantine(actor('job'), 'unreadable');
      expect(await store.work.listIds(actor('job'))).to.deep.equal(new Set());
      await store.close();
    });

    it('keeps the leases of workers that outlive the server, and only theirs', async () => {
      const file = path(`${++files}.db`);
      let store = new SqliteStore(file);
      await commit(store, 0, { offer: [item('far'), item('near')] });
      const [lease] = await store.work.claim({ ...claim, lasting: true });
      await store.work.claim({ ...claim, worker: 'child' });
      await store.close();
      store = new SqliteStore(file);
      // Live jobs offer their work again when the server starts.
      await store.work.offer([item('far'), item('near')]);
      expect((await store.work.claim({ ...claim, max: 9 })).map((one) => one.item.id)).to.deep.equal([
        'near',
      ]);
      expect(await store.work.beat(lease!.token, 'far away', 1, 2)).to.equal('on');
      await commit(store, 1, { settle: ['far'] });
      expect(await store.work.look(lease!.token, 'far away')).to.equal('settled');
      await store.close();
      store = new SqliteStore(file);
      expect(await store.work.leases(), 'what is settled is not kept').to.deep.equal([]);
      await store.close();
    });

    it('goes on when the end of a kept lease cannot be written just now', async () => {
      const ledger = new MemoryLedger();
      ledger.keepIn(
        {
          keep: () => undefined,
          drop() {
            throw new Error('database or disk is full');
          },
        },
        [],
      );
      await ledger.offer([item('a')]);
      const [lease] = await ledger.claim({ ...claim, lasting: true });
      expect(await ledger.release(lease!.token, 'far away')).to.equal(true);
      const [again] = await ledger.claim({ ...claim, lasting: true });
      expect(again?.item.id).to.equal('a');
      ledger.apply(actor('job'), { settle: ['a'] });
      expect(await ledger.leases()).to.deep.equal([]);
    });

    it('goes on to count the time for which a kept lease has been held', async () => {
      const file = path(`${++files}.db`);
      const first = new SqliteStore(file);
      await commit(first, 0, { offer: [item('a')] });
      await first.work.claim({ ...claim, lasting: true });
      await first.close();
      const settings = { leaseMs: 15_000, silenceMs: 120_000, wholeMs: 20, cancelGraceMs: 5_000 };
      await new Promise((resolve) => setTimeout(resolve, 30));
      const store = new SqliteStore(file, { work: new MemoryLedger({ settings }) });
      const [expired] = await store.work.expire(0);
      expect(expired?.reason).to.equal('not done after 20 ms');
      await store.close();
    });
  });
});
