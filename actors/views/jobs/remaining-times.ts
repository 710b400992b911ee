import type { Lease } from '../../../store/ledger.ts';
import type { Clock } from '../../basics/clock.ts';
import type { JobSnapshot } from '../../batch-job/state/snapshot.ts';

/** The estimated remaining time of a running job. */
export interface RemainingTime {
  readonly seconds: number;
  /** True if the duration of later tasks is unknown, so the job takes at least this long. */
  readonly atLeast: boolean;
}

/** Time in milliseconds for which a process that worked for a job still counts for it. */
const LATELY_MS = 5_000;
/** The estimate is dropped if there is no progress for this time in milliseconds plus STALLED_ESTIMATES times the estimate. */
const STALLED_MS = 20_000;
const STALLED_ESTIMATES = 3;
const MOST_JOBS = 10_000;
/** Rounding of estimates: up to the first number of seconds, in steps of the second. */
const STEPS = [
  [10, 1],
  [60, 5],
  [600, 15],
  [3_600, 60],
] as const;
const LARGEST_STEP = 300;

/** The used fields of a job. */
interface EstimatedJob {
  readonly record: {
    readonly jobId: string;
    readonly plan: { readonly tasks: readonly { readonly actions: readonly unknown[] }[] };
  };
  readonly snapshot: Pick<JobSnapshot, 'stage' | 'timing' | 'progress'>;
}

/** The used fields of a lease. */
interface HeldWork extends Pick<Lease, 'worker'> {
  readonly item: Pick<Lease['item'], 'kind'>;
}

/** Times are milliseconds of the steady clock. */
interface Looked {
  readonly slots: number;
  readonly slotsAt: number;
  readonly progress: number;
  /** Time when this progress was first seen. */
  readonly since: number;
}

/**
 * Estimates remaining times from the durations of the finished sub-jobs of the current task, and from the number of processes. Sub-jobs of
 * one task are alike. Those of later tasks are unknown.
 */
export class RemainingTimes {
  readonly #clock: Clock;
  /** Live jobs that clients watch. */
  readonly #looked = new Map<string, Looked>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** `progress`: includes the finished part of running sub-jobs, in percent. Returns undefined while nothing is known. */
  of(
    { record, snapshot }: EstimatedJob,
    leases: readonly HeldWork[],
    progress: number,
  ): RemainingTime | undefined {
    const { stage, timing } = snapshot;
    const { tasks } = record.plan;
    const task = stage.name === 'TASK' ? tasks[stage.index] : undefined;
    if (stage.name !== 'TASK' || task === undefined) {
      this.#looked.delete(record.jobId);
      return undefined;
    }
    const { slots, since } = this.#look(record.jobId, leases, progress);
    const first = tasks.slice(0, stage.index).reduce((sum, { actions }) => sum + actions.length, 0);
    const spentMs = timing.slice(first, first + task.actions.length).reduce((sum, ms) => sum + ms, 0);
    const part = (percent: number) => (percent / 100) * tasks.length - stage.index;
    const done = part(snapshot.progress);
    if (slots === 0 || done <= 0 || spentMs <= 0) return undefined;
    const leftMs = ((spentMs / done) * Math.max(0, 1 - part(progress))) / slots;
    if (this.#clock.steady() - since > STALLED_MS + STALLED_ESTIMATES * leftMs) return undefined;
    return { seconds: toSeconds(leftMs), atLeast: stage.index + 1 < tasks.length };
  }

  /** Between two sub-jobs a process has no lease, so recent leases count, too. */
  #look(jobId: string, leases: readonly HeldWork[], progress: number): Looked {
    const now = this.#clock.steady();
    const workers = new Set(leases.filter(({ item }) => item.kind === 'DETECT').map(({ worker }) => worker));
    const known = this.#looked.get(jobId);
    const isLate = known === undefined || now - known.slotsAt >= LATELY_MS || workers.size >= known.slots;
    const looked = {
      ...(isLate ? { slots: workers.size, slotsAt: now } : { slots: known.slots, slotsAt: known.slotsAt }),
      ...{ progress, since: known?.progress === progress ? known.since : now },
    };
    this.#looked.delete(jobId);
    this.#looked.set(jobId, looked);
    // Jobs that no client watches any more must not accumulate.
    if (this.#looked.size > MOST_JOBS) this.#looked.delete(this.#looked.keys().next().value!);
    return looked;
  }
}

/** Rounds up, so that the estimate does not change at each look. */
function toSeconds(ms: number): number {
  const seconds = ms / 1_000;
  const step = STEPS.find(([most]) => seconds <= most)?.[1] ?? LARGEST_STEP;
  return Math.max(1, Math.ceil(seconds / step) * step);
}
