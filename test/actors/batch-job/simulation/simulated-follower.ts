import { followRows } from '../../../../actors/batch-job/follow-job.ts';
import type { JobRecord } from '../../../../actors/batch-job/state/record.ts';
import { jobSnapshotSchema } from '../../../../actors/batch-job/state/snapshot.ts';
import type { JobState, SubJobRow } from '../../../../actors/batch-job/state/state.ts';
import { checkRestored } from './simulated-checks.ts';

/** Commits after which it looks at the job again, by turns. */
const LAGS = [1, 1, 2, 3, 5, 8];

/** What the store has of a job. */
interface Stored {
  readonly record: JobRecord;
  readonly snapshot: unknown;
  readonly rows: ReadonlyMap<string, unknown>;
}

/** Another server of a job: it learns of commits some at a time, and goes on from the state that it has. */
export class SimulatedFollower {
  #state: JobState | undefined;
  readonly #written = new Set<string>();
  #behind = 0;
  #looks = 0;
  /** Looks for which it needed all rows. */
  whole = 0;
  /** Stages in which it has gone on from what was written alone. */
  readonly stages = new Set<string>();

  /** `removed`: then what has changed is more than what was written. */
  noteCommit(keys: readonly string[], removed: boolean): void {
    this.#behind++;
    for (const key of keys) this.#written.add(key);
    if (removed) this.#state = undefined;
  }

  /** Compares what it comes to with how the job stands. */
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
