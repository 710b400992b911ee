import { PassThrough } from 'node:stream';
import type { JobWatch } from '../actors/views/job-watch.ts';
import type { JobProgressEvent } from '../actors/views/jobs.ts';
import { overloaded } from './errors.ts';

export interface EventLimits {
  /** Open streams of all clients at most. */
  readonly maxStreams: number;
  /** Time between two signs of life. */
  readonly heartbeatMs: number;
}

/** Time after which a client comes again when its stream broke off. */
const RETRY_MS = 2_000;

/** The event streams that are open. */
export class EventStreams {
  readonly #watch: JobWatch;
  readonly #limits: EventLimits;
  readonly #open = new Set<EventStream>();

  constructor(watch: JobWatch, limits: EventLimits) {
    this.#watch = watch;
    this.#limits = limits;
  }

  /**
   * A stream of what becomes of a job, which counts its events on from the last one that the client has seen; undefined: there is
   * no such job.
   * @throws HttpError when as many streams are open as there may be
   */
  async open(job: number, lastEvent: number): Promise<PassThrough | undefined> {
    const { maxStreams, heartbeatMs } = this.#limits;
    if (this.#open.size >= maxStreams)
      throw overloaded(`There are ${maxStreams} event streams already (MAX_EVENT_STREAMS); try again later.`);
    const stream = new EventStream(lastEvent, heartbeatMs);
    const { body } = stream;
    this.#open.add(stream);
    body.once('close', () => this.#open.delete(stream));
    const leave = await this.#watch.watch(job, stream).catch((error: unknown) => {
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

/** One client's stream. A client that reads slowly misses what is out of date by then, and never makes the server keep more. */
class EventStream {
  readonly body = new PassThrough();
  #id: number;
  /** Written when the client has read what is under way. */
  #latest: JobProgressEvent | undefined;
  #over = false;
  /** It has not read anything since the last sign of life. */
  #stuck = false;

  constructor(id: number, heartbeatMs: number) {
    this.#id = id;
    this.body.write(`retry: ${RETRY_MS}\n\n`);
    const beat = setInterval(() => this.#beat(), heartbeatMs).unref();
    this.body.on('drain', () => this.#flush());
    // A client that hangs up is no error.
    this.body.on('error', () => undefined);
    this.body.once('close', () => clearInterval(beat));
  }

  seen(event: JobProgressEvent): void {
    this.#latest = event;
    this.#flush();
  }

  ended(): void {
    this.#over = true;
    this.#flush();
  }

  #flush(): void {
    if (this.body.destroyed || this.body.writableEnded || this.body.writableNeedDrain) return;
    this.#stuck = false;
    if (this.#latest !== undefined)
      this.body.write(`id: ${++this.#id}\nevent: job\ndata: ${JSON.stringify(this.#latest)}\n\n`);
    this.#latest = undefined;
    if (this.#over) this.body.end();
  }

  #beat(): void {
    if (!this.body.writableNeedDrain && !this.body.writableEnded) this.body.write(': \n\n');
    else if (this.#stuck) this.body.destroy();
    else this.#stuck = true;
  }
}
