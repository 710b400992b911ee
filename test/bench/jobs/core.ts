/** Empty jobs, mailboxes, and memory of idle jobs, without REST and components. */
import fastq from 'fastq';
import { systemClock } from '../../../actors/basics/clock.ts';
import { ComedyTree } from '../../../actors/runtime/comedy-tree.ts';
import { DEFAULT_INTENSITY } from '../../../actors/runtime/supervision.ts';
import { ActorSystem } from '../../../actors/runtime/system.ts';
import { LIVE_JOBS } from '../../../actors/batch-job/state/indexes.ts';
import type { Store } from '../../../store/store.ts';
import { runInterleaved, round, measureTime, type Figure } from '../measure.ts';
import { answerAll, emptyJob, startCore, type Core } from '../parts.ts';

const JOBS = 1_000;
/** Commits of an empty job: accept (synced), prepare, detect, finish and end. */
const COMMITS = 4;

export async function emptyJobs(): Promise<readonly Figure[]> {
  const core = await startCore();
  const stop = new AbortController();
  const answering = answerAll(core, stop.signal);
  let bareId = 0;
  const times = await runInterleaved(5, {
    service: () => measureTime(() => runJobs(core)),
    bare: () => measureTime(() => bareCommits(core.store, () => `bare-${bareId++}`)),
  });
  stop.abort();
  await answering;
  await core.close();
  return [
    { what: 'empty jobs per second, through actors and store', value: round((JOBS / times.service) * 1_000) },
    {
      what: 'the same commits without actors, as jobs per second',
      value: round((JOBS / times.bare) * 1_000),
    },
    { what: 'ratio of wall times', value: round(times.service / times.bare, 2) },
  ];
}

async function runJobs({ jobService, store }: Core): Promise<void> {
  const submissions = await Promise.all(Array.from({ length: JOBS }, () => jobService.submit(emptyJob)));
  const refused = submissions.find(({ kind }) => kind !== 'accepted');
  if (refused !== undefined) throw new Error(JSON.stringify(refused));
  while ((await store.count(LIVE_JOBS)) > 0) await new Promise((resolve) => setTimeout(resolve, 2));
}

export async function bareCommits(store: Store, id: () => string, jobs = JOBS): Promise<void> {
  const body = { text: 'x'.repeat(900) };
  await Promise.all(
    Array.from({ length: jobs }, async () => {
      const actor = { kind: 'bare', id: id() };
      for (let expected = 0; expected < COMMITS; expected++)
        await store.commit({
          actor,
          expected,
          owner: { server: 'bench', epoch: 1 },
          snapshot: { schema: 1, body },
          putRows: [{ key: `${expected}`, body }],
          index: { bare: expected },
          ...(expected === 0 ? { record: body, synced: true } : {}),
        });
    }),
  );
}

const MESSAGES = 200_000;
const IN_FLIGHT = 100;

export async function mailboxes(): Promise<readonly Figure[]> {
  const system = new ActorSystem(new ComedyTree(), systemClock);
  const family = system.register({
    name: 'counter',
    accepts: new Set(['add'] as const),
    mailbox: 1_000,
    intensity: DEFAULT_INTENSITY,
    load: () => Promise.resolve({ handle: () => Promise.resolve(1) }),
  });
  const bare = fastq.promise<undefined, number, number>(() => Promise.resolve(1), 1);
  const times = await runInterleaved(7, {
    service: () => measureTime(() => flood(() => family.ask('one', { type: 'add' }))),
    bare: () => measureTime(() => flood(() => bare.push(1))),
  });
  await system.stop(1_000);
  return [
    {
      what: 'mailbox messages per second (ask, 100 in flight)',
      value: round((MESSAGES / times.service) * 1_000),
    },
    { what: 'bare fastq, the same', value: round((MESSAGES / times.bare) * 1_000) },
    { what: 'ratio of wall times', value: round(times.service / times.bare, 1) },
  ];
}

async function flood(send: () => Promise<unknown>): Promise<void> {
  await Promise.all(
    Array.from({ length: IN_FLIGHT }, async () => {
      for (let i = 0; i < MESSAGES / IN_FLIGHT; i++) await send();
    }),
  );
}

const IDLE_JOBS = 10_000;

/** Live jobs that wait for a component that does not exist. Run with --expose-gc. */
export async function idleJobs(): Promise<readonly Figure[]> {
  const core = await startCore({ MAX_LIVE_JOBS: '20000', IDLE_ACTOR_MS: '1000' });
  const before = heap();
  for (let i = 0; i < IDLE_JOBS; i += 500)
    await Promise.all(Array.from({ length: 500 }, () => core.jobService.submit(emptyJob)));
  const loaded = heap();
  const actors = core.system.size;
  while (core.system.size > 5) await new Promise((resolve) => setTimeout(resolve, 100));
  // The tree removes the nodes of unloaded actors one by one.
  await new Promise((resolve) => setTimeout(resolve, 5_000));
  const idle = heap();
  await core.close();
  const mib = (bytes: number) => round(bytes / 1024 / 1024, 1);
  return [
    {
      what: `heap of ${round(IDLE_JOBS)} accepted jobs, ${round(actors)} actors loaded`,
      value: `${mib(loaded - before)} MiB (${round((loaded - before) / IDLE_JOBS)} bytes a job)`,
    },
    {
      what: 'heap when they have been idle and left memory',
      value: `${mib(idle - before)} MiB (${round((idle - before) / IDLE_JOBS)} bytes a job)`,
    },
  ];
}

function heap(): number {
  globalThis.gc?.();
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}
