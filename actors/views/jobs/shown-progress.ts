import type { WorkStatus } from '../../../store/ledger.ts';
import { isTerminal } from '../../batch-job/state/status.ts';
import type { StoredJob } from '../../batch-job/state/stored-job.ts';

const MAX_SHOWN = 10_000;

/** The progress of jobs for clients: it never decreases, even when a lease is lost. */
export class ShownProgress {
  /** The highest progress shown for each live job. */
  readonly #shown = new Map<string, number>();

  /** Committed progress and the finished part of running sub-jobs. */
  of({ record, snapshot }: StoredJob, work: WorkStatus | undefined): number {
    const key = `${record.jobId}.${snapshot.run}`;
    if (isTerminal(snapshot.status)) {
      this.#shown.delete(key);
      return 100;
    }
    const running = (work?.leases ?? []).filter(({ item }) => item.share > 0);
    const part = running.reduce(
      (sum, { done, total, item }) => sum + item.share * (total > 0 ? Math.min(1, done / total) : 0),
      0,
    );
    const shown = Math.min(99, Math.max(this.#shown.get(key) ?? 0, snapshot.progress + part));
    this.#shown.set(key, shown);
    // Jobs that no client watches any more must not accumulate.
    if (this.#shown.size > MAX_SHOWN) this.#shown.delete(this.#shown.keys().next().value!);
    return Math.round(shown * 100) / 100;
  }
}
