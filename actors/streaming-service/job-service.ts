import type { Logger } from '../../config/logger.ts';
import type { CatalogLookup } from '../../domain/plan/plan-lookup.ts';
import { maskUri } from '../../domain/job/censor.ts';
import { streamOutputFolder } from '../../results/layout.ts';
import type { Store } from '../../store/store.ts';
import type { Repeatable, Repeats } from '../requests/idempotency.ts';
import type { JobNumbers } from '../requests/job-numbers.ts';
import type { Refused } from '../requests/submission.ts';
import { refusedModel, type JobModels } from '../requests/request-models.ts';
import type { Clock } from '../basics/clock.ts';
import type { Family } from '../runtime/system.ts';
import { storedStream } from '../streaming-job/stored-stream.ts';
import type { StreamingJobCommand } from '../streaming-job/commands.ts';
import type { StreamingJobReply } from '../streaming-job/context.ts';
import { LIVE_STREAMS } from '../streaming-job/indexes.ts';
import {
  checkedStream,
  plainRequest,
  type StreamingJobRequest,
  type StreamingRequestSettings,
  type WantedStream,
} from './request.ts';
import { isEnded, type StreamingJobRecord } from '../streaming-job/state.ts';
import { changedRequest, type StreamChanges } from './changes.ts';
import { inheritedMessages } from '../streaming-job/zones/notices.ts';
import { withTopic } from './zones.ts';

export interface StreamingJobServiceDeps {
  readonly store: Store;
  readonly catalog: CatalogLookup;
  /** Settles when the catalog contains the changes of other servers. Undefined if there are no other servers. */
  readonly readCatalog?: () => Promise<unknown>;
  readonly jobs: Family<StreamingJobCommand, StreamingJobReply>;
  readonly repeats: Repeats;
  readonly numbers: JobNumbers;
  readonly models: JobModels;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly dataDir: string;
  /** Maximum number of streams that are watched at the same time. */
  readonly maxStreams: number;
  readonly settings: StreamingRequestSettings;
  /** Returns the reason why no job can be accepted now. */
  refusalOfAll(): Promise<string | undefined>;
  removeFiles(record: StreamingJobRecord): Promise<boolean>;
}

export interface AcceptedStream {
  readonly kind: 'accepted';
  readonly jobId: number;
  /** Null if the job writes no files. */
  readonly outputObjectDirectory: string | null;
  /** Parts of the request without effect. */
  readonly warnings: readonly string[];
}

export type StreamSubmission =
  | AcceptedStream
  | Refused
  /** Nothing was stored. The client may try again later. */
  | { readonly kind: 'overloaded'; readonly message: string }
  /** The Idempotency-Key was used for another request. */
  | { readonly kind: 'keyReused' };

/** The result of a request to cancel. */
export type StreamCancellation =
  | { readonly kind: 'cancelled'; readonly outputObjectDirectory: string | null }
  | { readonly kind: 'refused'; readonly isUnknown: boolean; readonly message: string };

export const noSuchStream = (number: number) => `Streaming job with id ${number} doesn't exist.`;

/** Accepts requests for streaming jobs. Every refusal happens here, before anything is stored. */
export class StreamingJobService {
  readonly #deps: StreamingJobServiceDeps;

  constructor(deps: StreamingJobServiceDeps) {
    this.#deps = deps;
  }

  /** Accepts a job. A repeated request with the same Idempotency-Key gets the first answer. */
  async submit(request: StreamingJobRequest, repeatable?: Repeatable): Promise<StreamSubmission> {
    const made = await this.#create(request, repeatable);
    return 'record' in made ? this.#acceptedStreamOf(made.record) : made;
  }

  /** Creates a new job from a stored one with these changes. The stored job is cancelled if it is live. */
  async restart(
    number: number,
    changes: StreamChanges,
    repeatable?: Repeatable,
  ): Promise<StreamSubmission | 'unknown'> {
    const { store, jobs } = this.#deps;
    const stored = await storedStream(store, number);
    if (stored === undefined) return 'unknown';
    const { status } = stored.state;
    const isLive = !isEnded(status) && status !== 'CANCELLING';
    const made = await this.#create(changedRequest(stored.record, changes), repeatable, isLive);
    if (!('record' in made)) return made;
    const inherited = inheritedMessages(stored.record, made.record);
    if (isLive) await jobs.ask(String(number), { type: 'cancel', doCleanup: false, inherited });
    return this.#acceptedStreamOf(made.record);
  }

  /** `isInPlace`: the new job replaces a live stream, which ends in turn. */
  async #create(
    request: StreamingJobRequest,
    repeatable: Repeatable | undefined,
    isInPlace = false,
  ): Promise<StreamSubmission | { readonly record: StreamingJobRecord }> {
    const before = repeatable && (await this.answerBefore(repeatable));
    if (before !== undefined) return before;
    await this.#deps.readCatalog?.();
    const checked = checkedStream(request, this.#deps.catalog, this.#deps.settings);
    if ('refused' in checked) return { kind: 'refused', reason: checked.reason, message: checked.refused };
    const noModel = await this.#noModel(checked.ok);
    if (noModel !== undefined) return { kind: 'refused', reason: 'NO_MODEL', message: noModel };
    const noRoom = await this.#noRoom(isInPlace ? 1 : 0);
    if (noRoom !== undefined) return { kind: 'overloaded', message: noRoom };
    const number = await this.#numberOf(repeatable);
    if (number === 'conflict') return { kind: 'keyReused' };
    const { zones } = checked.ok;
    const record = {
      ...checked.ok,
      ...(zones === undefined ? {} : { zones: withTopic(zones, number) }),
      ...{ number, createdAt: this.#deps.clock.now() },
    };
    const reply = await this.#deps.jobs.ask(String(number), { type: 'create', record });
    // If two equal requests arrive at the same time, the second one gets the same job.
    if (reply.kind === 'done')
      this.#deps.logger.info(
        {
          jobId: number,
          user: record.user,
          stream: maskUri(record.streamUri),
          pipeline: record.pipelineName,
        },
        'a streaming job was accepted',
      );
    return { record };
  }

  async cancel(number: number, doCleanup: boolean): Promise<StreamCancellation> {
    const job = await storedStream(this.#deps.store, number);
    const reply = await this.#deps.jobs.ask(String(number), { type: 'cancel', doCleanup });
    if (job === undefined || (reply.kind === 'refused' && reply.reason === 'NO_SUCH_JOB'))
      return { kind: 'refused', isUnknown: true, message: noSuchStream(number) };
    if (reply.kind === 'done')
      return { kind: 'cancelled', outputObjectDirectory: this.directoryOf(job.record) };
    const why = `Streaming job ${number} already has state '${reply.status}' and cannot be cancelled at this time.`;
    if (!doCleanup) return { kind: 'refused', isUnknown: false, message: why };
    if (isEnded(job.state.status)) await this.#deps.removeFiles(job.record);
    return { kind: 'refused', isUnknown: false, message: `${why} Attempted cleanup anyway.` };
  }

  /** Removes an ended job, with all its files. */
  async remove(number: number): Promise<'removed' | 'unknown' | 'live'> {
    const reply = await this.#deps.jobs.ask(String(number), { type: 'remove' });
    if (reply.kind === 'done') return 'removed';
    return reply.reason === 'NO_SUCH_JOB' ? 'unknown' : 'live';
  }

  /** True if a stream can be watched with this pipeline without properties for the job. */
  async canWatch(pipelineName: string): Promise<boolean> {
    const checked = checkedStream(plainRequest(pipelineName), this.#deps.catalog, this.#deps.settings);
    return 'ok' in checked && (await this.#noModel(checked.ok)) === undefined;
  }

  directoryOf({ enableOutputToDisk, number }: StreamingJobRecord): string | null {
    return enableOutputToDisk ? streamOutputFolder(this.#deps.dataDir, number) : null;
  }

  #acceptedStreamOf(record: StreamingJobRecord): AcceptedStream {
    const { number: jobId, warnings = [] } = record;
    return { kind: 'accepted', jobId, outputObjectDirectory: this.directoryOf(record), warnings };
  }

  /** Returns the answer to an earlier request with the same Idempotency-Key. Returns undefined if there was none. */
  async answerBefore(repeatable: Repeatable): Promise<StreamSubmission | undefined> {
    const known = await this.#deps.repeats.find(repeatable);
    if (known === undefined) return undefined;
    if (known === 'conflict') return { kind: 'keyReused' };
    const job = await storedStream(this.#deps.store, known.jobNumber);
    return job === undefined ? undefined : this.#acceptedStreamOf(job.record);
  }

  async #numberOf(repeatable: Repeatable | undefined): Promise<number | 'conflict'> {
    const { numbers, repeats, clock } = this.#deps;
    const number = await numbers.next();
    return repeatable === undefined ? number : repeats.reserve(repeatable, number, clock.now());
  }

  async #noModel({ algorithm, properties, actions }: WantedStream): Promise<string | undefined> {
    for (const one of actions ?? [{ algorithm, properties }]) {
      const refused = await refusedModel(one.algorithm, one.properties, this.#deps.models);
      if (refused !== undefined) return refused;
    }
    return undefined;
  }

  async #noRoom(leaving: number): Promise<string | undefined> {
    const { store, maxStreams, refusalOfAll } = this.#deps;
    const why = await refusalOfAll();
    if (why !== undefined) return why;
    if ((await store.count(LIVE_STREAMS)) - leaving < maxStreams) return undefined;
    return `There are ${maxStreams} streaming jobs already (MAX_STREAMS). Cancel one, or try again later.`;
  }
}
