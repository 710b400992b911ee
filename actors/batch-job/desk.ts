import { randomUUID } from 'node:crypto';
import { statfs } from 'node:fs/promises';
import type { AdmissionCommand, AdmissionReply } from '../admission/actor.ts';
import { jobIdOf } from '../../pipeline/job-id.ts';
import { resolvePlan, type PipelineRequest } from '../../pipeline/plan-checks.ts';
import type { CatalogLookup } from '../../pipeline/plan-lookup.ts';
import type { PipelinePlan } from '../../pipeline/plan.ts';
import { refusedProperty } from '../../pipeline/property-checks.ts';
import type { Issue, Properties, Range } from '../../pipeline/types.ts';
import type { Store } from '../../store/store.ts';
import { ADMISSION } from '../admission/actor.ts';
import { DeliveryError } from '../runtime/errors.ts';
import type { Family } from '../runtime/system.ts';
import type { JobCommand, JobReply } from './commands.ts';
import type { JobRecord, RequestedMedium } from './record.ts';
import { unsupportedYet } from './unsupported.ts';

/** A validated request, free of the shapes of HTTP. */
export interface JobRequest extends PipelineRequest {
  readonly media: readonly JobRequestMedium[];
  readonly buildOutput: boolean;
  readonly externalId: string | null;
  readonly jobProperties: Properties;
  readonly algorithmProperties: Readonly<Record<string, Properties>>;
  readonly priority: number | undefined;
  readonly wantsCallback: boolean;
  readonly wantsSelectors: boolean;
}
export interface JobRequestMedium {
  readonly uri: string;
  readonly metadata: Properties;
  readonly properties: Properties;
  readonly frameRanges: readonly Range[];
  readonly timeRanges: readonly Range[];
}

export type Submission =
  | { readonly kind: 'accepted'; readonly jobId: string }
  | { readonly kind: 'refused'; readonly message: string }
  /** Nothing was stored; try again later. */
  | { readonly kind: 'overloaded'; readonly message: string };

export interface DeskParts {
  readonly store: Store;
  readonly catalog: CatalogLookup;
  readonly jobs: Family<JobCommand, JobReply>;
  readonly admission: Family<AdmissionCommand, AdmissionReply>;
  readonly settings: {
    readonly jobIdHost: string;
    readonly siteId: string;
    readonly defaultPriority: number;
    readonly maxMedia: number;
    readonly minFreeBytes: number;
    readonly dataDir: string;
    readonly serverProperties: Properties;
    readonly environmentProperties: Properties;
  };
  /** Why a medium cannot be used, as far as that shows without reading it. */
  checkMedium(uri: string): Promise<Issue | undefined>;
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

  async submit(request: JobRequest): Promise<Submission> {
    const closed = await this.#noRoom();
    if (closed !== undefined) return { kind: 'overloaded', message: closed };
    const planned = this.#plan(request);
    if ('refused' in planned) return { kind: 'refused', message: planned.refused };
    const problems = await this.#checkMedia(request.media);
    if (problems.every((problem) => problem !== undefined)) {
      const list = request.media
        .slice(0, 20)
        .map(({ uri }, i) => `${shortUri(uri)}: ${problems[i]?.message}`);
      return {
        kind: 'refused',
        message: `Could not start job because all media have errors: ${list.join(', ')}`,
      };
    }
    return this.#accept(request, planned.plan, problems);
  }

  /** Runs a job that has ended once more. */
  async resubmit(
    number: number,
    priority: number | undefined,
  ): Promise<JobReply | Extract<Submission, { kind: 'overloaded' }>> {
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

  /** Whether a new job would be looked at now. */
  async takesJobs(): Promise<boolean> {
    return (await this.#noRoom()) === undefined;
  }

  async #noRoom(): Promise<string | undefined> {
    if (this.#closed) return 'The server is shutting down; try again later.';
    const { dataDir, minFreeBytes } = this.#parts.settings;
    const { bavail, bsize } = await statfs(dataDir);
    if (bavail * bsize >= minFreeBytes) return undefined;
    return `The disk of the server is nearly full (less than ${minFreeBytes} bytes are free in DATA_DIR); no new jobs are taken.`;
  }

  #plan(request: JobRequest): { readonly plan: PipelinePlan } | { readonly refused: string } {
    const { media, jobProperties, algorithmProperties } = request;
    const { maxMedia } = this.#parts.settings;
    if (media.length === 0)
      return {
        refused: "The job request must contain at least one piece of media, but it didn't contain any.",
      };
    if (media.length > maxMedia)
      return { refused: `The job request has ${media.length} media; ${maxMedia} are allowed.` };
    if (request.wantsCallback) return { refused: 'Callbacks (callbackURL) are not supported yet.' };
    if (request.wantsSelectors) return { refused: 'Media selectors are not supported yet.' };
    const resolved = resolvePlan(this.#parts.catalog, request);
    if ('refused' in resolved) return resolved;
    const levels = [
      this.#parts.settings.environmentProperties,
      jobProperties,
      ...Object.values(algorithmProperties),
      ...media.map(({ properties }) => properties),
    ];
    const actions = resolved.ok.tasks.flatMap((task) => task.actions.map((action) => action.properties));
    for (const level of [...levels, ...actions]) {
      const refused = refusedProperty(level);
      if (refused !== null) return { refused: `Property validation failed due to: ${refused}` };
    }
    const unsupported = unsupportedYet(resolved.ok, levels);
    return unsupported === undefined ? { plan: resolved.ok } : { refused: unsupported };
  }

  async #checkMedia(media: readonly JobRequestMedium[]): Promise<readonly (Issue | undefined)[]> {
    const problems: (Issue | undefined)[] = [];
    for (let i = 0; i < media.length; i += CHECKS)
      problems.push(
        ...(await Promise.all(media.slice(i, i + CHECKS).map(({ uri }) => this.#parts.checkMedium(uri)))),
      );
    return problems;
  }

  async #accept(
    request: JobRequest,
    plan: PipelinePlan,
    problems: readonly (Issue | undefined)[],
  ): Promise<Submission> {
    const { store, jobs, admission, settings } = this.#parts;
    const [number, mediaId] = await Promise.all([
      store.next('job'),
      store.next('medium', request.media.length),
    ]);
    const record: JobRecord = {
      number,
      jobId: jobIdOf(settings.jobIdHost, number),
      siteId: settings.siteId,
      plan,
      media: request.media.map((medium, i): RequestedMedium => {
        const problem = problems[i];
        return { ...medium, mediaId: mediaId + i, ...(problem === undefined ? {} : { problem }) };
      }),
      priority: request.priority ?? settings.defaultPriority,
      buildOutput: request.buildOutput,
      externalId: request.externalId,
      jobProperties: request.jobProperties,
      algorithmProperties: request.algorithmProperties,
      serverProperties: settings.serverProperties,
      environmentProperties: settings.environmentProperties,
    };
    const place = await admission.ask(ADMISSION, {
      type: 'enter',
      jobNumber: number,
      priority: record.priority,
    });
    if (place === 'refused') return overloaded();
    const command = { type: 'accept', record, admitted: place === 'live', objectId: randomUUID() } as const;
    try {
      await jobs.ask(String(number), command);
    } catch (error) {
      // A late answer may still mean an accepted job: it keeps its place then.
      if (!(error instanceof DeliveryError && error.reason === 'TIMEOUT')) this.#leave(number);
      throw error;
    }
    return { kind: 'accepted', jobId: record.jobId };
  }

  #leave(jobNumber: number): void {
    this.#parts.admission.tell(ADMISSION, { type: 'leave', jobNumber });
  }
}

const overloaded = () =>
  ({ kind: 'overloaded', message: 'Too many jobs wait already; try again later.' }) as const;

/** For messages: the content of a data: URI is left out. */
const shortUri = (uri: string) => (uri.startsWith('data:') ? 'data:…,<truncated>' : uri.slice(0, 500));
