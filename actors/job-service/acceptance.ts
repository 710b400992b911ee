/** Stores a job whose request has passed all checks. The job gets its number, its place in admission and its actor. */
import { randomUUID } from 'node:crypto';
import { traceFacts, type JobTrace } from '../../domain/job/trace.ts';
import { jobIdOf } from '../../domain/job/job-id.ts';
import { pathOf } from '../../results/file-keys.ts';
import { removeFile } from '../../files/remove.ts';
import { ADMISSION } from '../admission/actor.ts';
import type { AdmissionReply } from '../admission/model.ts';
import { isFull } from '../system-messages/disk-watch.ts';
import { DeliveryError } from '../basics/errors.ts';
import { storedJob } from '../batch-job/state/stored-job.ts';
import type { ArchiveCheckResult } from '../batch-job/completion/archive-checks.ts';
import { copiesResults } from '../batch-job/completion/archive.ts';
import { requestFilesOf, withDataUrisInFile } from '../batch-job/completion/data-uris.ts';
import type { JobServiceDeps } from './job-request.ts';
import { jobFacts } from '../batch-job/log-facts.ts';
import type { JobRecord } from '../batch-job/state/record.ts';
import type { Repeatable } from '../requests/idempotency.ts';
import type { PlannedJob } from './request-checks.ts';
import { isTerminal, type BatchJobStatus } from '../batch-job/state/status.ts';
import type { Accepted, Submission } from '../requests/submission.ts';

export class Acceptance {
  readonly #deps: JobServiceDeps;

  constructor(deps: JobServiceDeps) {
    this.#deps = deps;
  }

  async accept(
    { wanted, archiveUrls }: PlannedJob,
    repeatable: Repeatable | undefined,
    trace: JobTrace | undefined,
  ): Promise<Submission> {
    const check = await this.#deps.archive.check(wanted);
    const [number, mediaId] = await Promise.all([
      this.#numberOf(repeatable),
      this.#deps.store.next('medium', wanted.media.length),
    ]);
    if (number === 'conflict') return { kind: 'keyReused' };
    const record: JobRecord = {
      ...wanted,
      number,
      jobId: jobIdOf(this.#deps.settings.jobIdHost, number),
      archiveCheckStatus: check.status,
      media: wanted.media.map((medium, i) => {
        const url = archiveUrls[i];
        return {
          ...medium,
          mediaId: mediaId + i,
          ...(url === undefined || url === null ? {} : { archiveUrl: url }),
        };
      }),
    };
    const isNew = repeatable === undefined;
    const outcome = await this.#enter(record, check.answer, { trace, isNew });
    if (outcome === 'overloaded') return refuseOverload();
    if (outcome === 'noRoom') return noRoom();
    // The same request arrived twice at once, and the other one was stored first.
    if (outcome === 'exists') return (await this.acceptedBefore(number)) ?? acceptedAs(record, check);
    const answer = acceptedAs(record, check);
    const { priority, externalId } = record;
    const more = { ...(externalId === null ? {} : { externalId }), ...traceFacts(trace) };
    this.#deps.logger.info({ ...jobFacts(record), priority, ...more }, 'a job was accepted');
    // The job is stored, so it is accepted even if its answer cannot be stored now.
    if (repeatable !== undefined) await this.#deps.repeats.keep(repeatable, answer).catch(() => undefined);
    return answer;
  }

  /** The answer that was sent when this job was accepted. */
  async acceptedBefore(number: number): Promise<Accepted | undefined> {
    const job = await storedJob(this.#deps.store, number);
    if (job === undefined) return undefined;
    const { record, snapshot } = job;
    return {
      kind: 'accepted',
      jobId: record.jobId,
      archiveCheckStatus: record.archiveCheckStatus ?? 'NO_ARCHIVE_URL_IN_JOB',
      ...warningOf(record.warnings),
      ...(record.archiveCheckStatus === 'FOUND_MATCH' &&
      snapshot.pastOutput !== null &&
      !copiesResults(record)
        ? { outputObjectUri: snapshot.pastOutput }
        : {}),
    };
  }

  /** The number of a new job. For a repeated request, the number that belongs to its key. */
  async #numberOf(repeatable: Repeatable | undefined): Promise<number | 'conflict'> {
    const number = await this.#deps.numbers.next();
    if (repeatable === undefined) return number;
    return this.#deps.repeats.reserve(repeatable, number, this.#deps.clock.now());
  }

  /** Sends the job to its actor. */
  async #enter(
    record: JobRecord,
    archive: ArchiveCheckResult['answer'],
    { trace, isNew }: { readonly trace: JobTrace | undefined; readonly isNew: boolean },
  ): Promise<'accepted' | 'exists' | 'overloaded' | 'noRoom'> {
    const { jobs, admission } = this.#deps;
    const { number: jobNumber, priority, owner } = record;
    const place = await admission.ask(ADMISSION, { type: 'enter', jobNumber, priority, owner });
    if (place.kind === 'refused') return 'overloaded';
    const start = startAt(place);
    try {
      const kept = await withDataUrisInFile(record, this.#deps.settings);
      const objectId = randomUUID();
      const command = { type: 'accept', record: kept, ...start, objectId, archive, trace } as const;
      const reply = await jobs.ask(String(jobNumber), command, { isNew });
      if (reply.kind === 'done') return 'accepted';
      await this.#discard(kept);
      // An ended job gave its place back before this request reserved it again.
      if (isTerminal(reply.status as BatchJobStatus)) this.leave(jobNumber);
      return 'exists';
    } catch (error) {
      // After a timeout the job may still have been accepted, so it keeps its place.
      if (!(error instanceof DeliveryError && error.reason === 'TIMEOUT')) this.leave(jobNumber);
      if (isFull(error)) return 'noRoom';
      throw error;
    }
  }

  /** Deletes the files of a job that another request has already created. Later cleaning finds files that could not be deleted. */
  async #discard(record: JobRecord): Promise<void> {
    for (const file of requestFilesOf(record))
      await removeFile(pathOf(this.#deps.settings.dataDir, file)).catch(() => undefined);
  }

  /** Frees the place of a job that was not stored. */
  leave(jobNumber: number): void {
    this.#deps.admission.tell(ADMISSION, { type: 'leave', jobNumber });
  }
}

/** The initial state of a job with this place. */
export const startAt = (place: Exclude<AdmissionReply, { readonly kind: 'refused' }>) =>
  place.kind === 'waiting' ? { admitted: false, waitingTurn: place.turn } : { admitted: true };

function acceptedAs(record: JobRecord, { status, answer }: ArchiveCheckResult): Accepted {
  const { jobId, warnings = [] } = record;
  const accepted = { kind: 'accepted', jobId, archiveCheckStatus: status, ...warningOf(warnings) } as const;
  if (typeof answer === 'string' || answer.kind === 'none') return accepted;
  if (answer.kind === 'match')
    return copiesResults(record) ? accepted : { ...accepted, outputObjectUri: answer.match.outputUri };
  const unasked = `The archive could not be searched for an earlier job: ${answer.reason}`;
  return { ...accepted, ...warningOf([...warnings, unasked]) };
}

/** Joins warnings, one per line. */
const warningOf = (warnings: readonly string[] = []): Pick<Accepted, 'warning'> =>
  warnings.length === 0 ? {} : { warning: warnings.join('\n') };

const noRoom = () =>
  ({
    kind: 'overloaded',
    message:
      'The disk of the server is full: the data: URIs of the job could not be stored. Try again later.',
  }) as const;

export const refuseOverload = () =>
  ({ kind: 'overloaded', message: 'Too many jobs wait already. Try again later.' }) as const;
