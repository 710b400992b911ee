import type { Store } from '../../store/store.ts';
import { LIVE_JOBS, WAITING_JOBS } from '../batch-job/bookkeeping.ts';
import { DISPATCHER } from '../dispatcher/actor.ts';
import type { DispatcherCommand, DispatcherReply } from '../dispatcher/commands.ts';
import type { Happening } from '../runtime/counts.ts';
import type { ActorSystem, Family } from '../runtime/system.ts';
import type { QueueInfo, QueueViews } from './queues.ts';

export interface FigureParts {
  readonly store: Store;
  readonly system: ActorSystem;
  readonly dispatcher: Family<DispatcherCommand, DispatcherReply>;
  readonly queues: QueueViews;
  /** Names of the component processes that live now. */
  readonly running: ReadonlySet<string>;
}

/** How the server stands, in figures. None of it grows with the past. */
export interface Figures {
  readonly jobs: { readonly live: number; readonly waiting: number };
  readonly queues: readonly QueueInfo[];
  /** Sub-jobs in the hands of components. */
  readonly leases: number;
  /** Component processes of this host, by service. */
  readonly processes: ReadonlyMap<string, number>;
  readonly actorsLoaded: number;
  readonly happened: Readonly<Record<Happening, ReadonlyMap<string, number>>>;
}

/** For an operator's figures a busy server need not be waited for. */
const DEADLINE_MS = 2_000;

export async function figures({ store, system, dispatcher, queues, running }: FigureParts): Promise<Figures> {
  const [live, waiting, shown, report] = await Promise.all([
    store.count(LIVE_JOBS),
    store.count(WAITING_JOBS),
    queues.all(),
    dispatcher.ask(DISPATCHER, { type: 'report' }, { deadlineMs: DEADLINE_MS }),
  ]);
  const processes = new Map<string, number>();
  for (const worker of running) {
    const service = worker.split(':')[1] ?? worker;
    processes.set(service, (processes.get(service) ?? 0) + 1);
  }
  return {
    jobs: { live: live - waiting, waiting },
    queues: shown,
    leases: report.kind === 'report' ? report.leases.length : 0,
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
