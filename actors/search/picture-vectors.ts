/**
 * Makes a vector of a picture or of words, so that the search finds similar pictures. It runs a short job, which is deleted after its end.
 */
import type { Logger } from '../../config/logger.ts';
import { jobNumber } from '../../domain/job/job-id.ts';
import type { Box } from '../../domain/geometry/geometry.ts';
import type { Owner, Sight } from '../../domain/users/owner.ts';
import type { Properties } from '../../domain/types.ts';
import { documentTracks } from '../../results/document/document-tracks.ts';
import type { Store } from '../../store/store.ts';
import { delay, type Clock } from '../basics/clock.ts';
import type { JobCommand, JobReply } from '../batch-job/state/commands.ts';
import { isTerminal } from '../batch-job/state/status.ts';
import { storedJob, type StoredJob } from '../batch-job/state/stored-job.ts';
import { documentFile } from '../job-files/job-document.ts';
import type { JobRequest } from '../job-service/job-request.ts';
import type { JobService } from '../job-service/job-service.ts';
import type { Refused } from '../requests/submission.ts';
import type { Family } from '../runtime/system.ts';
import type { VectorSource } from '../../store/search.ts';
import type { Search, SearchIsBusy } from './search.ts';
import { vectorPlan } from './vector-plan.ts';

export interface PictureVectorDeps {
  readonly search: Pick<Search, 'vectorSource' | 'vectorModels'>;
  readonly store: Store;
  readonly jobService: Pick<JobService, 'submit' | 'remove'>;
  readonly jobs: Pick<Family<JobCommand, JobReply>, 'ask'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly dataDir: string;
}

/** A picture, or words that describe one. The text half of the model makes the vector of words. */
export type AskedVector = AskedPicture | { readonly words: string; readonly model?: string | undefined };

interface AskedPicture {
  readonly mediaUri: string;
  /** Pixels of the picture as a viewer shows it. Absent: the whole picture. */
  readonly box?: Box | undefined;
  /** Frame of a video, from 0. */
  readonly frame: number;
  /** Absent: the model of the newest vectors. */
  readonly model?: string | undefined;
}

/** The user who searches. */
export interface VectorUser extends Pick<JobRequest, 'user' | 'owner' | 'priority'> {
  readonly owner?: Owner | undefined;
  readonly sight: Sight;
}

export interface PictureVector {
  readonly kind: 'vector';
  /** The vector in the form of FEATURE. */
  readonly vector: string;
  readonly model: string;
  /** Id of the short job, which is not among the hits. */
  readonly madeBy: string;
}
export type NoPictureVector =
  | Refused
  | { readonly kind: 'overloaded' | 'slow'; readonly message: string }
  /** No visible track has a vector, or none of this model. */
  | { readonly kind: 'noModel'; readonly complete: boolean }
  /** Why the model made no vector, as a sentence if it is known. */
  | { readonly kind: 'noVector'; readonly why: string | undefined };

/** Models that can make vectors of other pictures, the one of the newest vectors first. */
export interface VectorModels {
  readonly models: readonly Pick<VectorSource, 'model' | 'algorithm'>[];
  /** False: the index does not have all documents yet. */
  readonly complete: boolean;
}

/** Maximum number of short jobs at a time on a server. Further clients wait. */
const MOST_AT_A_TIME = 8;
const LOOK_MS = 50;
const TIMEOUT_MS = 60_000;
/** Time within which a cancelled job is deleted. Otherwise it stays. */
const REMOVE_WITHIN_MS = 300_000;
const REMOVE_AGAIN_MS = 1_000;
/** Maximum number of bytes of a property in the document. */
const MOST_BYTES = 65_536;
export const SIMILAR_LABEL = 'similar-search';

export class PictureVectors {
  readonly #deps: PictureVectorDeps;
  #running = 0;

  constructor(deps: PictureVectorDeps) {
    this.#deps = deps;
  }

  async models(sight: Sight): Promise<VectorModels | SearchIsBusy> {
    const found = await this.#deps.search.vectorModels(sight);
    if ('busy' in found) return found;
    const plans = await Promise.all(found.sources.map((source) => this.#planOf(source)));
    const models = found.sources.filter((_, n) => plans[n] !== undefined);
    return { models: models.map(({ model, algorithm }) => ({ model, algorithm })), complete: found.complete };
  }

  async make(
    asked: AskedVector,
    user: VectorUser,
    left: AbortSignal,
  ): Promise<PictureVector | NoPictureVector | SearchIsBusy> {
    if (this.#running >= MOST_AT_A_TIME)
      return {
        kind: 'overloaded',
        message: `${MOST_AT_A_TIME} pictures are being analyzed already. Try again in some seconds.`,
      };
    this.#running++;
    try {
      return await this.#make(asked, user, left);
    } finally {
      this.#running--;
    }
  }

  async #make(asked: AskedVector, user: VectorUser, left: AbortSignal): ReturnType<PictureVectors['make']> {
    const { search, jobService } = this.#deps;
    const algorithm = 'words' in asked ? WORDS_ALGORITHM : undefined;
    const found = await search.vectorSource({ model: asked.model, algorithm, sight: user.sight });
    if ('busy' in found) return found;
    const { source, complete } = found;
    const plan = source === null ? undefined : await this.#planOf(source);
    if (plan === undefined) return { kind: 'noModel', complete };
    const request = requestOf(asked, user);
    const submitted = await jobService.submit({ ...request, pipelineDefinition: plan });
    if (submitted.kind === 'keyReused') throw new Error('A request without a key cannot be a repeated one.');
    if (submitted.kind !== 'accepted') return submitted;
    const number = jobNumber(submitted.jobId)!;
    let ended: StoredJob | undefined;
    try {
      ended = await this.#end(number, left);
      return ended === undefined ? { kind: 'slow', message: SLOW } : await this.#vectorOf(ended);
    } finally {
      const removed = this.#remove(number);
      if (ended !== undefined) await removed;
    }
  }

  /** Returns undefined if the job does not exist any more, or has no such action. */
  async #planOf({ number, task, action }: VectorSource): Promise<ReturnType<typeof vectorPlan>> {
    const job = await storedJob(this.#deps.store, number);
    return job === undefined ? undefined : vectorPlan(job.record, task, action);
  }

  /** Returns undefined if the job takes too long, or if the client has disconnected. */
  async #end(number: number, left: AbortSignal): Promise<StoredJob | undefined> {
    const { store, clock } = this.#deps;
    const until = clock.steady() + TIMEOUT_MS;
    while (!left.aborted && clock.steady() < until) {
      const job = await storedJob(store, number);
      if (job === undefined) return undefined;
      if (isTerminal(job.snapshot.status)) return job;
      await delay(clock, LOOK_MS);
    }
    return undefined;
  }

  async #vectorOf(job: StoredJob): Promise<PictureVector | NoPictureVector> {
    const file = documentFile(this.#deps.dataDir, job);
    if (file === undefined) return { kind: 'noVector', why: undefined };
    let best: (Omit<PictureVector, 'madeBy'> & { readonly confidence: number }) | undefined;
    const reading = { properties: ['FEATURE', 'FEATURE_MODEL'], cutAt: MOST_BYTES };
    for await (const { tracks } of documentTracks(file, reading))
      for (const { properties, confidence } of tracks) {
        const { FEATURE: vector, FEATURE_MODEL: model } = Object.fromEntries(properties) as Properties;
        if (
          vector === undefined ||
          model === undefined ||
          (best !== undefined && best.confidence >= confidence)
        )
          continue;
        best = { kind: 'vector', vector, model, confidence };
      }
    if (best === undefined) return { kind: 'noVector', why: job.snapshot.causes?.[0]?.message };
    const { kind, vector, model } = best;
    return { kind, vector, model, madeBy: job.record.jobId };
  }

  /** Deletes a job. A live job is cancelled first. */
  async #remove(number: number): Promise<void> {
    const { jobService, jobs, clock, logger } = this.#deps;
    const until = clock.steady() + REMOVE_WITHIN_MS;
    try {
      if ((await jobService.remove(number)) !== 'live') return;
      await jobs.ask(String(number), { type: 'cancel' });
      while ((await jobService.remove(number)) === 'live' && clock.steady() < until)
        await delay(clock, REMOVE_AGAIN_MS);
    } catch (err) {
      logger.warn({ err, jobId: number }, 'a short job of the search was not deleted');
    }
  }
}

const SLOW = `The model has not analyzed the picture within ${TIMEOUT_MS / 1_000} seconds. Try again later, or check that its component runs.`;

/** Algorithm whose models may have a text half. */
const WORDS_ALGORITHM = 'ONNX';
/** A job needs a medium. A job for words gets this picture of one pixel, and the component reads the words instead. */
const ONE_PIXEL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==';

function mediumOf(asked: AskedVector): JobRequest['media'][number] {
  const rest = { metadata: {}, frameRanges: [], timeRanges: [] };
  if ('words' in asked) return { ...rest, uri: ONE_PIXEL, properties: { SEARCH_TEXT: asked.words } };
  const { mediaUri: uri, box, frame } = asked;
  const frameRanges = [{ start: frame, stop: frame }];
  return { ...rest, uri, properties: box === undefined ? {} : regionOf(box), frameRanges };
}

function requestOf(asked: AskedVector, user: VectorUser): JobRequest {
  return {
    media: [mediumOf(asked)],
    ...{ buildOutput: true, externalId: null, labels: [SIMILAR_LABEL] },
    ...{ jobProperties: {}, algorithmProperties: {} },
    ...{ priority: user.priority, user: user.user, owner: user.owner, callback: undefined },
  };
}

const regionOf = ({ x, y, width, height }: Box): Properties => ({
  // Rotated as a viewer shows it.
  AUTO_ROTATE: 'TRUE',
  SEARCH_REGION_ENABLE_DETECTION: 'TRUE',
  SEARCH_REGION_TOP_LEFT_X_DETECTION: String(x),
  SEARCH_REGION_TOP_LEFT_Y_DETECTION: String(y),
  SEARCH_REGION_BOTTOM_RIGHT_X_DETECTION: String(x + width),
  SEARCH_REGION_BOTTOM_RIGHT_Y_DETECTION: String(y + height),
});
