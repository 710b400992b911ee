import { expect } from 'chai';
import { RedisStore } from '../../../store/redis/redis-store.ts';
import { SqliteStore } from '../../../store/sqlite/sqlite-store.ts';
import { temporaryFolder } from '../../store/folder.ts';
import { hasRedis, redisOfSuite } from '../../support/redis/redis.ts';
import { face, openSite, peopleContract } from './contract.ts';

const ADMIN = { sight: 'ALL', isAdmin: true, user: 'root' } as const;
const ALL = { sight: 'ALL', limit: 100 } as const;

describe('People over SQLite', () => {
  const path = temporaryFolder();
  let opened = 0;
  peopleContract(async () => new SqliteStore(path(`${opened++}.db`)));
});

describe('People over Redis', function () {
  if (!hasRedis()) return;
  const redis = redisOfSuite();
  let opened = 0;
  const open = (prefix: string) => RedisStore.open({ url: redis().url, prefix });
  peopleContract(() => open(`people-${opened++}`));

  it('are the same on two servers that change them at once', async () => {
    const [one, two] = [await open('pair'), await open('pair')];
    const [here, there] = [openSite(one), openSite(two)];
    const faces = (n: number) => Array.from({ length: 30 }, () => face(n % 3));
    await Promise.all(
      Array.from({ length: 10 }, (_, n) => [here.job(n, faces(n)), there.job(n, faces(n))]).flat(),
    );
    const found = await here.list();
    expect(found.map(({ jobs }) => jobs)).to.have.members([3, 3, 4]);
    expect(await there.list()).to.deep.equal(found);
    const [a, b, c] = found.map(({ id }) => id);
    await Promise.all([
      here.people.rename(a!, 'Anna', ADMIN),
      there.people.merge(b!, c!, ADMIN),
      here.people.rename(b!, 'Bob', ADMIN),
    ]);
    const after = (await there.people.list(ALL)).people;
    expect(after.map(({ name }) => name)).to.have.members(['Anna', 'Bob']);
    expect(await here.list()).to.deep.equal(after);
    await Promise.all([one.close(), two.close()]);
  });
});
