/** Callbacks from the outbox of a real store to a receiver, compared with a client that only sends. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import superagent from 'superagent';
import { destinationOf } from '../../../actors/delivery/notice.ts';
import { SqliteStore } from '../../../store/sqlite/sqlite-store.ts';
import { noticeTo, stage } from '../../actors/delivery/debtor.ts';
import { runInterleaved, round, measureTime, type Figure } from '../measure.ts';

const CALLBACKS = 10_000;
const CONCURRENCY = 8;

export async function deliveries(): Promise<readonly Figure[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'troupe-bench-'));
  const child = fork(fileURLToPath(new URL('./receiver.js', import.meta.url)));
  const [port] = (await once(child, 'message')) as [number];
  const url = `http://127.0.0.1:${port}/done`;
  const store = new SqliteStore(path.join(folder, 'troupe.db'));
  const run = stage(store, { policy: { concurrency: CONCURRENCY }, idleMs: 600_000 });
  let turn = 0;
  const times = await runInterleaved(5, {
    service: async () => {
      await owe(store, url, `r${turn++}`);
      return measureTime(async () => {
        run.delivery.wake(destinationOf(url));
        while ((await store.outbox(destinationOf(url), { limit: 1 })).length > 0)
          await new Promise((resolve) => setTimeout(resolve, 2));
      });
    },
    bare: () => measureTime(() => sendAll(url)),
  });
  await run.stop();
  await store.close();
  child.disconnect();
  rmSync(folder, { recursive: true, force: true });
  return [
    {
      what: `callbacks per second, from the outbox to the commit that takes them out (${round(CALLBACKS)}, ${CONCURRENCY} at a time)`,
      value: round((CALLBACKS / times.service) * 1_000),
    },
    { what: 'bare superagent, the same', value: round((CALLBACKS / times.bare) * 1_000) },
    { what: 'ratio of wall times', value: round(times.service / times.bare, 2) },
  ];
}

/** Stores each callback with its own actor, like an ended job. */
async function owe(store: SqliteStore, url: string, turn: string): Promise<void> {
  await Promise.all(
    Array.from({ length: CALLBACKS }, async (_, n) => {
      const id = `${turn}.${n}`;
      await store.commit({
        actor: { kind: 'debtor', id },
        expected: 0,
        owner: { server: 'bench', epoch: 1 },
        record: {},
        snapshot: { schema: 1, body: { state: { owed: [id], sent: [], failures: [] }, seen: [] } },
        outbox: { put: [noticeTo(url, id)] },
      });
    }),
  );
}

async function sendAll(url: string): Promise<void> {
  const agent = new Agent({ keepAlive: true });
  let next = 0;
  const sender = async () => {
    while (next < CALLBACKS)
      await superagent
        .post(url)
        .agent(agent)
        .send({ jobId: `bare.${next++}` });
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, sender));
  agent.destroy();
}
