/**
 * The real actors of one server with their real timers and connections, on simulated time, network and disk.
 */
import { openCatalog } from '../../actors/catalog/actor.ts';
import { Catalog } from '../../actors/catalog/catalog.ts';
import { PendingClaims } from '../../actors/dispatcher/pending-claims.ts';
import { Cluster } from '../../actors/cluster/cluster.ts';
import { ADMISSION } from '../../actors/admission/actor.ts';
import { LIVE_JOBS, REMOVED_JOBS } from '../../actors/batch-job/state/indexes.ts';
import { DISPATCHER, startTicking } from '../../actors/dispatcher/actor.ts';
import { guard, type Guardian } from '../../actors/guardian/guardian.ts';
import { startReconciling } from '../../actors/upkeep/reconcile.ts';
import { every } from '../../actors/basics/clock.ts';
import { ActorSystem } from '../../actors/runtime/system.ts';
import { AnswerFiles } from '../../actors/worker-gateway/results/answer-files.ts';
import { AnswerSettlement } from '../../actors/worker-gateway/results/answer-settlement.ts';
import { IDEMPOTENCY_KEEP_MS } from '../../actors/guardian/resume.ts';
import type { Settings } from '../../config/settings.ts';
import type { Send } from '../../egress/request.ts';
import { ResultChecker } from '../../results/check/check.ts';
import { StoredLocks } from '../../store/cluster-locks.ts';
import { allEntries } from '../../store/store.ts';
import { PlainTree } from '../actors/runtime/plain-tree.ts';
import { silent } from '../bench/parts.ts';
import { Connection, DEAF, type ConnectionDeps } from './connection.ts';
import { DESCRIPTOR } from './shapes.ts';
import { ProcessClock, type SimulatedTime } from './time.ts';

export interface ServerDeps extends Pick<ConnectionDeps, 'redis' | 'network'> {
  readonly time: SimulatedTime;
  readonly settings: Settings;
  readonly silenceMs: number;
  readonly send: Send;
  /** Notifies all servers that work was offered. */
  spread(by: Server, offered: Parameters<Connection['hear']>[0]): void;
  onFailure(actor: string, error: unknown): void;
  /** The log of a server reports the end of a job. */
  toldEnd(jobId: string): void;
}

/** Like http/metrics/work-metrics.ts, but without values. */
const METER = {
  jobEnded() {},
  subJobEnded() {},
  countFound() {},
  streamEnded() {},
  reportEnded() {},
  eventCame() {},
};
const ADMISSION_LOOK_MS = 500;

export class Server {
  readonly name: string;
  readonly clock: ProcessClock;
  readonly connection: Connection;
  readonly guardian: Guardian;
  readonly settlement: AnswerSettlement;
  /** Whether it responds to clients and components. */
  isUp = false;
  readonly #deps: ServerDeps;
  readonly #cluster: Cluster;
  readonly #locks: StoredLocks;

  constructor(name: string, epoch: number, deps: ServerDeps) {
    const { time, settings } = deps;
    this.name = name;
    this.#deps = deps;
    this.clock = new ProcessClock(time);
    this.connection = new Connection({
      ...{ server: name, redis: deps.redis, network: deps.network, clock: this.clock },
      spread: (all) => all.forEach((offered) => deps.spread(this, offered)),
    });
    const { store, liveness } = this.connection;
    this.#cluster = new Cluster({
      ...{ ledger: liveness, channel: DEAF, clock: this.clock, logger: silent },
      ...{ node: name, server: name, silenceMs: deps.silenceMs },
    });
    this.#locks = new StoredLocks(store, { server: name, epoch }, () => this.clock.now(), this.#cluster);
    this.guardian = this.#guard(epoch);
    const { DATA_DIR: dataDir } = settings;
    const files = new AnswerFiles({
      ...{ store, dataDir, realDataDir: dataDir, serverId: name },
      localPath: () => Promise.resolve(undefined),
    });
    const { jobs } = this.guardian;
    const catalog = { versionOf: () => undefined };
    this.settlement = new AnswerSettlement(
      {
        store,
        jobs,
        clock: this.clock,
        logger: silent,
        meter: METER,
        catalog,
        pendingClaims: new PendingClaims(),
      },
      files,
    );
  }

  #guard(epoch: number): Guardian {
    const { settings, send, onFailure, toldEnd } = this.#deps;
    const system = new ActorSystem(new PlainTree(), this.clock, { onEscalation: onFailure });
    const info = (about: unknown, what?: string) => {
      if (what === 'a job has ended') toldEnd((about as { readonly jobId: string }).jobId);
    };
    return guard({
      ...{ system, settings, send, epoch, store: this.connection.store, serverId: this.name },
      ...{ logger: { ...silent, info }, meter: METER },
      ...{ checker: new ResultChecker(), catalog: new Catalog({}) },
      ...{ serverProperties: {}, components: [], own: [], movedFiles: [], version: 'simulated' },
      places: { TROUPE_NODE: '', TROUPE_HOME: '' },
      fetchLimits: { mediaRoots: [], excluded: [], maxBytes: 1, timeoutMs: 1, allowPrivate: false },
      realDataDir: settings.DATA_DIR,
      uploads: { keepDuring: (_, work) => work() },
      alone: false,
      together: new Set(),
      findModel: { algorithms: new Set(), problem: () => Promise.resolve(undefined) },
      cluster: this.#cluster,
      locks: this.#locks,
      askArchive: () => Promise.resolve({ kind: 'none' }),
      present: () => Promise.reject(new Error('there is no broker')),
      url: 'http://127.0.0.1',
      serverUrl: () => '',
      bearer: () => Promise.resolve(undefined),
      checkMedium: () => Promise.resolve(undefined),
      localPath: () => Promise.resolve(undefined),
    });
  }

  /** Starts the server. While Redis is unreachable, the start is repeated, as a service manager would do. */
  async start(): Promise<void> {
    this.#deps.redis.connected.add(this.name);
    for (;;)
      try {
        await openCatalog(this.guardian.catalogActor, [DESCRIPTOR], silent, true);
        await this.#cluster.start();
        await this.#takeUp();
        break;
      } catch {
        await this.clock.wait(300);
      }
    this.#workPeriodically();
    this.isUp = true;
  }

  async #takeUp(): Promise<void> {
    const { jobs, admission, delivery } = this.guardian;
    const { store } = this.connection;
    for (const index of [LIVE_JOBS, REMOVED_JOBS])
      for await (const { id } of allEntries(store, index)) jobs.tell(id, { type: 'resume' });
    admission.tell(ADMISSION, { type: 'open' });
    await delivery.wakeAll();
  }

  #workPeriodically(): void {
    const { guardian, clock, connection } = this;
    const { dispatcher, admission } = guardian;
    const { settings } = this.#deps;
    startTicking(clock, (stalledMs) => dispatcher.tell(DISPATCHER, { type: 'tick', stalledMs }));
    every(clock, ADMISSION_LOOK_MS, () => Promise.resolve(admission.tell(ADMISSION, { type: 'open' })));
    startReconciling({
      ...guardian,
      ...{ store: connection.store, clock, locks: this.#locks, cluster: this.#cluster },
      streamingJobs: guardian.streams.jobs,
      keysKeptMs: IDEMPOTENCY_KEEP_MS,
      everyMs: settings.RECONCILE_MS,
    });
  }

  /** Ends the process and loses its memory. */
  kill(): void {
    this.isUp = false;
    this.clock.kill();
    this.#deps.redis.connected.delete(this.name);
  }

  /** Breaks its connection to Redis, which both sides notice. It reconnects after `ms` milliseconds. */
  disconnect(ms: number): void {
    const { redis, time } = this.#deps;
    redis.connected.delete(this.name);
    this.connection.link.cutUntil = time.now + ms;
    this.clock.soon(() => this.#cluster.doubt());
    this.clock.after(ms, () => redis.connected.add(this.name));
  }
}
