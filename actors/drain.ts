import type { Settings } from '../config/settings.ts';
import { allEntries, type Store } from '../store/store.ts';
import { LIVE_JOBS } from './batch-job/indexes.ts';
import type { Guardian } from './guardian.ts';
import { delay } from './runtime/clock.ts';
import type { ActorSystem } from './runtime/system.ts';
import { STOP_COMPONENTS_MS } from './service/policy.ts';

const MAILBOXES_MS = 2_000;
const LOOK_MS = 25;

/**
 * The orderly end of the actors: no new jobs, no more claims, up to DRAIN_MS for what runs, then the components stop and
 * give back what they hold; the store stays open for all of it. What is unfinished goes on at the next start.
 */
export async function drain(
  guardian: Guardian,
  system: ActorSystem,
  store: Store,
  settings: Settings,
): Promise<void> {
  const { jobService, workerGateway, nodeManager } = guardian;
  const until = system.clock.steady() + settings.DRAIN_MS;
  const condition = async (end: number, holds: () => Promise<boolean>) => {
    while (system.clock.steady() < end && !(await holds())) await delay(system.clock, LOOK_MS);
  };
  jobService.close();
  if (settings.SHUTDOWN_POLICY === 'cancel') {
    for await (const { id } of allEntries(store, LIVE_JOBS)) guardian.jobs.tell(id, { type: 'shutdown' });
    await condition(until, async () => (await store.count(LIVE_JOBS)) === 0);
  }
  workerGateway.close();
  await condition(until, async () => (await store.work.leases()).length === 0);
  await nodeManager.family.ask(nodeManager.host, { type: 'stop' });
  const stopped = system.clock.steady() + STOP_COMPONENTS_MS + 1_000;
  await condition(stopped, () => Promise.resolve(nodeManager.running.size === 0));
  await guardian.delivery.settle(MAILBOXES_MS);
  // Until now whoever watches a job could see how it stands.
  guardian.watch.close();
  await system.stop(MAILBOXES_MS);
}
