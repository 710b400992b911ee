import type { Settings } from '../../config/settings.ts';
import type { Lease } from '../../store/ledger.ts';
import { allEntries, type Store } from '../../store/store.ts';
import { LIVE_JOBS } from '../batch-job/state/indexes.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { Guardian } from './guardian.ts';
import { nodeOfWorker } from '../node-gateway/rules.ts';
import { LIVE_STREAMS } from '../streaming-job/indexes.ts';
import { delay } from '../basics/clock.ts';
import type { ActorSystem } from '../runtime/system.ts';
import { STOP_COMPONENTS_MS } from '../service/policy.ts';

const MAILBOXES_MS = 2_000;
const LOOK_MS = 25;
/** Time between two checks with a shared store, where each check is a request to the store. */
const SHARED_LOOK_MS = 250;

/** Silence of the store after which the drain no longer waits: the store is unlikely to be back soon and to accept the end of work. */
const STORE_AWAY_MS = 2_000;
/** Timeout of the check that the store accepts writes. */
const ASKING_MS = 500;
/** Time that components then get to stop, because their results cannot be stored. */
const LOST_COMPONENTS_MS = 500;

/**
 * Stops the actors in order: there are no new jobs and no new claims. Running work gets up to DRAIN_MS, then the components stop and
 * return their leases. The store stays open meanwhile, and unfinished work continues at the next start. With a shared store, each
 * server waits only for its own components: other servers continue theirs and get the returned work. While the store does not
 * answer, no sub-job can end, so the drain does not wait.
 */
export async function drain(
  guardian: Guardian,
  system: ActorSystem,
  store: Store,
  settings: Settings,
  cluster: Presence | undefined,
): Promise<void> {
  const { jobService, workerGateway, nodeManager, nodes, streams } = guardian;
  const until = system.clock.steady() + settings.DRAIN_MS;
  const wait = new Wait(system, store, cluster);
  // A live stream has no end to wait for. Its component reports its last findings when it is stopped.
  const endsHere = ({ item, worker }: Lease) =>
    item.kind !== 'STREAM' && (!store.shared || nodeOfWorker(worker) === nodeManager.host);
  guardian.operations.runner.close();
  jobService.close();
  await wait.ask();
  if (settings.SHUTDOWN_POLICY === 'cancel') {
    for await (const { id } of allEntries(store, LIVE_JOBS)) guardian.jobs.tell(id, { type: 'shutdown' });
    for await (const { id } of allEntries(store, LIVE_STREAMS)) streams.jobs.tell(id, { type: 'shutdown' });
    const live = async () => (await store.count(LIVE_JOBS)) + (await store.count(LIVE_STREAMS));
    await wait.until(until, async () => (await live()) === 0);
  }
  workerGateway.close();
  nodes.gateway.close();
  await wait.until(until, async () => !(await store.work.leases()).some(endsHere));
  const stop = wait.isLost ? { withinMs: LOST_COMPONENTS_MS } : {};
  await nodeManager.family.ask(nodeManager.host, { type: 'stop', ...stop });
  const stopped = system.clock.steady() + STOP_COMPONENTS_MS + 1_000;
  await wait.until(stopped, () => Promise.resolve(nodeManager.running.size === 0), { needsStore: false });
  await guardian.delivery.settle(MAILBOXES_MS);
  streams.reports.close();
  // Until now, clients could watch their jobs.
  guardian.watch.close();
  guardian.operations.watch.close();
  guardian.listWatch.close();
  // The indexer sends messages to jobs, so it closes before their actors stop.
  await guardian.streamIndexer?.close();
  await guardian.indexer?.close();
  guardian.people.close();
  await system.stop(MAILBOXES_MS);
}

type Presence = Pick<Cluster, 'silentMs' | 'isRefused' | 'sayNow'>;

/** Waits for the end of work while the store accepts it. */
class Wait {
  readonly #clock: ActorSystem['clock'];
  readonly #lookMs: number;
  readonly #cluster: Presence | undefined;

  constructor({ clock }: ActorSystem, store: Store, cluster: Presence | undefined) {
    this.#clock = clock;
    this.#lookMs = store.shared ? SHARED_LOOK_MS : LOOK_MS;
    this.#cluster = cluster;
  }

  /** True if the store does not answer or accepts no writes, so that no work can end. */
  get isLost(): boolean {
    return this.#cluster?.isRefused === true || (this.#cluster?.silentMs ?? 0) >= STORE_AWAY_MS;
  }

  /** Checks that the store accepts writes. */
  async ask(): Promise<void> {
    if (this.#cluster !== undefined)
      await Promise.race([this.#cluster.sayNow(), delay(this.#clock, ASKING_MS)]);
  }

  /** Resolves when `holds` is true, and at `end` at the latest. */
  async until(end: number, holds: () => Promise<boolean>, { needsStore = true } = {}): Promise<void> {
    // If the store does not answer, the state of the work is unknown.
    for (let answered = this.#clock.steady(); ;) {
      const told = await holds().catch(() => undefined);
      const now = this.#clock.steady();
      if (told !== undefined) answered = now;
      if (needsStore && this.isLost) return;
      if (told === true || now >= end || now - answered >= STORE_AWAY_MS) return;
      await delay(this.#clock, this.#lookMs);
    }
  }
}
