import type { Lease } from '../../../store/ledger.ts';
import type { Clock } from '../../basics/clock.ts';
import type { JobSnapshot } from '../../batch-job/state/snapshot.ts';

/** How long a job that runs will still take. */
export interface RemainingTime {
  readonly seconds: number;
  /** How long its later tasks will take is not known: it takes at least this long. */
  readonly atLeast: boolean;
}

/** Processes that have worked for a job lately count as its own for so long: milliseconds. */
const LATELY_MS = 5_000;
const MOST_JOBS = 10_000;
/** Up to so many seconds, an estimate is told in steps of so many. */
const STEPS = [
  [10, 1],
  [60, 5],
  [600, 15],
  [3_600, 60],
] as const;
const LARGEST_STEP = 300;

/** What is read of a job. */
interface EstimatedJob {
  readonly record: {
    readonly jobId: string;
    readonly plan: { readonly tasks: readonly { readonly actions: readonly unknown[] }[] };
  };
  readonly snapshot: Pick<JobSnapshot, 'stage' | 'timing' | 'progress'>;
}

/** What is read of a lease. */
interface HeldWork extends Pick<Lease, 'worker'> {
  readonly item: Pick<Lease['item'], 'kind'>;
}

interface Slots {
  readonly count: number;
  /** Milliseconds of the steady clock. */
  readonly at: number;
}

/**
 * Estimates from what the finished sub-jobs of the present task took, and from the processes that work for the job. Sub-jobs of one task
 * are alike, while nothing is known of those of the next one.
 */
export class RemainingTimes {
  readonly #clock: Clock;
  /** Of live jobs that somebody looks at. */
  readonly #slots = new Map<string, Slots>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** `progress`: with the done part of sub-jobs that run, in percent. Undefined while nothing is known. */
  of(
    { record, snapshot }: EstimatedJob,
    leases: readonly HeldWork[],
    progress: number,
  ): RemainingTime | undefined {
    const { stage, timing } = snapshot;
    const { tasks } = record.plan;
    const task = stage.name === 'TASK' ? tasks[stage.index] : undefined;
    if (stage.name !== 'TASK' || task === undefined) {
      this.#slots.delete(record.jobId);
      return undefined;
    }
    const slots = this.#slotsOf(record.jobId, leases);
    const first = tasks.slice(0, stage.index).reduce((sum, { actions }) => sum + actions.length, 0);
    const spentMs = timing.slice(first, first + task.actions.length).reduce((sum, ms) => sum + ms, 0);
    const part = (percent: number) => (percent / 100) * tasks.length - stage.index;
    const done = part(snapshot.progress);
    if (slots === 0 || done <= 0 || spentMs <= 0) return undefined;
    const leftMs = (spentMs / done) * Math.max(0, 1 - part(progress));
    return { seconds: toSeconds(leftMs / slots), atLeast: stage.index + 1 < tasks.length };
  }

  /** Between two sub-jobs a process has none. */
  #slotsOf(jobId: string, leases: readonly HeldWork[]): number {
    const now = this.#clock.steady();
    const workers = new Set(leases.filter(({ item }) => item.kind === 'DETECT').map(({ worker }) => worker));
    const known = this.#slots.get(jobId);
    const lately = known !== undefined && now - known.at < LATELY_MS ? known.count : 0;
    if (workers.size >= lately) {
      this.#slots.delete(jobId);
      this.#slots.set(jobId, { count: workers.size, at: now });
      // Jobs that nobody looks at any more do not pile up here.
      if (this.#slots.size > MOST_JOBS) this.#slots.delete(this.#slots.keys().next().value!);
    }
    return Math.max(lately, workers.size);
  }
}

/** Rounded up, so that it does not change at each look. */
function toSeconds(ms: number): number {
  const seconds = ms / 1_000;
  const step = STEPS.find(([most]) => seconds <= most)?.[1] ?? LARGEST_STEP;
  return Math.max(1, Math.ceil(seconds / step) * step);
}
