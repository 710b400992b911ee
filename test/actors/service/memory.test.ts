import { expect } from 'chai';
import { StoredMemory } from '../../../actors/service/memory.ts';
import { NEW_SERVICE } from '../../../actors/service/state.ts';
import { SqliteStore } from '../../../store/sqlite/sqlite-store.ts';
import { temporaryFolder } from '../../store/folder.ts';
import { silentLogger } from '../node-gateway/rack.ts';

const ACTOR = { kind: 'service', id: 'one:Faces:1' };
const OWNER = { server: 'here', epoch: 1 };

describe('What is kept of a service', () => {
  const path = temporaryFolder();
  let files = 0;
  let store: SqliteStore;
  beforeEach(() => {
    store = new SqliteStore(path(`memory-${++files}.db`));
  });
  afterEach(() => store.close());

  const memory = () => new StoredMemory(store, OWNER, ACTOR, silentLogger);
  const memoryAfter = (times: number) => ({ ...NEW_SERVICE, restartCount: times });
  const readRestartCount = async () => (await memory().load()).restartCount;

  for (const [what, last] of [
    ['nothing of it', 0],
    ['an earlier state of it', 1],
  ] as const)
    it(`is stored also after the store has lost its last commits and has ${what}`, async () => {
      const kept = memory();
      await kept.load();
      for (const times of [1, 2, 3]) await kept.keep(memoryAfter(times));
      await store.commit({ actor: ACTOR, expected: 3, owner: OWNER, snapshot: null });
      if (last === 1) {
        const earlier = memory();
        await earlier.load();
        await earlier.keep(memoryAfter(1));
      }
      expect(await readRestartCount()).to.equal(last);
      await kept.keep(memoryAfter(4));
      expect(await readRestartCount()).to.equal(4);
      await kept.keep(memoryAfter(5));
      expect(await readRestartCount()).to.equal(5);
    });
});
