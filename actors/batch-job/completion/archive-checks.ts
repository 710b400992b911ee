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

/** Time until the lock of a silent server expires, and another server asks the archive. */
const LOCK_MS = 15_000;

export interface ArchiveChecksDeps {
  readonly store: Store;
  readonly jobs: Family<JobCommand, JobReply>;
  readonly locks: ClusterLocks;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly dataDir: string;
  /** Old and current starts of document URIs, for documents that archives recorded before the data folder was moved. */
  readonly movedFiles: readonly MovedStart[];
  /** Asks the archives of a job for an equal earlier job. Never rejects. */
  ask(question: ArchiveQuestion): Promise<ArchiveFinding>;
  /** Sends a post to its archive now. The signal aborts it. Returns the reason of a failure. */
  post(notice: Notice, signal: AbortSignal): Promise<string | undefined>;
}

export interface ArchiveCheckResult {
  readonly status: ArchiveCheckStatus;
  /** `later`: the archive is asked after the media are inspected. */
  readonly answer: ArchiveFinding | 'later' | 'notAsked';
}

/** Queries archives before a job, and posts the results of an ended job again on request (specification 6.4). */
export class ArchiveChecks {
  readonly #deps: ArchiveChecksDeps;
  /** Runs of jobs with an open question to the archive. */
  readonly #asking = new Set<string>();

  constructor(deps: ArchiveChecksDeps) {
    this.#deps = deps;
  }

  /** Asks the archive before a job is created, if the request contains enough facts about its media. */
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
   * Asks the archive after inspection and sends the answer to the job. The servers ask one question at a time for each run. If a server
   * dies before the answer, the next server that loads the job asks again. Never rejects: a failure becomes a warning of the job.
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

  /** Resolves after the job has stored the answer. */
  async #checkOnce(record: JobRecord, { run, media }: JobState): Promise<void> {
    if (!(await this.#isWaiting(record, run))) return;
    const answer = await this.#answerFor(record, media);
    const command = { type: 'archiveChecked', run, answer } as const;
    await this.#deps.jobs.ask(String(record.number), command, { deadlineMs: Infinity });
  }

  /** True if the job still waits for the answer. Another server may have asked in the meantime. */
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

  /** Asks the archive. A match does not count if this service has deleted its document with the job. */
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

  /**
   * Posts the stored results of a job again. Returns the reason of a failure. `gone` aborts when the client disconnects; the remaining
   * posts are then not sent.
   */
  async repost(number: number, gone: AbortSignal): Promise<string | undefined> {
    const job = await storedJob(this.#deps.store, number);
    if (job === undefined) return `Could not find job with id ${number}.`;
    if (!isTerminal(job.snapshot.status)) return 'Job is still running.';
    const { archive } = job.snapshot;
    if (archive === null) return undefined;
    const { arrived, failed } = await this.#postAgain(number, gone);
    // Without stored posts there is nothing to send. The earlier reason remains.
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
      // The result of an aborted post is unknown, so its state does not change.
      if (gone.aborted) break;
      if (reason === undefined) arrived.push(notice.id);
      else failed.push({ id: notice.id, reason });
    }
    return { arrived, failed };
  }
}
