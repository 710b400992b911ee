import { followRows } from '../../../../actors/batch-job/follow-job.ts';
import type { JobRecord } from '../../../../actors/batch-job/state/record.ts';
import { jobSnapshotSchema } from '../../../../actors/batch-job/state/snapshot.ts';
import type { JobState, SubJobRow } from '../../../../actors/batch-job/state/state.ts';
import { checkRestored } from './simulated-checks.ts';

/** Numbers of commits between two reads of the job, used in turn. */
const LAGS = [1, 1, 2, 3, 5, 8];

/** The stored parts of a job. */
interface Stored {
  readonly record: JobRecord;
  readonly snapshot: unknown;
  readonly rows: ReadonlyMap<string, unknown>;
}

/**
 * Another server that follows a job: it reads several commits at a time and updates the state that it has.
 */
export class SimulatedFollower {
  #state: JobState | undefined;
  readonly #written = new Set<string>();
  #behind = 0;
  #looks = 0;
  /** Number of reads that needed all rows. */
  whole = 0;
  /** Stages that it followed with only the written rows. */
  readonly stages = new Set<string>();

  /** `removed`: rows were deleted, so the written rows are not enough. */
  noteCommit(keys: readonly string[], removed: boolean): void {
    this.#behind++;
    for (const key of keys) this.#written.add(key);
    if (removed) this.#state = undefined;
  }

  /** Compares the followed state with the state of the job. */
  look({ record, snapshot, rows }: Stored, job: JobState, restoreState: () => JobState): void {
    if (this.#behind < LAGS[this.#looks % LAGS.length]!) return;
    this.#looks++;
    this.#behind = 0;
    const written = [...this.#written].map((key) => rows.get(key) as SubJobRow);
    this.#written.clear();
    const next = this.#state && followRows(record, this.#state, jobSnapshotSchema.parse(snapshot), written);
    if (next === undefined) this.whole++;
    else {
      checkRestored(next, job);
      this.stages.add(`${next.stage.name}${next.inspecting === null ? '' : ' while media are inspected'}`);
    }
    this.#state = next ?? restoreState();
  }
}
