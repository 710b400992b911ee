import type { PassThrough } from 'node:stream';
import type { LiveEvent } from '../../actors/streaming-job/live.ts';
import type { Streams } from '../../actors/guardian/register-streams.ts';
import { isEnded } from '../../actors/streaming-job/state.ts';
import { overloadError } from '../routing/errors.ts';
import { EventBody } from './event-body.ts';
import type { EventLimits } from './event-streams.ts';

/** Events that wait for a client that reads slowly; it misses the oldest ones then. */
const MAX_WAITING = 1_000;

/** The open event streams of live video: what is seen of streaming jobs as it happens. */
export class LiveEventStreams {
  readonly #streams: Streams;
  readonly #limits: EventLimits;
  readonly #open = new Set<LiveEventStream>();

  constructor(streams: Streams, limits: EventLimits) {
    this.#streams = streams;
    this.#limits = limits;
  }

  /**
   * How the job stands, then what happens until it ends; undefined: there is no such job.
   * @throws HttpError when as many streams are open as there may be
   */
  async open(job: number): Promise<PassThrough | undefined> {
    const { live, views } = this.#streams;
    const { maxStreams, heartbeatMs } = this.#limits;
    if ((await views.detailedStream(job)) === undefined) return undefined;
    if (this.#open.size >= maxStreams)
      throw overloadError(`There are ${maxStreams} event streams already. Try again later.`);
    const stream = new LiveEventStream(heartbeatMs);
    this.#open.add(stream);
    const leave = live.watch(job, (event) => this.#pass(stream, event));
    stream.body.once('close', () => {
      this.#open.delete(stream);
      leave();
    });
    // Looked at after the watching began, so that no change lies between the two.
    const now = await views.detailedStream(job);
    if (now !== undefined) stream.send('job', now);
    if (now === undefined || isEnded(now.jobStatus)) stream.end();
    return stream.body;
  }

  #pass(stream: LiveEventStream, event: LiveEvent): void {
    if (event.type !== 'state') return stream.send(event.type, event);
    stream.send('job', this.#streams.views.infoOf(event.record, event.state));
    if (isEnded(event.state.status)) stream.end();
  }
}

/** One client's stream. A client that reads slowly misses events, and is told how many; it never makes the server keep more. */
class LiveEventStream extends EventBody {
  readonly #waiting: string[] = [];
  #id = 0;
  #missed = 0;
  #over = false;

  send(name: LiveEvent['type'] | 'job', data: object): void {
    if (this.#over) return;
    this.#waiting.push(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
    if (this.#waiting.length > MAX_WAITING) {
      this.#waiting.shift();
      this.#missed++;
    }
    this.flush();
  }

  end(): void {
    this.#over = true;
    this.flush();
  }

  protected override flush(): void {
    if (!this.isOpen) return;
    while (this.#waiting.length > 0 && !this.body.writableNeedDrain) {
      if (this.#missed > 0) this.body.write(`event: missed\ndata: {"events":${this.#missed}}\n\n`);
      this.#missed = 0;
      this.body.write(`id: ${++this.#id}\n${this.#waiting.shift()!}`);
    }
    if (this.#over && this.#waiting.length === 0) this.body.end();
  }
}
