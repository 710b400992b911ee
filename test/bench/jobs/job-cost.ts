/**
 * Processor time of an empty job with Redis: of Redis and of the only server, with the Redis commands used.
 * PROFILE= is a folder for a CPU profile of the server.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import { TestRedis } from '../../support/redis/redis.ts';
import { cpuMsOf, median, round, type Figure } from '../measure.ts';

const JOBS = 1_000;
const ROUNDS = 5;
const CHILD = fileURLToPath(new URL('../cluster/cluster-child.js', import.meta.url));
const MOST_SHOWN = 12;

interface Round {
  readonly server: number;
  readonly redis: number;
  readonly scripts: number;
  /** Calls per job, by command. */
  readonly calls: ReadonlyMap<string, number>;
}

export async function jobCost(): Promise<readonly Figure[]> {
  const redis = await TestRedis.start();
  const asking = new Redis(redis.url);
  const folder = process.env['PROFILE'];
  const profile = folder === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${folder}`];
  const child = spawn(process.execPath, [...profile, CHILD, redis.url, 'cost', 'server-0'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout });
  await once(lines, 'line');
  const run = async () => {
    const done = once(lines, 'line');
    child.stdin.write(`${JOBS}\n`);
    await done;
  };
  await run();
  const rounds: Round[] = [];
  for (let n = 0; n < ROUNDS; n++) rounds.push(await measureRound(asking, child.pid!, run));
  const ended = once(child, 'exit');
  child.stdin.end();
  await ended;
  asking.disconnect();
  await redis.end();
  return figuresOf(rounds);
}

async function measureRound(redis: Redis, server: number, run: () => Promise<void>): Promise<Round> {
  await redis.config('RESETSTAT');
  const [before, busy] = [cpuMsOf(server), await busyMs(redis)];
  await run();
  const [after, then] = [cpuMsOf(server), await busyMs(redis)];
  const stats = (await redis.info('commandstats')).matchAll(/^cmdstat_([\w|]+):calls=(\d+)/gm);
  const calls = new Map([...stats].map(([, name, count]) => [name!, Number(count) / JOBS]));
  const scripts = (calls.get('evalsha') ?? 0) + (calls.get('eval') ?? 0);
  return { server: (after - before) / JOBS, redis: (then - busy) / JOBS, scripts, calls };
}

/** Processor time of Redis so far in milliseconds, without its background writes. */
async function busyMs(redis: Redis): Promise<number> {
  const info = await redis.info('cpu');
  const seconds = [...info.matchAll(/^used_cpu_(?:sys|user):([\d.]+)/gm)].map(([, value]) => Number(value));
  return 1_000 * seconds.reduce((sum, value) => sum + value, 0);
}

function figuresOf(rounds: readonly Round[]): readonly Figure[] {
  const of = (read: (of: Round) => number) => median(rounds.map(read));
  const names = [...new Set(rounds.flatMap(({ calls }) => [...calls.keys()]))];
  const calls = names.map((name) => [name, of((one) => one.calls.get(name) ?? 0)] as const);
  const most = calls.toSorted((a, b) => b[1] - a[1]).slice(0, MOST_SHOWN);
  const total = of((one) => [...one.calls.values()].reduce((sum, count) => sum + count, 0));
  return [
    {
      what: 'CPU of the server, an empty job',
      value: `${round(
        of(({ server }) => server),
        2,
      )} ms`,
      aim: '0.8 ms',
    },
    {
      what: 'CPU of Redis, an empty job',
      value: `${round(
        of(({ redis }) => redis),
        2,
      )} ms`,
      aim: '0.35 ms',
    },
    {
      what: 'scripts of an empty job',
      value: round(
        of(({ scripts }) => scripts),
        1,
      ),
      aim: '4',
    },
    { what: 'commands of an empty job', value: round(total, 0), aim: '70' },
    { what: 'most frequent', value: most.map(([name, count]) => `${name} ${round(count, 1)}`).join(', ') },
  ];
}
