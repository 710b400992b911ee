import type { PassThrough } from 'node:stream';
import type { JobListQuery, JobPage, ListedJob } from '../../actors/views/jobs/job-list.ts';
import type { JobListWatch } from '../../actors/views/jobs/job-list-watch.ts';
import type { OperationInfo } from '../../actors/operations/views.ts';
import type { JobWatch } from '../../actors/views/jobs/job-watch.ts';
import { overloadError } from '../routing/errors.ts';
import { LatestStream } from './latest-stream.ts';
import { cursorText } from '../schemas/jobs/job-list.ts';

export interface EventLimits {
  /** Maximum number of open streams of all clients. */
  readonly maxStreams: number;
  /** Time between two keep-alive comments. */
  readonly heartbeatMs: number;
}

/** The open event streams of batch jobs and operations. */
export class EventStreams {
  readonly #jobs: JobWatch;
  readonly #lists: JobListWatch;
  readonly #operations: JobWatch<OperationInfo>;
  readonly #limits: EventLimits;
  readonly #open = new Set<LatestStream>();

  constructor(jobs: JobWatch, lists: JobListWatch, operations: JobWatch<OperationInfo>, limits: EventLimits) {
    this.#jobs = jobs;
    this.#lists = lists;
    this.#operations = operations;
    this.#limits = limits;
  }

  /**
   * Opens a stream of the states of a job. Its numbering continues after the last event that the client has received. Returns undefined if
   * there is no such job.
   * @throws HttpError if the maximum number of streams is open
   */
  open(job: number, lastEvent: number): Promise<PassThrough | undefined> {
    return this.#openStream('job', lastEvent, (stream) =>
      this.#jobs.watch(job, {
        onChange: (event) => stream.tell(() => event),
        onEnd: () => stream.onEnd(),
      }),
    );
  }

  /**
   * Opens a stream of the states of an operation.
   * @throws HttpError if the maximum number of streams is open
   */
  openOperation(number: number, lastEvent: number): Promise<PassThrough | undefined> {
    return this.#openStream('operation', lastEvent, (stream) =>
      this.#operations.watch(number, {
        onChange: (event) => stream.tell(() => event),
        onEnd: () => stream.onEnd(),
      }),
    );
  }

  /**
   * Opens a stream of the changes of the jobs on a page of the list.
   * @throws HttpError if the maximum number of streams is open
   */
  async openList(query: JobListQuery, lastEvent: number): Promise<PassThrough> {
    const told = new ToldJobs();
    const body = await this.#openStream('jobs', lastEvent, (stream) =>
      this.#lists.watch(query, {
        onChange: (page) => stream.tell(() => told.changes(page)),
        onEnd: () => stream.onEnd(),
      }),
    );
    return body!;
  }

  /** `watch` returns a function that stops it. `watch` returns undefined if there is nothing to watch. */
  async #openStream(
    name: string,
    lastEvent: number,
    watch: (stream: LatestStream) => Promise<(() => void) | undefined>,
  ): Promise<PassThrough | undefined> {
    const { maxStreams, heartbeatMs } = this.#limits;
    if (this.#open.size >= maxStreams)
      throw overloadError(`There are ${maxStreams} event streams already. Try again later.`);
    const stream = new LatestStream(name, lastEvent, heartbeatMs);
    const { body } = stream;
    this.#open.add(stream);
    body.once('close', () => this.#open.delete(stream));
    const leave = await watch(stream).catch((error: unknown) => {
      body.destroy();
      throw error;
    });
    if (leave === undefined) {
      body.destroy();
      return undefined;
    }
    if (body.destroyed) leave();
    else body.once('close', leave);
    return body;
  }
}

/** The jobs of a page as last sent to one client. */
class ToldJobs {
  #told: ReadonlyMap<string, string> = new Map();
  #first = true;

  /** Returns the new and changed jobs, and the order of all jobs. Returns undefined if nothing has changed. */
  changes({ jobs, next }: JobPage): object | undefined {
    const now = new Map(jobs.map((job) => [job.jobId, JSON.stringify(job)]));
    const changed: ListedJob[] = jobs.filter(({ jobId }) => this.#told.get(jobId) !== now.get(jobId));
    const same = !this.#first && changed.length === 0 && now.size === this.#told.size;
    this.#told = now;
    this.#first = false;
    if (same) return undefined;
    return { jobs: changed, order: [...now.keys()], next: next === null ? null : cursorText(next) };
  }
}
