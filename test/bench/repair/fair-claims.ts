/** The cost of a claim with many users, compared with one user with the same number of jobs. */
import { RedisStore } from '../../../store/redis/redis-store.ts';
import { MemoryLedger } from '../../../store/memory-ledger.ts';
import type { WorkItem, WorkLedger } from '../../../store/ledger.ts';
import { TestRedis, hasRedis } from '../../support/redis/redis.ts';
import { round, runInterleaved, type Figure } from '../measure.ts';

const ITEMS = 100_000;
const JOBS = 1_000;
const USERS = 1_000;
/** Many short rounds, so that other load affects both sides equally. */
const ROUNDS = 25;
const CLAIMS_IN_MEMORY = 4_000;
const CLAIMS_IN_REDIS = 200;
const OFFERED_AT_A_TIME = 1_000;

const itemOf = (n: number, users: number): WorkItem => ({
  id: String(n),
  actor: { kind: 'batch-job', id: String(n % JOBS) },
  key: String(n),
  queue: 'BENCH',
  priority: 4,
  kind: 'DETECT',
  attempt: 1,
  share: 0,
  user: `user ${(n % JOBS) % users}`,
});

/** Creates a ledger in which all items wait. */
async function fill(ledger: WorkLedger, users: number): Promise<WorkLedger> {
  for (let first = 0; first < ITEMS; first += OFFERED_AT_A_TIME)
    await ledger.offer(Array.from({ length: OFFERED_AT_A_TIME }, (_, n) => itemOf(first + n, users)));
  return ledger;
}

/** Microseconds to claim and release, so that the number of waiting items stays the same. */
async function claimTime(ledger: WorkLedger, claims: number): Promise<number> {
  const start = performance.now();
  for (let n = 0; n < claims; n++) {
    const [lease] = await ledger.claim({ queues: ['BENCH'], max: 1, worker: 'bench' });
    await ledger.release(lease!.token, 'bench', false);
  }
  return ((performance.now() - start) * 1_000) / claims;
}

async function compare(store: string, claims: number, one: WorkLedger, many: WorkLedger): Promise<Figure> {
  await Promise.all([fill(one, 1), fill(many, USERS)]);
  const times = await runInterleaved(ROUNDS, {
    one: () => claimTime(one, claims),
    many: () => claimTime(many, claims),
  });
  return {
    what: `${store}: claim among ${round(ITEMS)} sub-jobs of ${round(USERS)} users / of one user`,
    value: `${round(times.many / times.one, 2)} (${round(times.many, 1)} / ${round(times.one, 1)} µs)`,
    aim: '<= 1.20',
  };
}

export async function fairClaims(): Promise<readonly Figure[]> {
  const inMemory = await compare('SQLite', CLAIMS_IN_MEMORY, new MemoryLedger(), new MemoryLedger());
  if (!hasRedis()) return [inMemory];
  const redis = await TestRedis.start();
  const [one, many] = await Promise.all(
    ['one', 'many'].map((prefix) => RedisStore.open({ url: redis.url, prefix })),
  );
  try {
    return [inMemory, await compare('Redis', CLAIMS_IN_REDIS, one!.work, many!.work)];
  } finally {
    await Promise.all([one!.close(), many!.close()]);
    await redis.end();
  }
}
