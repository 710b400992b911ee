/** Registers the parts of streaming jobs on a server: their actors, intake, reports and live views. */
import type { Logger } from '../../config/logger.ts';
import type { CatalogLookup } from '../../domain/plan/plan-lookup.ts';
import type { Send } from '../../egress/request.ts';
import type { OpenPresence } from '../../protocol/mqtt-message.ts';
import type { ResultChecker } from '../../results/check/check.ts';
import type { SpoolLimits } from '../../results/spool.ts';
import type { ClusterLocks } from '../../store/cluster-locks.ts';
import type { News } from '../../store/ledger.ts';
import type { Owner, Store } from '../../store/store.ts';
import type { Repeats } from '../requests/idempotency.ts';
import type { JobModels } from '../requests/request-models.ts';
import type { Cluster, StreamOrder } from '../cluster/cluster.ts';
import type { JobNumbers } from '../requests/job-numbers.ts';
import { every } from '../basics/clock.ts';
import { DEFAULT_INTENSITY } from '../runtime/supervision.ts';
import type { ActorSystem, Family } from '../runtime/system.ts';
import type { StreamMeter } from '../basics/meter.ts';
import { storedStream } from '../streaming-job/stored-stream.ts';
import { StreamViews } from '../views/streams.ts';
import { StreamZoneViews } from '../views/stream-zones.ts';
import type { StreamSettings } from '../worker-gateway/streams/stream-assignment.ts';
import { StreamGateway } from '../worker-gateway/streams/streams.ts';
import { streamingJobKind } from '../streaming-job/actor.ts';
import type { StreamingJobCommand } from '../streaming-job/commands.ts';
import type { StreamingJobReply, StreamingJobRules } from '../streaming-job/context.ts';
import { StreamingJobService } from '../streaming-service/job-service.ts';
import { RecordingStore } from '../streaming-job/recordings/recording-store.ts';
import { LiveStreams } from '../streaming-job/live.ts';
import { StreamReports } from '../streaming-job/reports/reports.ts';
import { StreamPresence } from '../streaming-service/presence.ts';
import type { StreamingRequestSettings } from '../streaming-service/request.ts';
import type { StreamingJobRecord } from '../streaming-job/state.ts';
import type { StreamIndexer } from '../search/stream-indexer.ts';
import { tellStreams } from '../streaming-job/work-news.ts';

export interface StreamsDeps {
  readonly store: Store;
  readonly locks: ClusterLocks;
  /** The servers that share the store; absent if this server is alone. */
  readonly others?: Pick<Cluster, 'order' | 'onOrder'>;
  readonly serverId: string;
  readonly owner: Owner;
  readonly logger: Logger;
  readonly catalog: CatalogLookup;
  readonly readCatalog?: () => Promise<unknown>;
  readonly checker: ResultChecker;
  readonly repeats: Repeats;
  readonly numbers: JobNumbers;
  readonly models: JobModels;
  readonly send: Send;
  readonly present: OpenPresence;
  readonly meter: StreamMeter;
  readonly dataDir: string;
  /** Free disk space below which the oldest recordings are deleted. */
  readonly minFreeBytes: number;
  readonly mailbox: number;
  readonly idleMs: number;
  readonly maxStreams: number;
  readonly rules: StreamingJobRules;
  readonly request: StreamingRequestSettings;
  readonly gateway: StreamSettings;
  readonly resultLimits: SpoolLimits;
  /** Absent if the search is off. */
  readonly search?: Pick<StreamIndexer, 'remove'> | undefined;
  /** True if tracks of segments are kept for the search. */
  readonly searchesStreams: boolean;
  readonly reports: {
    readonly everyMs: number;
    readonly timeoutMs: number;
    readonly maxQueued: number;
  };
  /** Delivers the notices in the outbox for these destinations. */
  deliver(destinations: readonly string[]): void;
  /** Returns why the server accepts no jobs at all now, or undefined if it does. */
  refusalOfAll(): Promise<string | undefined>;
  /** The process of this worker has done the work that it was started for. */
  rest(worker: string): void;
}

export interface Streams {
  readonly jobs: Family<StreamingJobCommand, StreamingJobReply>;
  readonly service: StreamingJobService;
  readonly gateway: StreamGateway;
  readonly reports: StreamReports;
  readonly live: LiveStreams;
  readonly recordings: RecordingStore;
  readonly views: StreamViews;
  readonly zoneViews: StreamZoneViews;
  /** Reports losses and drops of work to the jobs. */
  tell(news: readonly News[]): void;
  /** Sends health reports of all live jobs at regular intervals, until the returned function is called. */
  startReporting(): () => void;
  /** Shows on brokers which streams are analyzed, until the returned function is called. */
  startPresence(): () => void;
}

export function registerStreams(system: ActorSystem, deps: StreamsDeps): Streams {
  const { store, logger, dataDir } = deps;
  const { clock } = system;
  const { others, serverId: by } = deps;
  const recordings = new RecordingStore({ store, clock, logger, dataDir, minFreeBytes: deps.minFreeBytes });
  const live = new LiveStreams(clock, (job, words) => others?.order({ type: 'stream', by, job, words }));
  const reports = new StreamReports({
    ...deps,
    ...deps.reports,
    clock,
    tellOthers: (job) => others?.order({ type: 'streamReports', by, job }),
  });
  others?.onOrder((order) => {
    if ((order.type === 'stream' || order.type === 'streamReports') && order.by !== by)
      void hearOrder(order, store, live, reports).catch(() => undefined);
  });
  const removeFiles = async (record: StreamingJobRecord) =>
    (await reports.removeFiles(record)) && (await (deps.search?.remove(record.number) ?? true));
  const jobs: Streams['jobs'] = system.register(
    streamingJobKind({
      ...deps,
      clock,
      intensity: DEFAULT_INTENSITY,
      health: (record, state) => reports.health(record, state),
      onStall: (record, state) => reports.onStall(record, state),
      publish: (record, state) => reports.publish(record, state),
      errorReport: (record, state, message) => reports.error(record, state, message),
      onChange: (record, state) => live.tell(record.number, { type: 'state', record, state }),
      onEnd: (record, { status, detail }) => {
        live.over(record.number);
        gateway.counters.over(record.number);
        deps.meter.streamEnded(record.pipelineName, status);
        void reports.onEnd(record);
        logger.info({ jobId: record.number, status, detail }, 'a streaming job has ended');
      },
      removeFiles,
      tell: (number, command) => jobs.tell(String(number), command),
    }),
  );
  const gateway = new StreamGateway({
    ...deps,
    ...{ streamingJobs: jobs, live, clock, settings: deps.gateway, recordings },
  });
  const views = new StreamViews({ store, dataDir, live, reports });
  return {
    jobs,
    live,
    reports,
    recordings,
    views,
    zoneViews: new StreamZoneViews(store),
    service: new StreamingJobService({
      ...deps,
      jobs,
      clock,
      settings: deps.request,
      removeFiles,
    }),
    gateway,
    tell: (news) => void tellStreams(jobs, store.work, news),
    startPresence: () => new StreamPresence({ ...deps, clock }).start(),
    startReporting: () => every(clock, deps.reports.everyMs, () => reports.healthOfAll()),
  };
}

/** Handles a message of another server about a stream. */
async function hearOrder(
  order: StreamOrder,
  store: Store,
  live: LiveStreams,
  reports: StreamReports,
): Promise<void> {
  if (order.type === 'streamReports') return reports.hear(order.job);
  if (order.words.what !== 'changed') return live.hear(order.job, order.words);
  const stored = await storedStream(store, order.job);
  if (stored !== undefined) live.hearState(stored.record, stored.state);
}
