import { access } from 'node:fs/promises';
import type { Logger } from '../../../config/logger.ts';
import { ownDocument } from '../../../results/layout.ts';
import { todaysUri, type MovedStart } from '../../../results/moved-files.ts';
import { archiveCheckInSteps, type ArchiveCheckStatus } from '../../../domain/job/archive.ts';
import type { ArchiveFinding, ArchiveQuestion } from '../../../domain/types.ts';
import { withLock, type ClusterLocks } from '../../../store/cluster-locks.ts';
import { allRows, type Notice, type Store } from '../../../store/store.ts';
import type { Clock } from '../../basics/clock.ts';
import { inTurns } from '../../runtime/steps.ts';
import type { Family } from '../../runtime/system.ts';
import { storedJob } from '../state/stored-job.ts';
import { BATCH_JOB } from '../state/keys.ts';
import { archiveJob } from './archive.ts';
import type { FailedPost, JobCommand, JobReply } from '../state/commands.ts';
import { ARCHIVE_ROWS } from './notices.ts';
import type { JobRecord } from '../state/record.ts';
import type { JobState } from '../state/state.ts';
import { isTerminal } from '../state/status.ts';

/** After so long without a sign of life of the server that asks another one does. */
const LOCK_MS = 15_000;

export interface ArchiveChecksDeps {
  readonly store: Store;
  readonly jobs: Family<JobCommand, JobReply>;
  readonly locks: ClusterLocks;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly dataDir: string;
  /** What archives call documents of before a move of the data folder, and what these are called today. */
  readonly movedFiles: readonly MovedStart[];
  /** Asks the archives of a job for an earlier one like it. Never rejects. */
  ask(question: ArchiveQuestion): Promise<ArchiveFinding>;
  /** Sends a post to its archive now, unless the signal breaks it off; answers why it failed. */
  post(notice: Notice, signal: AbortSignal): Promise<string | undefined>;
}

export interface ArchiveCheckResult {
  readonly status: ArchiveCheckStatus;
  /** `later`: to be asked once the media are inspected. */
  readonly answer: ArchiveFinding | 'later' | 'notAsked';
}

/** Queries archives before a job, and posts the results of an ended job again on request (specification 6.4). */
export class ArchiveChecks {
  readonly #deps: ArchiveChecksDeps;
  /** Jobs whose question is on its way. */
  readonly #asking = new Set<string>();

  constructor(deps: ArchiveChecksDeps) {
    this.#deps = deps;
  }

  /** Before a job is created: asked at once when the request says enough of its media. */
  async check(wanted: Omit<JobRecord, 'number' | 'jobId'>): Promise<ArchiveCheckResult> {
    const check = await inTurns(archiveCheckInSteps(archiveJob(wanted)));
    if (check.kind === 'notAsked') {
      const later = check.status === 'MEDIA_HASHES_ABSENT' || check.status === 'MEDIA_MIME_TYPES_ABSENT';
      return { status: check.status, answer: later ? 'later' : 'notAsked' };
    }
    if (wanted.media.some(({ problem }) => problem !== undefined))
      return { status: 'NO_MATCH', answer: 'notAsked' };
    const answer = await this.#ask(check.question);
    return { status: answer.kind === 'match' ? 'FOUND_MATCH' : 'NO_MATCH', answer };
  }

  /**
   * After inspection, for the job's actor; one question at a time for each job, whichever server has it. A server that is gone before the
   * answer leaves it to the next one that takes the job up. Never rejects: what goes wrong is a warning of the job.
   */
  async checkInspected(record: JobRecord, state: JobState): Promise<void> {
    const { locks, clock, logger } = this.#deps;
    const asked = `${record.number}.${state.run}`;
    if (this.#asking.has(asked)) return;
    this.#asking.add(asked);
    try {
      await withLock(locks, clock, `archive-check/${asked}`, LOCK_MS, () => this.#checkOnce(record, state));
    } catch (err) {
      logger.warn({ err, jobId: record.jobId }, 'could not ask the archive for a job now');
    } finally {
      this.#asking.delete(asked);
    }
  }

  /** The job has stored the answer when this is over. */
  async #checkOnce(record: JobRecord, { run, media }: JobState): Promise<void> {
    if (!(await this.#isWaiting(record, run))) return;
    const answer = await this.#answerFor(record, media);
    const command = { type: 'archiveChecked', run, answer } as const;
    await this.#deps.jobs.ask(String(record.number), command, { deadlineMs: Infinity });
  }

  /** Another server may have asked meanwhile. */
  async #isWaiting({ number }: JobRecord, run: number): Promise<boolean> {
    const { snapshot } = (await storedJob(this.#deps.store, number)) ?? {};
    return snapshot?.run === run && snapshot.stage.name === 'CHECK';
  }

  async #answerFor(record: JobRecord, media: JobState['media']): Promise<ArchiveFinding> {
    try {
      const check = await inTurns(archiveCheckInSteps(archiveJob(record, media)));
      return check.kind === 'ask' ? await this.#ask(check.question) : { kind: 'none' };
    } catch (error) {
      return { kind: 'failed', reason: String(error) };
    }
  }

  /** An archive goes on naming documents of this service that were removed with their jobs: these stand for nothing. */
  async #ask(question: ArchiveQuestion): Promise<ArchiveFinding> {
    const { ask, dataDir, movedFiles } = this.#deps;
    const found = await ask(question);
    if (found.kind !== 'match') return found;
    const outputUri = todaysUri(found.match.outputUri, movedFiles);
    const answer = { ...found, match: { ...found.match, outputUri } };
    const file = ownDocument(dataDir, outputUri);
    if (file === undefined) return answer;
    return access(file).then(
      () => answer,
      () => ({ kind: 'none' }) as const,
    );
  }

  /** Posts the results of a job once more, as they were; answers why that failed. When nobody waits any more (`gone`), what is left is not posted. */
  async repost(number: number, gone: AbortSignal): Promise<string | undefined> {
    const job = await storedJob(this.#deps.store, number);
    if (job === undefined) return `Could not find job with id ${number}.`;
    if (!isTerminal(job.snapshot.status)) return 'Job is still running.';
    const { archive } = job.snapshot;
    if (archive === null) return undefined;
    const { arrived, failed } = await this.#postAgain(number, gone);
    // What was never prepared cannot be posted: the reason stays.
    if (arrived.length + failed.length === 0) return archive.failures.join('\n\n');
    await this.#deps.jobs.ask(String(number), { type: 'archiveReposted', arrived, failed });
    return failed.length === 0 ? undefined : failed.map(({ reason }) => reason).join('\n\n');
  }

  async #postAgain(
    number: number,
    gone: AbortSignal,
  ): Promise<{ readonly arrived: readonly string[]; readonly failed: readonly FailedPost[] }> {
    const arrived: string[] = [];
    const failed: FailedPost[] = [];
    const actor = { kind: BATCH_JOB, id: String(number) };
    for await (const { body } of allRows(this.#deps.store, actor, ARCHIVE_ROWS)) {
      const notice = body as Notice;
      const reason = await this.#deps.post(notice, gone);
      // Whether one that was broken off has arrived is not known: it stays as it was.
      if (gone.aborted) break;
      if (reason === undefined) arrived.push(notice.id);
      else failed.push({ id: notice.id, reason });
    }
    return { arrived, failed };
  }
}
