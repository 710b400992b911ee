/**
 * Reports of a live stream on their way to the server. Segments are sent one after the other. They wait in memory while the server is
 * away, so the stream survives its restart; when too many wait, the oldest are dropped. Events are sent in lists, a few per second.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { StreamAnswer, StreamCounts, StreamEnd, StreamEvent } from '../../../protocol/streams.ts';
import type { WorkerClient } from '../connection/client.ts';
import { ProtocolError } from '../failure.ts';

export interface StreamReportOptions {
  readonly client: Pick<WorkerClient, 'segment' | 'events' | 'frame' | 'end'>;
  readonly token: string;
  /** The lease is lost (409), or what was sent is refused for good. */
  onOver(error: ProtocolError): void;
  /** Of each answer. */
  onAnswer(answer: StreamAnswer): void;
  /** The newest counts, to go with events. */
  counts(): StreamCounts;
  log(message: string): void;
  /** Characters of segments that wait for the server at most; the newest segment waits in any case. */
  readonly keptCharacters?: number;
  /** Events that wait at most; the oldest are given up. */
  readonly keptEvents?: number;
}

const KEPT_CHARACTERS = 64 * 1024 * 1024;
const KEPT_EVENTS = 1_000;
const MOST_A_LIST = 100;
/** Characters of pictures and states in a list. */
const MOST_CHARACTERS = 256 * 1024;
/** A list of events that is malformed or too large is lost; the stream goes on. */
const REFUSED_LIST: ReadonlySet<number> = new Set([400, 413]);
/** Between two lists of events that are not urgent. */
const LIST_MS = 100;
/** Between two looks whether a list has left. */
const LOOK_MS = 5;
/** Without any event the server is told so often that the stream goes on, and says whether somebody wants to see it. */
const IDLE_MS = 1_000;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 3_000;

interface WaitingSegment {
  readonly number: number;
  readonly lines: string;
  /** Events that had been told when it was closed: they arrive before it. */
  readonly after: number;
}

export class StreamReport {
  /** Segments that were given up as too many waited. */
  lostSegments = 0;
  readonly #options: StreamReportOptions;
  readonly #segments: WaitingSegment[] = [];
  #events: StreamEvent[] = [];
  /** Events that were told, and those of them that have arrived or never will. */
  #told = 0;
  #settled = 0;
  #sending: Promise<void> | undefined;
  #telling: Promise<void> | undefined;
  #toldAt = -Infinity;
  /** Something urgent waits. */
  #isUrgent = false;
  #dueAt = Infinity;
  #timer: NodeJS.Timeout | undefined;
  readonly #over = new AbortController();

  constructor(options: StreamReportOptions) {
    this.#options = options;
    this.#tellIn(IDLE_MS);
  }

  /** `lines` with the summary as the last one. */
  segment(number: number, lines: string): void {
    this.#segments.push({ number, lines, after: this.#told });
    this.#giveUpOldest();
    this.#sending ??= this.#sendSegments().finally(() => (this.#sending = undefined));
  }

  /** `urgent`: goes at once and not with the next list. */
  event(event: StreamEvent, urgent = false): void {
    this.#events.push(event);
    this.#told += 1;
    if (this.#events.length > (this.#options.keptEvents ?? KEPT_EVENTS)) this.#giveUpEvent();
    this.#isUrgent ||= urgent;
    this.#tellIn(urgent ? 0 : this.#toldAt + LIST_MS - performance.now());
  }

  /** Is not repeated: the next picture is better. */
  async frame(picture: Buffer): Promise<void> {
    try {
      const { client, token, onAnswer } = this.#options;
      onAnswer(await client.frame(token, picture, this.#over.signal));
    } catch (error) {
      // A picture that is refused does no harm to the stream.
      if (error instanceof ProtocolError && error.status === 409) this.#isFinal(error);
    }
  }

  /** Resolves when all that was told has arrived, or cannot arrive any more; at the latest after `withinMs`. */
  async flush(withinMs = Infinity): Promise<void> {
    const limit = new AbortController();
    const late = withinMs === Infinity ? [] : [sleep(withinMs, undefined, { signal: limit.signal })];
    await Promise.race([this.#awaitArrival(), ...late]).finally(() => limit.abort());
  }

  /** Repeated until the server has it. */
  async end(end: StreamEnd): Promise<void> {
    await this.#repeatUntilSent(() => this.#options.client.end(this.#options.token, end, this.#over.signal));
  }

  /** Gives up what has not arrived. */
  close(): void {
    clearTimeout(this.#timer);
    this.#over.abort();
  }

  async #awaitArrival(): Promise<void> {
    if (this.#events.length > 0) this.#tellIn(0);
    while (this.#isPending()) await Promise.all([this.#sending, this.#telling, sleep(1)]);
  }

  #isPending(): boolean {
    return !this.#over.signal.aborted && (this.#segments.length > 0 || this.#events.length > 0);
  }

  async #sendSegments(): Promise<void> {
    const { client, token, onAnswer } = this.#options;
    for (let next = this.#segments[0]; next !== undefined; next = this.#segments[0]) {
      await this.#eventsBefore(next);
      const { number, lines } = next;
      const answer = await this.#repeatUntilSent(
        () => client.segment(token, number, lines, this.#over.signal),
        () => this.#segments.includes(next),
      );
      const at = this.#segments.indexOf(next);
      if (at >= 0) this.#segments.splice(at, 1);
      if (answer !== undefined) onAnswer(answer);
      if (this.#over.signal.aborted) return;
    }
  }

  /** The oldest one that only watchers miss; else the oldest. */
  #giveUpEvent(): void {
    const seenOnly = this.#events.findIndex(({ type }) => type !== 'zones');
    this.#events.splice(Math.max(0, seenOnly), 1);
    this.#settled += 1;
  }

  /** They leave with the next list, so that a segment adds none. */
  async #eventsBefore(segment: WaitingSegment): Promise<void> {
    while (this.#settled < segment.after && !this.#over.signal.aborted)
      await (this.#telling ?? sleep(LOOK_MS));
  }

  #giveUpOldest(): void {
    let kept = this.#segments.reduce((sum, { lines }) => sum + lines.length, 0);
    while (this.#segments.length > 1 && kept > (this.#options.keptCharacters ?? KEPT_CHARACTERS)) {
      const { number, lines } = this.#segments.shift()!;
      kept -= lines.length;
      this.lostSegments++;
      this.#options.log(`Segment ${number} was dropped: the server was unreachable for too long.`);
    }
  }

  /**
   * Unless it is to be sooner already. While a list is on its way the next one waits. What is due leaves before the next frame is looked
   * at, for which a timer would wait, and with it whatever else is told of the same frame.
   */
  #tellIn(ms: number): void {
    const due = ms <= 0 ? -Infinity : performance.now() + ms;
    if (this.#telling !== undefined || this.#over.signal.aborted || due >= this.#dueAt) return;
    clearTimeout(this.#timer);
    this.#dueAt = due;
    if (ms <= 0) queueMicrotask(() => this.#start());
    else this.#timer = setTimeout(() => this.#start(), ms);
  }

  #start(): void {
    this.#dueAt = Infinity;
    if (this.#over.signal.aborted) return;
    this.#telling = this.#tell().finally(() => {
      this.#telling = undefined;
      this.#tellIn(this.#isUrgent ? 0 : this.#events.length > 0 ? LIST_MS : IDLE_MS);
    });
  }

  async #tell(): Promise<void> {
    const { client, token, counts, onAnswer } = this.#options;
    const events = this.#events.splice(0, lengthOfList(this.#events));
    this.#isUrgent &&= this.#events.length > 0;
    this.#toldAt = performance.now();
    const send = () => client.events(token, { events, counts: counts() }, this.#over.signal);
    const answer = await this.#repeatUntilSent(send, undefined, REFUSED_LIST);
    this.#settled += events.length;
    if (answer !== undefined) onAnswer(answer);
  }

  /** Undefined when nobody wants to hear of it any more. */
  async #repeatUntilSent<T>(
    send: () => Promise<T>,
    isWanted: () => boolean = () => true,
    harmless?: ReadonlySet<number>,
  ): Promise<T | undefined> {
    for (let pause = FIRST_PAUSE_MS; isWanted() && !this.#over.signal.aborted;) {
      try {
        return await send();
      } catch (error) {
        if (this.#isHarmless(error, harmless) || this.#isFinal(error)) return undefined;
        await sleep(pause, undefined, { signal: this.#over.signal }).catch(() => undefined);
        pause = Math.min(2 * pause, LONGEST_PAUSE_MS);
      }
    }
    return undefined;
  }

  #isHarmless(error: unknown, harmless: ReadonlySet<number> | undefined): boolean {
    if (!(error instanceof ProtocolError) || harmless?.has(error.status) !== true) return false;
    this.#options.log(`The server refused a report about a stream: ${error.message}`);
    return true;
  }

  /** Whether there is no point in another attempt. */
  #isFinal(error: unknown): boolean {
    if (this.#over.signal.aborted) return true;
    if (!(error instanceof ProtocolError) || MAY_PASS.has(error.status)) return false;
    this.close();
    this.#options.onOver(error);
    return true;
  }
}

/** A busy or starting server, or a proxy before one that is away. */
const MAY_PASS: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504]);

/** Events that go in one list. */
function lengthOfList(events: readonly StreamEvent[]): number {
  let characters = 0;
  for (const [index, event] of events.slice(0, MOST_A_LIST).entries()) {
    if (event.type === 'zones') characters += JSON.stringify(event).length;
    if (index > 0 && characters > MOST_CHARACTERS) return index;
  }
  return Math.min(events.length, MOST_A_LIST);
}
