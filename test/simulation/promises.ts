/** Guarantees of all servers together, checked at every commit, at every claim and at the end. */
import { isTerminal, type BatchJobStatus } from '../../actors/batch-job/state/status.ts';
import type { JobRecord } from '../../actors/batch-job/state/record.ts';
import type { SubJobRow } from '../../actors/batch-job/state/state.ts';
import type { Assignment } from '../../protocol/worker-protocol.ts';
import type { Lease } from '../../store/ledger.ts';
import type { ActorKey, Commit } from '../../store/store.ts';
import type { Witness } from './shared-redis.ts';

const JOB = 'batch-job';
/** Work that is still done for a cancelled job. */
const SURVIVES_CANCEL = new Set(['FINISH', 'DOCUMENT', 'UPLOAD']);

/** A job as seen in its commits. */
export interface SeenJob {
  readonly record: JobRecord;
  run: number;
  status: BatchJobStatus;
  /** By run. */
  readonly ends: Map<number, BatchJobStatus>;
  readonly cancelled: Set<number>;
  readonly rows: Map<string, SubJobRow>;
  /** The results in the document of the run. */
  found: readonly string[];
}

interface StoredState {
  readonly status: BatchJobStatus;
  readonly run: number;
  readonly baseRun?: number;
  readonly stage: { readonly name: string };
}

export class Promises implements Witness {
  readonly jobs = new Map<string, SeenJob>();
  /** Number of lost attempts, by sub-job. */
  readonly #lost = new Map<string, number>();
  /** Number of reported ends, by job. */
  readonly #toldEnds = new Map<string, number>();
  /** Leases of work that was no longer needed when it was claimed. */
  readonly #tooLate = new Set<string>();
  broken: string | undefined;
  /** The history of events, for error messages. */
  readonly story: string[] = [];
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  tell(line: string): void {
    this.story.push(`${this.#now().toFixed(1)} ${line}`);
  }

  /** Records that a guarantee was broken, and how. */
  breaks(promise: string, how: string): void {
    this.tell(`BROKEN: ${promise}: ${how}`);
    this.broken ??= `${promise}: ${how}`;
  }

  /** A server has reported and counted the end of a job. */
  toldEnd(jobId: string): void {
    const told = (this.#toldEnds.get(jobId) ?? 0) + 1;
    this.#toldEnds.set(jobId, told);
    const [job] = [...this.jobs.values()].filter(({ record }) => record.jobId === jobId);
    const ends = job?.ends.size ?? 0;
    if (told > ends)
      this.breaks(
        'the end of a run is told once',
        `${jobId} has ended ${ends} times, and that was told ${told} times`,
      );
  }

  /** A component has died, hung or sent an invalid answer with this sub-job. */
  attemptLost(subJob: string): void {
    this.#lost.set(subJob, (this.#lost.get(subJob) ?? 0) + 1);
  }

  noteCommit(commit: Commit, before: number, version: number): void {
    const { actor, expected, snapshot } = commit;
    if (expected !== before)
      this.breaks(
        'no commit but on the last version',
        `${actor.kind}/${actor.id} was at version ${before}, and a commit came for ${expected}`,
      );
    if (actor.kind !== JOB || snapshot === null) return;
    const state = (snapshot.body as { readonly state: StoredState }).state;
    this.tell(`${commit.owner.server} commits ${actor.id} v${version}: run ${state.run} ${state.status}`);
    const job = this.jobs.get(actor.id) ?? newJob(commit.record as JobRecord);
    this.jobs.set(actor.id, job);
    this.#passesOn(actor, job, state);
    this.#rows(job, commit);
    if (state.stage.name === 'DOCUMENT' && job.found.length === 0) job.found = foundIn(job.rows);
    if (state.status === 'CANCELLING' || state.status === 'CANCELLED') job.cancelled.add(state.run);
    if (isTerminal(state.status)) job.ends.set(state.run, state.status);
    Object.assign(job, { run: state.run, status: state.status });
  }

  #passesOn({ id }: ActorKey, job: SeenJob, { run, baseRun, status }: StoredState): void {
    const end = job.ends.get(run);
    if (end !== undefined && end !== status)
      this.breaks('a run ends once', `run ${run} of job ${id} was ${end} and then ${status}`);
    if (run === job.run) return;
    if (run !== job.run + 1 || !isTerminal(job.status))
      this.breaks(
        'runs follow each other',
        `job ${id} was ${job.status} in run ${job.run}, and is in run ${run}`,
      );
    // A retry continues with the rows of the previous run.
    if (baseRun === undefined) job.rows.clear();
    job.found = [];
  }

  #rows(job: SeenJob, { putRows = [], removeRows = [] }: Commit): void {
    for (const prefix of removeRows)
      for (const key of job.rows.keys()) if (key.startsWith(prefix)) job.rows.delete(key);
    for (const { key, body } of putRows) {
      const row = body as SubJobRow;
      if (row.key !== key) continue;
      job.rows.set(key, row);
      const lost = this.#lost.get(row.id) ?? 0;
      if (row.attempts > lost)
        this.breaks(
          'only components cost attempts',
          `${row.id} has lost ${row.attempts} attempts, and components have lost ${lost} of them`,
        );
    }
  }

  noteClaims(leases: readonly Lease[]): void {
    for (const { item, worker, token } of leases) {
      this.tell(`${worker} claims ${item.id} (${item.kind}, attempt ${item.attempt}) as ${token}`);
      const job = this.jobs.get(item.actor.id);
      const run = Number(/-\d+\.(\d+)\./.exec(item.id)?.[1]);
      if (job?.cancelled.has(run) === true && !SURVIVES_CANCEL.has(item.kind)) this.#tooLate.add(token);
    }
  }

  /** A component has claimed it. */
  handedOut({ token, id }: Assignment, worker: string): void {
    if (this.#tooLate.has(token))
      this.breaks('a cancelled job hands out no work', `${id} was handed out to ${worker}`);
  }

  noteQuarantine({ kind, id }: ActorKey, reason: string): void {
    this.breaks('nothing goes into quarantine', `${kind}/${id}: ${reason}`);
  }
}

const newJob = (record: JobRecord): SeenJob => ({
  record,
  run: 1,
  status: 'UNKNOWN',
  ends: new Map(),
  cancelled: new Set(),
  rows: new Map(),
  found: [],
});

/**
 * The content of a document: each sub-job with its outcome and attempts. Without run, tokens and error texts.
 */
export function foundIn(rows: ReadonlyMap<string, unknown>): readonly string[] {
  return [...rows.values()]
    .map((body) => body as SubJobRow)
    .filter(({ kind }) => kind !== 'DOCUMENT')
    .map(({ key, kind, state, attempts, summary, tracks, error }) =>
      JSON.stringify([key.slice(key.indexOf('/')), kind, state, attempts, summary, tracks, error?.code]),
    )
    .toSorted();
}
