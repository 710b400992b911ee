/** Checks after the faults are over and all jobs have ended. */
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import type { Service } from '../../support/processes/service.ts';
import type { Asking } from './chaos-asking.ts';
import { PREFIX, type ChaosCluster } from './chaos-cluster.ts';
import type { Registered } from './chaos-history.ts';

const LOOK_MS = 250;

/**
 * Remaining folders of runs, and remaining work and notices of jobs in Redis. Each read waits for the next
 * round of cleanup.
 */
export async function whatIsLeft(cluster: ChaosCluster): Promise<readonly string[]> {
  const until = Date.now() + 30_000;
  for (;;) {
    const left = [...(await filesLeft(cluster.dataDir)), ...(await keysLeft(cluster.redis.url))];
    if (left.length === 0 || Date.now() > until) return left;
    await sleep(LOOK_MS);
  }
}

async function filesLeft(dataDir: string): Promise<readonly string[]> {
  const folders = ['spool', 'media'].map(async (kind) => {
    const names = await readdir(path.join(dataDir, kind)).catch(() => []);
    return names.map((name) => path.join(kind, name));
  });
  return (await Promise.all(folders)).flat();
}

async function keysLeft(url: string): Promise<readonly string[]> {
  const redis = new Redis(url);
  try {
    const kinds = ['w:i:*', 'w:l:*', 'w:line:*', 'w:of:*', 'w:due', 'w:news', 'n:*', 'i:live*', 'quarantine'];
    const found = await Promise.all(kinds.map((kind) => redis.keys(`{${PREFIX}}:${kind}`)));
    return [...found.flat(), ...(await countsLeft(redis))];
  } finally {
    redis.disconnect();
  }
}

/** Numbers of claimed and waiting items. Zeros may remain. */
async function countsLeft(redis: Redis): Promise<readonly string[]> {
  const counts = await Promise.all(['held', 'depth'].map((name) => redis.hgetall(`{${PREFIX}}:w:${name}`)));
  return counts.flatMap((count) =>
    Object.entries(count).flatMap(([name, n]) => (n === '0' ? [] : `${name} ${n}`)),
  );
}

/** A change at one server is visible at all servers within a second. */
const TOLD_MS = 1_500;

export async function lookAt(
  all: readonly Registered[],
  services: readonly Service[],
  asking: Asking,
): Promise<void> {
  await sleep(TOLD_MS);
  for (const one of all)
    one.last = await Promise.all(
      services.map(async (service) => (await asking.of(service, 'GET', one.shownAt)).status),
    );
}
