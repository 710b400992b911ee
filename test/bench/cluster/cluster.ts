/**
 * Servers with one Redis: empty jobs with one to three servers, commands of two servers to one job, and
 * claims. Compared with BullMQ.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { VersionConflict } from '../../../store/store.ts';
import { RedisStore } from '../../../store/redis/redis-store.ts';
import { TestRedis } from '../../support/redis/redis.ts';
import { bareCommits } from '../jobs/core.ts';
import { bullJobs } from '../bare/bull.ts';
import { runInterleaved, round, measureTime, type Figure } from '../measure.ts';

const JOBS = 600;
const CLAIMS = 2_000;
const COMMANDS = 1_000;
/** Media of one job. Each needs an inspection and a detection, so two commands to the job. */
const MEDIA = 300;
const MANY_MEDIA = 5_000;
const CHILD = fileURLToPath(new URL('./cluster-child.js', import.meta.url));

export async function cluster(): Promise<readonly Figure[]> {
  const redis = await TestRedis.start();
  const bare = await RedisStore.open({ url: redis.url, prefix: 'bare' });
  const groups = await Promise.all([1, 2, 3].map((servers) => Servers.start(redis.url, servers)));
  let bareId = 0;
  const [one, two, three] = groups as [Servers, Servers, Servers];
  const times = await runInterleaved(3, {
    one: () => measureTime(() => one.run(JOBS)),
    two: () => measureTime(() => two.run(JOBS)),
    three: () => measureTime(() => three.run(JOBS)),
    bare: () => measureTime(() => bareCommits(bare, () => `bare-${bareId++}`, JOBS)),
  });
  const bull = await bullJobs(redis.url, JOBS);
  const [few, many] = [await oneJob(one, two, MEDIA), await oneJob(one, two, MANY_MEDIA)];
  await Promise.all(groups.map((group) => group.stop()));
  const claims = await claimTimes(bare);
  const other = await RedisStore.open({ url: redis.url, prefix: 'bare' });
  const both = await measureTime(() =>
    Promise.all([bare, other].map((store) => commands(store, COMMANDS / 2))),
  );
  await Promise.all([bare.close(), other.close()]);
  await redis.end();
  const rate = (ms: number) => round((JOBS / ms) * 1_000);
  return [
    { what: 'empty jobs per second, one server', value: rate(times.one) },
    { what: 'the same, two servers', value: rate(times.two) },
    { what: 'the same, three servers', value: rate(times.three) },
    { what: 'the same commits alone, as jobs per second', value: rate(times.bare) },
    {
      what: 'jobs per second of one server, in parts of that',
      value: round(times.bare / times.one, 2),
      aim: '0.25',
    },
    ...[1, 2, 3].map((servers, n) => ({
      what: `BullMQ, jobs per second added and done, ${servers} processes`,
      value: bull === undefined ? 'BULLMQ is not set' : rate(bull[n]!),
    })),
    { ...few, aim: '0.85' },
    many,
    { what: 'a claim, p50', value: `${round(claims[claims.length >> 1]!, 2)} ms` },
    { what: 'a claim, p99', value: `${round(claims[Math.floor(claims.length * 0.99)]!, 2)} ms` },
    { what: 'commits per second to one actor from two servers', value: round((COMMANDS / both) * 1_000) },
  ];
}

/** One job at one server, and at two servers that handle its answers alternately. */
async function oneJob(one: Servers, two: Servers, media: number): Promise<Figure> {
  const ms = await runInterleaved(3, {
    one: () => measureTime(() => one.runOne(media)),
    two: () => measureTime(() => two.runOne(media)),
  });
  const rates = [ms.one, ms.two].map((time) => round((2 * media * 1_000) / time));
  return {
    what: `commands per second to one job of ${round(media)} media: one server; two; their ratio`,
    value: [...rates, round(ms.one / ms.two, 2)].join('; '),
  };
}

/** Server processes of one cluster. */
class Servers {
  readonly #children: readonly {
    readonly child: ReturnType<typeof spawn>;
    readonly line: () => Promise<unknown>;
  }[];

  private constructor(url: string, servers: number) {
    this.#children = Array.from({ length: servers }, (_, n) => {
      const args = [CHILD, url, `servers-${servers}`, `server-${n}`];
      const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
      const lines = createInterface({ input: child.stdout });
      return { child, line: () => once(lines, 'line') };
    });
  }

  static async start(url: string, servers: number): Promise<Servers> {
    const started = new Servers(url, servers);
    await Promise.all(started.#children.map(({ line }) => line()));
    return started;
  }

  /** Runs this number of jobs, divided among the servers, until the last has ended. */
  run(jobs: number): Promise<void> {
    return this.#tellAll(() => `${Math.ceil(jobs / this.#children.length)}`);
  }

  /** Runs one job with this number of media, submitted at the first server. All servers work on it. */
  runOne(media: number): Promise<void> {
    return this.#tellAll((n) => (n === 0 ? `1 ${media}` : '0'));
  }

  async #tellAll(words: (n: number) => string): Promise<void> {
    await Promise.all(
      this.#children.map(({ child, line }, n) => {
        const done = line();
        child.stdin!.write(`${words(n)}\n`);
        return done;
      }),
    );
  }

  async stop(): Promise<void> {
    await Promise.all(
      this.#children.map(({ child }) => {
        const ended = once(child, 'exit');
        child.stdin!.end();
        return ended;
      }),
    );
  }
}

/** Sorted durations in milliseconds: claims of single items from a long queue. */
async function claimTimes(store: RedisStore): Promise<readonly number[]> {
  const actor = { kind: 'bare', id: 'claims' };
  await store.work.offer(
    Array.from({ length: CLAIMS }, (_, n) => ({
      ...{ id: `claim-${n}`, actor, key: `${n}`, queue: 'CLAIMS', priority: 4, kind: 'DETECT' },
      ...{ attempt: 1, share: 0 },
    })),
  );
  const times: number[] = [];
  for (let n = 0; n < CLAIMS; n++)
    times.push(await measureTime(() => store.work.claim({ queues: ['CLAIMS'], max: 1, worker: 'bench' })));
  return times.sort((a, b) => a - b);
}

/** Each server reads and commits. After a conflict it repeats both. */
async function commands(store: RedisStore, count: number): Promise<void> {
  const actor = { kind: 'bare', id: 'contended' };
  for (let done = 0; done < count;) {
    const expected = (await store.load(actor))?.version ?? 0;
    const commit = {
      actor,
      expected,
      owner: { server: 'bench', epoch: 1 },
      snapshot: { schema: 1, body: {} },
    };
    try {
      await store.commit({ ...commit, ...(expected === 0 ? { record: {} } : {}) });
      done++;
    } catch (error) {
      if (!(error instanceof VersionConflict)) throw error;
    }
  }
}
