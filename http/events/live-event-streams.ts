import type { PassThrough } from 'node:stream';
import type { LiveEvent } from '../../actors/streaming-job/live.ts';
import type { Streams } from '../../actors/guardian/register-streams.ts';
import { isEnded } from '../../actors/streaming-job/state.ts';
import { overloadError } from '../routing/errors.ts';
import { EventBody } from './event-body.ts';
import type { EventLimits } from './event-streams.ts';

/** Maximum number of events that wait for a slow client. When there are more, the oldest events are dropped. */
const MAX_WAITING = 1_000;

/** The open event streams of live streaming jobs. */
export class LiveEventStreams {
  readonly #streams: Streams;
  readonly #limits: EventLimits;
  readonly #open = new Set<LiveEventStream>();

  constructor(streams: Streams, limits: EventLimits) {
    this.#streams = streams;
    this.#limits = limits;
  }

  /**
   * Opens a stream with the current state of the job, then its events until it ends. Returns undefined if there is no such job.
   * @throws HttpError if the maximum number of streams is open
   */
  async open(job: number): Promise<PassThrough | undefined> {
    const { live, views } = this.#streams;
    const { maxStreams, heartbeatMs } = this.#limits;
    if ((await views.detailedStream(job)) === undefined) return undefined;
    if (this.#open.size >= maxStreams)
      throw overloadError(`There are ${maxStreams} event streams already. Try again later.`);
    const stream = new LiveEventStream(heartbeatMs);
    this.#open.add(stream);
    // Events that come while the state is read wait, because the state may be older.
    let early: LiveEvent[] | undefined = [];
    const leave = live.watch(job, (event) =>
      early === undefined ? this.#pass(stream, event) : void early.push(event),
    );
    stream.body.once('close', () => {
      this.#open.delete(stream);
      leave();
    });
    // The state is read after the watch began, so that no change is missed.
    const now = await views.detailedStream(job);
    if (now !== undefined) stream.send('job', now);
    for (const event of early) this.#pass(stream, event);
    early = undefined;
    if (now === undefined || isEnded(now.jobStatus)) stream.end();
    return stream.body;
  }

  #pass(stream: LiveEventStream, event: LiveEvent): void {
    if (event.type !== 'state') return stream.send(event.type, event);
    stream.send('job', this.#streams.views.infoOf(event.record, event.state));
    if (isEnded(event.state.status)) stream.end();
  }
}

/** The stream of one client. A slow client misses events and receives their number, so the server never buffers more. */
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
