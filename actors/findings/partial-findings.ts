/**
 * Findings of running jobs, for viewers. They come from stored rows and from answers in the spool, without any actor. A component builds an
 * index of a medium. It builds the index again when a viewer asks and more answers have arrived.
 */
import { join } from 'node:path';
import { unknownMedium } from '../../domain/job/media-ids.ts';
import { roundInterval } from '../../domain/tracks/track-counts.ts';
import { UNAVAILABLE } from '../../domain/tracks/viewing.ts';
import type { Answers, AnswerTo, MediaPage, MediumProgress, Question } from '../../domain/tracks/viewing.ts';
import { pathOf, type FileKey } from '../../results/file-keys.ts';
import { framesFolder } from '../../results/layout.ts';
import { UnknownMedium } from '../../results/timeline/ask.ts';
import type { Store } from '../../store/store.ts';
import type { Clock } from '../basics/clock.ts';
import { foldersOf } from '../batch-job/state/record.ts';
import { isTerminal } from '../batch-job/state/status.ts';
import { storedJob, type StoredJob } from '../batch-job/state/stored-job.ts';
import type { FrameService } from '../frames/frame-service.ts';
import type { Busy } from '../frames/job-frames.ts';
import { derivedMedia, type NamedMedium } from '../job-files/derived-media.ts';
import { findingsWork, type FindingsWorkDeps } from './findings-work.ts';
import { RestedValues } from './rested-values.ts';
import { readRunningMedium, type RunningMedium } from './running-medium.ts';
import { viewedMedium } from './viewed-medium.ts';

export interface PartialFindingsDeps extends FindingsWorkDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly frames: Pick<FrameService, 'makeIndex' | 'removeFile'>;
  /** @throws if the index was deleted */
  askIndex<Q extends Question>(index: string, question: Q): Promise<AnswerTo<Q>>;
}

/** A question about one medium. */
type MediumQuestion = Exclude<Question, { readonly kind: 'media' }>;
type MediumAnswer = Answers[MediumQuestion['kind']];

/** ENDED: the job has ended, so the document has the answer. Undefined if there is no such job. */
export type PartialAnswer<Q extends Question> = AnswerTo<Q> | Busy | 'ENDED' | undefined;

interface Seen {
  /** File of the index. Absent if nothing was found yet. */
  readonly file?: FileKey;
  readonly version: string;
  readonly progress: MediumProgress;
}

/** Error: the index cannot be made now. */
class IndexBusy extends Error {}

/** Number of sub-job rows after which a page of media ends early. */
const MOST_ROWS = 20_000;

export class PartialFindings {
  readonly #deps: PartialFindingsDeps;
  /** Indexes of media. */
  readonly #seen: RestedValues<Seen>;
  readonly #media: RestedValues<{ readonly viewed: MediaPage['media'][number]; readonly rows: number }>;
  readonly #derived: RestedValues<readonly NamedMedium[]>;

  constructor(deps: PartialFindingsDeps) {
    this.#deps = deps;
    this.#seen = new RestedValues(deps.clock);
    this.#media = new RestedValues(deps.clock);
    this.#derived = new RestedValues(deps.clock);
  }

  async ask<Q extends Question>(number: number, question: Q): Promise<PartialAnswer<Q>> {
    const job = await storedJob(this.#deps.store, number);
    if (job === undefined) return undefined;
    if (isTerminal(job.snapshot.status)) return 'ENDED';
    try {
      const answer = question.kind === 'media' ? this.#page(job, question) : this.#ofMedium(job, question);
      return (await answer) as AnswerTo<Q>;
    } catch (error) {
      // The files of the index are deleted when the job ends.
      const now = await storedJob(this.#deps.store, number);
      if (now !== undefined && isTerminal(now.snapshot.status)) return 'ENDED';
      if (error instanceof IndexBusy) return { busy: error.message };
      throw error;
    }
  }

  async #page(
    job: StoredJob,
    { limit: most, offset, mediaId }: Extract<Question, { readonly kind: 'media' }>,
  ): Promise<MediaPage> {
    const derived = await this.#derivedOf(job);
    const [first, limit] =
      mediaId === undefined ? [offset, most] : [this.#nameMedium(job, derived, mediaId).index, 1];
    const total = job.record.media.length + derived.length;
    const media: MediaPage['media'][number][] = [];
    let rows = 0;
    for (let n = first; n < Math.min(total, first + limit) && rows < MOST_ROWS; n++) {
      const named = this.#name(job, derived, n);
      if (named === undefined) break;
      const one = await this.#media.get(keyOf(job, n), async () => {
        const running = await readRunningMedium(this.#deps.store, job, named);
        return { viewed: viewedMedium(running), rows: running.rows };
      });
      media.push(one.viewed);
      rows += one.rows;
    }
    return { media, total, issues: [] };
  }

  async #ofMedium(job: StoredJob, question: MediumQuestion): Promise<MediumAnswer> {
    const named = this.#nameMedium(job, await this.#derivedOf(job), question.medium);
    return this.#askIndex(job, named, question);
  }

  async #askIndex(
    job: StoredJob,
    named: NamedMedium,
    question: MediumQuestion,
    again = true,
  ): Promise<MediumAnswer> {
    const key = keyOf(job, named.index);
    const { file, progress } = await this.#seen.get(key, (before) => this.#look(job, named, before));
    if (file === undefined) return emptyAnswer(question, progress);
    try {
      const index = pathOf(this.#deps.dataDir, file);
      return withProgress(await this.#deps.askIndex(index, question), progress);
    } catch (error) {
      if (!again) throw error;
      // The cache deleted the index to make room.
      this.#seen.forget(key);
      return this.#askIndex(job, named, question, false);
    }
  }

  /** Reads the medium, including the answers that arrived since `before`. */
  async #look(job: StoredJob, named: NamedMedium, before: Seen | undefined): Promise<Seen> {
    const running = await readRunningMedium(this.#deps.store, job, named);
    const { version, progress } = running;
    if (before?.version === version) return before;
    const file = await this.#makeIndex(job, running);
    if (before?.file !== undefined) await this.#deps.frames.removeFile(before.file);
    return { version, progress, ...(file === undefined ? {} : { file }) };
  }

  async #makeIndex(job: StoredJob, running: RunningMedium): Promise<FileKey | undefined> {
    const work = await findingsWork(this.#deps, job, running);
    if (work === undefined) return undefined;
    const name = `findings-${running.named.index}.${running.version}.index`;
    const file = join(framesFolder(foldersOf(job.record, job.snapshot)), name);
    const made = await this.#deps.frames.makeIndex(file, work);
    if (made.kind !== 'made') throw new IndexBusy(made.message);
    return file;
  }

  #derivedOf(job: StoredJob): Promise<readonly NamedMedium[]> {
    return this.#derived.get(keyOf(job), () => derivedMedia(this.#deps.store, job));
  }

  /** @throws UnknownMedium */
  #nameMedium(job: StoredJob, derived: readonly NamedMedium[], mediaId: number): NamedMedium {
    const ids = job.record.media.map((medium) => medium.mediaId);
    const named = ids.indexOf(mediaId);
    const found =
      named < 0 ? derived.find(({ medium }) => medium.mediaId === mediaId) : this.#name(job, derived, named);
    if (found !== undefined) return found;
    const all = [...ids, ...derived.map(({ medium }) => medium.mediaId)];
    throw new UnknownMedium(unknownMedium(mediaId, all));
  }

  #name({ record }: StoredJob, derived: readonly NamedMedium[], place: number): NamedMedium | undefined {
    const medium = record.media[place];
    if (medium === undefined) return derived.find(({ index }) => index === place);
    return { index: place, medium, parentMediaId: -1, madeIn: -1 };
  }
}

const keyOf = ({ record, snapshot }: StoredJob, place?: number): string =>
  `${record.number}.${snapshot.run}/${place ?? ''}`;

function emptyAnswer(question: MediumQuestion, partial: MediumProgress): MediumAnswer {
  switch (question.kind) {
    case 'lanes':
      return [];
    case 'tracks':
      return { tracks: [], total: 0, partial };
    case 'boxes':
      return { boxes: [], toFrame: question.toFrame, partial };
    case 'counts':
      return {
        intervalMs: question.intervalMs ?? roundInterval(0),
        intervals: 0,
        series: [],
        omitted: 0,
        partial,
      };
    case 'heat':
    case 'zones':
    case 'zoneRun':
      return UNAVAILABLE;
  }
}

function withProgress(answer: MediumAnswer, partial: MediumProgress): MediumAnswer {
  if ('unavailable' in answer) return answer;
  if (!isLanes(answer)) return { ...answer, partial };
  return answer.map((lane) => {
    const own = partial.actions.find(({ action, task }) => action === lane.action && task === lane.task);
    return own === undefined ? lane : { ...lane, partial: own };
  });
}

const isLanes = (answer: MediumAnswer): answer is Answers['lanes'] => Array.isArray(answer);
