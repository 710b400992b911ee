import { randomUUID } from 'node:crypto';
import { archiveUrls, refusedArchiveUrl } from '../../pipeline/archive.ts';
import type { AdmissionCommand, AdmissionReply } from '../admission/actor.ts';
import { jobIdOf } from '../../pipeline/job-id.ts';
import type { PipelineRequest } from '../../pipeline/plan-checks.ts';
import type { CatalogLookup } from '../../pipeline/plan-lookup.ts';
import { tooManyMedia, type RequestLimits } from '../../pipeline/request-limits.ts';
import type { Issue, MediaSelector, Properties, Range } from '../../pipeline/types.ts';
import type { Store } from '../../store/store.ts';
import { ADMISSION } from '../admission/actor.ts';
import { freeBytes } from '../disk-watch.ts';
import type { Clock } from '../runtime/clock.ts';
import { DeliveryError } from '../runtime/errors.ts';
import type { Family } from '../runtime/system.ts';
import type { UploadDesk } from '../uploads/desk.ts';
import { readableJob, storedJob } from '../views/jobs.ts';
import { archiveJob, copiesResults } from './archive.ts';
import type { ArchiveCheckResult, ArchiveDesk } from './archive-desk.ts';
import type { JobCommand, JobReply } from './commands.ts';
import { jobFacts } from './log-facts.ts';
import type { JobRecord, RequestedMedium } from './record.ts';
import type { Repeatable, Repeats } from './repeats.ts';
import { planOf, type RequestPlan } from './request-plan.ts';
import type { Logger } from '../../config/logger.ts';
import { isTerminal, type BatchJobStatus } from './status.ts';
import type { Accepted, Overloaded, Refused, Submission } from './submission.ts';

/** A validated request, free of the shapes of HTTP. */
export interface JobRequest extends PipelineRequest {
  readonly media: readonly JobRequestMedium[];
  readonly buildOutput: boolean;
  readonly externalId: string | null;
  readonly jobProperties: Properties;
  readonly algorithmProperties: Readonly<Record<string, Properties>>;
  readonly priority: number | undefined;
  /** Whoever asks for it, by name. */
  readonly user: string;
  readonly callback: { readonly url: string; readonly method: 'GET' | 'POST' } | undefined;
}
export interface JobRequestMedium {
  readonly uri: string;
  readonly metadata: Properties;
  readonly properties: Properties;
  readonly frameRanges: readonly Range[];
  readonly timeRanges: readonly Range[];
  readonly selectors?: readonly MediaSelector[];
  readonly selectorsOutputAction?: string;
}

export interface DeskParts {
  readonly store: Store;
  readonly catalog: CatalogLookup;
  readonly jobs: Family<JobCommand, JobReply>;
  readonly admission: Family<AdmissionCommand, AdmissionReply>;
  readonly settings: {
    readonly jobIdHost: string;
    readonly siteId: string;
    readonly defaultPriority: number;
    readonly limits: RequestLimits;
    readonly minFreeBytes: number;
    readonly dataDir: string;
    readonly serverProperties: Properties;
    readonly environmentProperties: Properties;
  };
  readonly repeats: Repeats;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly archive: ArchiveDesk;
  readonly uploads: Pick<UploadDesk, 'keeping'>;
  /** Why a medium cannot be used, as far as that shows without reading it. */
  checkMedium(uri: string): Promise<Issue | undefined>;
}

/** A request of which nothing speaks against storing it. */
export interface PlannedJob extends RequestPlan {
  readonly kind: 'planned';
  /** Why media cannot be used, one for each. */
  readonly problems: readonly (Issue | undefined)[];
  /** Where the results of each medium are posted. */
  readonly archiveUrls: readonly (string | null)[];
}

/** Media checked at a time when a job is created. */
const CHECKS = 16;

/** Where jobs come in: everything that can be refused is refused here, before anything is stored. */
export class JobDesk {
  readonly #parts: DeskParts;
  #closed = false;

  constructor(parts: DeskParts) {
    this.#parts = parts;
  }

  /** From now on new jobs are turned away, because the server drains. */
  close(): void {
    this.#closed = true;
  }

  /** Why so many media are refused, before any of them is looked at. */
  tooMany(media: number): string | undefined {
    const { limits } = this.#parts.settings;
    return media > limits.media ? tooManyMedia(media, limits) : undefined;
  }

  /** Takes a job in. A request that comes again under the same Idempotency-Key is answered as the first. */
  submit(request: JobRequest, repeatable?: Repeatable): Promise<Submission> {
    const uris = request.media.map(({ uri }) => uri);
    return this.#parts.uploads.keeping(uris, () => this.#submit(request, repeatable));
  }

  async #submit(request: JobRequest, repeatable: Repeatable | undefined): Promise<Submission> {
    const known = repeatable === undefined ? undefined : await this.#parts.repeats.find(repeatable);
    if (known === 'conflict') return { kind: 'keyReused' };
    if (known !== undefined) {
      const before = known.answer ?? (await this.#acceptedBefore(known.jobNumber));
      if (before !== undefined) return before;
    }
    const planned = await this.plan(request);
    if (planned.kind !== 'planned') return planned;
    return this.#accept(request, planned, repeatable);
  }

  /** All that is looked at before a job is stored; the archive is not asked. */
  async plan(request: JobRequest): Promise<PlannedJob | Overloaded | Refused> {
    const closed = await this.#noRoom();
    if (closed !== undefined) return { kind: 'overloaded', message: closed };
    const planned = await planOf(request, this.#parts.catalog, this.#parts.settings);
    if ('refused' in planned) return { kind: 'refused', message: planned.refused };
    const problems = await this.checkMedia(request.media.map(({ uri }) => uri));
    if (problems.every((problem) => problem !== undefined)) {
      const list = request.media
        .slice(0, 20)
        .map(({ uri }, i) => `${shortUri(uri)}: ${problems[i]?.message}`);
      return {
        kind: 'refused',
        message: `Could not start job because all media have errors: ${list.join(', ')}`,
      };
    }
    const urls = archiveUrls(archiveJob(this.#wanted(request, planned, problems)));
    const wrongUrl = urls.flatMap((url) => (url === null ? [] : (refusedArchiveUrl(url) ?? [])))[0];
    if (wrongUrl !== undefined)
      return { kind: 'refused', message: `Property validation failed due to: ${wrongUrl}` };
    return { kind: 'planned', ...planned, problems, archiveUrls: urls };
  }

  /** Removes a job that has ended, with all its files; `by`: the name of whoever wants it. */
  async remove(number: number, by?: string): Promise<'removed' | 'unknown' | 'live'> {
    const job = by === undefined ? undefined : await readableJob(this.#parts.store, number);
    const reply = await this.#parts.jobs.ask(String(number), { type: 'remove' });
    if (reply.kind === 'done') {
      if (job !== undefined) this.#parts.logger.info({ ...jobFacts(job.record), by }, 'a job was deleted');
      return 'removed';
    }
    return reply.reason === 'NO_SUCH_JOB' ? 'unknown' : 'live';
  }

  async #acceptedBefore(number: number): Promise<Accepted | undefined> {
    const job = await storedJob(this.#parts.store, number);
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

  /** Runs a job that has ended once more. */
  async resubmit(number: number, priority: number | undefined): Promise<JobReply | Overloaded> {
    const media = (await storedJob(this.#parts.store, number))?.record.media ?? [];
    const uris = media.map(({ uri }) => uri);
    return this.#parts.uploads.keeping(uris, () => this.#resubmit(number, priority));
  }

  async #resubmit(number: number, priority: number | undefined): Promise<JobReply | Overloaded> {
    const closed = await this.#noRoom();
    if (closed !== undefined) return { kind: 'overloaded', message: closed };
    const wanted = priority ?? this.#parts.settings.defaultPriority;
    const place = await this.#parts.admission.ask(ADMISSION, {
      type: 'enter',
      jobNumber: number,
      priority: wanted,
    });
    if (place === 'refused') return overloaded();
    const command = {
      type: 'resubmit',
      priority: wanted,
      admitted: place === 'live',
      objectId: randomUUID(),
    } as const;
    const reply = await this.#parts.jobs.ask(String(number), command).catch((error: unknown) => {
      if (!(error instanceof DeliveryError && error.reason === 'TIMEOUT')) this.#leave(number);
      throw error;
    });
    // A job that is live already keeps its place: only one that does not exist has to give it back.
    if (reply.kind === 'refused' && reply.reason === 'NO_SUCH_JOB') this.#leave(number);
    return reply;
  }

  /** Why media cannot be used, one for each, as far as that shows without reading them. */
  async checkMedia(uris: readonly string[]): Promise<readonly (Issue | undefined)[]> {
    const problems: (Issue | undefined)[] = [];
    for (let i = 0; i < uris.length; i += CHECKS)
      problems.push(
        ...(await Promise.all(uris.slice(i, i + CHECKS).map((uri) => this.#parts.checkMedium(uri)))),
      );
    return problems;
  }

  /** Why no new job would be looked at now. */
  async closedFor(): Promise<'STOPPING' | 'DISK_FULL' | undefined> {
    if (this.#closed) return 'STOPPING';
    return (await this.#noRoom()) === undefined ? undefined : 'DISK_FULL';
  }

  async #noRoom(): Promise<string | undefined> {
    if (this.#closed) return 'The server is shutting down; try again later.';
    const { dataDir, minFreeBytes } = this.#parts.settings;
    if ((await freeBytes(dataDir)) >= minFreeBytes) return undefined;
    return `The disk of the server is nearly full (less than ${minFreeBytes} bytes are free in DATA_DIR); no new jobs are taken.`;
  }

  async #accept(
    request: JobRequest,
    planned: PlannedJob,
    repeatable: Repeatable | undefined,
  ): Promise<Submission> {
    const wanted = this.#wanted(request, planned, planned.problems);
    const check = await this.#parts.archive.check(wanted);
    const number = await this.#numberOf(repeatable);
    if (number === 'conflict') return { kind: 'keyReused' };
    const mediaId = await this.#parts.store.next('medium', wanted.media.length);
    const record: JobRecord = {
      ...wanted,
      number,
      jobId: jobIdOf(this.#parts.settings.jobIdHost, number),
      archiveCheckStatus: check.status,
      media: wanted.media.map((medium, i) => {
        const url = planned.archiveUrls[i];
        return {
          ...medium,
          mediaId: mediaId + i,
          ...(url === undefined || url === null ? {} : { archiveUrl: url }),
        };
      }),
    };
    const outcome = await this.#enter(record, check.answer);
    if (outcome === 'overloaded') return overloaded();
    // The same request came twice at once, and the other was first.
    if (outcome === 'exists') return (await this.#acceptedBefore(number)) ?? acceptedAs(record, check);
    const answer = acceptedAs(record, check);
    const { priority, externalId } = record;
    const more = externalId === null ? {} : { externalId };
    this.#parts.logger.info({ ...jobFacts(record), priority, ...more }, 'a job was accepted');
    // The job is stored: it is accepted also when its answer cannot be kept just now.
    if (repeatable !== undefined) await this.#parts.repeats.keep(repeatable, answer).catch(() => undefined);
    return answer;
  }

  #wanted(
    request: JobRequest,
    planned: RequestPlan,
    problems: readonly (Issue | undefined)[],
  ): Omit<JobRecord, 'number' | 'jobId'> {
    const { settings } = this.#parts;
    return {
      siteId: settings.siteId,
      plan: planned.plan,
      ...(planned.warnings.length === 0 ? {} : { warnings: planned.warnings }),
      media: request.media.map((medium, i): RequestedMedium => {
        const problem = problems[i];
        return { ...medium, mediaId: 0, ...(problem === undefined ? {} : { problem }) };
      }),
      priority: request.priority ?? settings.defaultPriority,
      user: request.user,
      buildOutput: request.buildOutput,
      externalId: request.externalId,
      ...(request.callback === undefined ? {} : { callback: request.callback }),
      jobProperties: request.jobProperties,
      algorithmProperties: request.algorithmProperties,
      serverProperties: settings.serverProperties,
      environmentProperties: settings.environmentProperties,
    };
  }

  /** The number of a new job; of a repeated request the one that its key stands for. */
  async #numberOf(repeatable: Repeatable | undefined): Promise<number | 'conflict'> {
    const number = await this.#parts.store.next('job');
    if (repeatable === undefined) return number;
    return this.#parts.repeats.reserve(repeatable, number, this.#parts.clock.now());
  }

  /** Hands the job to its actor. */
  async #enter(
    record: JobRecord,
    archive: ArchiveCheckResult['answer'],
  ): Promise<'accepted' | 'exists' | 'overloaded'> {
    const { jobs, admission } = this.#parts;
    const { number: jobNumber, priority } = record;
    const place = await admission.ask(ADMISSION, { type: 'enter', jobNumber, priority });
    if (place === 'refused') return 'overloaded';
    const admitted = place === 'live';
    const command = { type: 'accept', record, admitted, objectId: randomUUID(), archive } as const;
    try {
      const reply = await jobs.ask(String(jobNumber), command);
      if (reply.kind === 'done') return 'accepted';
      // The place of a job that has ended already was given back before this one took it again.
      if (isTerminal(reply.status as BatchJobStatus)) this.#leave(jobNumber);
      return 'exists';
    } catch (error) {
      // A late answer may still mean an accepted job: it keeps its place then.
      if (!(error instanceof DeliveryError && error.reason === 'TIMEOUT')) this.#leave(jobNumber);
      throw error;
    }
  }

  #leave(jobNumber: number): void {
    this.#parts.admission.tell(ADMISSION, { type: 'leave', jobNumber });
  }
}

function acceptedAs(record: JobRecord, { status, answer }: ArchiveCheckResult): Accepted {
  const { jobId, warnings = [] } = record;
  const accepted = { kind: 'accepted', jobId, archiveCheckStatus: status, ...warningOf(warnings) } as const;
  if (typeof answer === 'string' || answer.kind === 'none') return accepted;
  if (answer.kind === 'match')
    return copiesResults(record) ? accepted : { ...accepted, outputObjectUri: answer.match.outputUri };
  const unasked = `The archive could not be asked for an earlier job: ${answer.reason}`;
  return { ...accepted, ...warningOf([...warnings, unasked]) };
}

/** A line each. */
const warningOf = (warnings: readonly string[] = []): Pick<Accepted, 'warning'> =>
  warnings.length === 0 ? {} : { warning: warnings.join('\n') };

const overloaded = () =>
  ({ kind: 'overloaded', message: 'Too many jobs wait already; try again later.' }) as const;

/** For messages: the content of a data: URI is left out. */
const shortUri = (uri: string) => (uri.startsWith('data:') ? 'data:…,<truncated>' : uri.slice(0, 500));
