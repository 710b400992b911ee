import type { StreamCounts } from '../../protocol/streams.ts';
import type { QueueFigures } from '../../store/ledger.ts';
import { allEntries, type Store } from '../../store/store.ts';
import type { FailureCount } from '../batch-job/failures/failure-counters.ts';
import { failureCounts } from '../batch-job/failures/failure-groups.ts';
import { LIVE_JOBS, WAITING_JOBS } from '../batch-job/state/indexes.ts';
import { freeBytes } from '../system-messages/disk-watch.ts';
import type { Happening } from '../basics/counts.ts';
import type { ActorSystem } from '../runtime/system.ts';
import { LIVE_STREAMS } from '../streaming-job/indexes.ts';
import type { StreamingStatus } from '../streaming-job/state.ts';
import type { StreamCounters } from '../worker-gateway/streams/stream-counters.ts';
import type { QueueInfo, QueueViews } from './queues.ts';
import { storedStream } from '../streaming-job/stored-stream.ts';

export interface MetricSources {
  readonly store: Store;
  readonly system: ActorSystem;
  readonly queues: QueueViews;
  /** Names of the live component processes. */
  readonly running: ReadonlySet<string>;
  readonly dataDir: string;
  readonly people: { figures(): Promise<PeopleFigures | undefined> };
  readonly streams: { readonly gateway: { readonly counters: Pick<StreamCounters, 'of'> } };
}

/** A live streaming job. */
export interface StreamFigures {
  readonly job: number;
  readonly pipeline: string;
  readonly status: StreamingStatus;
  /** Counts since the server started. */
  readonly counts: StreamCounts;
}

/** Groups of faces. */
export interface PeopleFigures {
  readonly people: number;
  /** Faces in groups, and their maximum number. */
  readonly faces: number;
  readonly mostFaces: number;
  /** Faces of ended jobs that this server is adding to groups. */
  readonly waitingFaces: number;
}

/** The state of the server as numbers. Their count does not grow with the number of past jobs. */
export interface ServiceMetrics {
  readonly jobs: { readonly live: number; readonly waiting: number };
  readonly streams: readonly StreamFigures[];
  readonly failures: readonly FailureCount[];
  readonly queues: readonly QueueInfo[];
  /** Waiting time in milliseconds of the first sub-job, by queue name. Only for queues in which sub-jobs wait. */
  readonly oldest: ReadonlyMap<string, number>;
  /** Free bytes on the disk of DATA_DIR. */
  readonly freeBytes: number;
  /** Bytes of the memory of Redis. `most` is 0 if it has no limit. Absent if the store is a file. */
  readonly memory?: { readonly used: number; readonly most: number };
  /** Absent if faces are not grouped. */
  readonly people?: PeopleFigures;
  /** Number of leases. */
  readonly leases: number;
  /** Component processes of this host, by service. */
  readonly processes: ReadonlyMap<string, number>;
  readonly actorsLoaded: number;
  readonly happened: Readonly<Record<Happening, ReadonlyMap<string, number>>>;
}

export async function serviceMetrics(sources: MetricSources): Promise<ServiceMetrics> {
  const { store, system, queues, running, dataDir } = sources;
  const [live, waiting, free, work, streams, memory, failures, people] = await Promise.all([
    store.count(LIVE_JOBS),
    store.count(WAITING_JOBS),
    freeBytes(dataDir),
    store.work.queues(),
    streamFigures(sources),
    store.memory?.(),
    failureCounts(store),
    sources.people.figures(),
  ]);
  const processes = new Map<string, number>();
  for (const worker of running) {
    const service = worker.split(':')[1] ?? worker;
    processes.set(service, (processes.get(service) ?? 0) + 1);
  }
  return {
    jobs: { live: live - waiting, waiting },
    streams,
    failures,
    queues: queues.of(work),
    oldest: oldestOf(work, queues),
    freeBytes: free,
    ...(memory === undefined ? {} : { memory }),
    ...(people === undefined ? {} : { people }),
    leases: [...work.values()].reduce((sum, { held }) => sum + held, 0),
    processes,
    actorsLoaded: system.size,
    happened: {
      restarted: system.counts.of('restarted'),
      escalated: system.counts.of('escalated'),
      deadLetter: system.counts.of('deadLetter'),
      quarantined: system.counts.of('quarantined'),
    },
  };
}

/** The oldest waiting time over the lanes of each queue. */
function oldestOf(
  work: ReadonlyMap<string, QueueFigures>,
  queues: Pick<QueueViews, 'nameOf'>,
): ServiceMetrics['oldest'] {
  const oldest = new Map<string, number>();
  for (const [queue, { waiting, oldestMs }] of work) {
    const name = queues.nameOf(queue);
    if (waiting > 0) oldest.set(name, Math.max(oldest.get(name) ?? 0, oldestMs));
  }
  return oldest;
}

async function streamFigures({ store, streams }: MetricSources): Promise<readonly StreamFigures[]> {
  const figures: StreamFigures[] = [];
  for await (const { id } of allEntries(store, LIVE_STREAMS)) {
    const job = Number(id);
    const stored = await storedStream(store, job);
    if (stored === undefined) continue;
    const { record, state } = stored;
    const counts = streams.gateway.counters.of(job);
    figures.push({ job, pipeline: record.pipelineName, status: state.status, counts });
  }
  return figures;
}
