/**
 * Sends reports of a live stream to the server. Segments are sent one after another. They wait in memory while the server is unavailable,
 * so the stream survives its restart. If too many wait, the oldest are dropped. Events are sent in lists, a few per second.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { StreamAnswer, StreamCounts, StreamEnd, StreamEvent } from '../../../protocol/streams.ts';
import type { WorkerClient } from '../connection/client.ts';
import { ProtocolError } from '../failure.ts';

export interface StreamReportOptions {
  readonly client: Pick<WorkerClient, 'segment' | 'events' | 'frame' | 'end'>;
  readonly token: string;
  /** Called when the lease is lost (409), or a report is refused permanently. */
  onOver(error: ProtocolError): void;
  /** Called for each answer. */
  onAnswer(answer: StreamAnswer): void;
  /** Returns the newest counts, which are sent with events. */
  counts(): StreamCounts;
  log(message: string): void;
  /** Maximum number of characters of waiting segments. The newest segment is always kept. */
  readonly keptCharacters?: number;
  /** Maximum number of waiting events. The oldest are dropped. */
  readonly keptEvents?: number;
}

const KEPT_CHARACTERS = 64 * 1024 * 1024;
const KEPT_EVENTS = 1_000;
const MOST_A_LIST = 100;
/** Maximum number of characters of pictures and states in a list. */
const MOST_CHARACTERS = 256 * 1024;
/** Status codes of a malformed or too large list of events. The list is dropped, and the stream continues. */
const REFUSED_LIST: ReadonlySet<number> = new Set([400, 413]);
/** Minimum interval between two lists of non-urgent events. */
const LIST_MS = 100;
/** Interval of checks whether a list was sent. */
const LOOK_MS = 5;
/** Interval of reports without events. They show that the stream is active, and the answer says whether there are viewers. */
const IDLE_MS = 1_000;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 3_000;

interface WaitingSegment {
  readonly number: number;
  readonly lines: string;
  /** Number of events that were added before the segment closed. They are sent before it. */
  readonly after: number;
}

export class StreamReport {
  /** Number of segments that were dropped because too many waited. */
  lostSegments = 0;
  readonly #options: StreamReportOptions;
  readonly #segments: WaitingSegment[] = [];
  #events: StreamEvent[] = [];
  /** Number of added events, and of events that have arrived or were dropped. */
  #told = 0;
  #settled = 0;
  #sending: Promise<void> | undefined;
  #telling: Promise<void> | undefined;
  #toldAt = -Infinity;
  /** True if an urgent event waits. */
  #isUrgent = false;
  #dueAt = Infinity;
  #timer: NodeJS.Timeout | undefined;
  readonly #over = new AbortController();

  constructor(options: StreamReportOptions) {
    this.#options = options;
    this.#tellIn(IDLE_MS);
  }

  /** Sends a segment. `lines` ends with the summary. */
  segment(number: number, lines: string): void {
    this.#segments.push({ number, lines, after: this.#told });
    this.#giveUpOldest();
    this.#sending ??= this.#sendSegments().finally(() => (this.#sending = undefined));
  }

  /** Sends an event. If `urgent`, it is sent at once and not with the next list. */
  event(event: StreamEvent, urgent = false): void {
    this.#events.push(event);
    this.#told += 1;
    if (this.#events.length > (this.#options.keptEvents ?? KEPT_EVENTS)) this.#giveUpEvent();
    this.#isUrgent ||= urgent;
    this.#tellIn(urgent ? 0 : this.#toldAt + LIST_MS - performance.now());
  }

  /** Sends a picture. It is not retried, because the next picture is newer. */
  async frame(picture: Buffer): Promise<void> {
    try {
      const { client, token, onAnswer } = this.#options;
      onAnswer(await client.frame(token, picture, this.#over.signal));
    } catch (error) {
      // A refused picture does not affect the stream.
      if (error instanceof ProtocolError && error.status === 409) this.#isFinal(error);
    }
  }

  /** Resolves when all reports have arrived or were dropped, or after `withinMs`. */
  async flush(withinMs = Infinity): Promise<void> {
    const limit = new AbortController();
    const late = withinMs === Infinity ? [] : [sleep(withinMs, undefined, { signal: limit.signal })];
    await Promise.race([this.#awaitArrival(), ...late]).finally(() => limit.abort());
  }

  /** Reports the end of the stream. Retries until the server has received it. */
  async end(end: StreamEnd): Promise<void> {
    await this.#repeatUntilSent(() => this.#options.client.end(this.#options.token, end, this.#over.signal));
  }

  /** Drops everything that has not arrived. */
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

  /** Drops the oldest event that only viewers would miss, or else the oldest. */
  #giveUpEvent(): void {
    const seenOnly = this.#events.findIndex(({ type }) => type !== 'zones');
    this.#events.splice(Math.max(0, seenOnly), 1);
    this.#settled += 1;
  }

  /** Waits for the events of a segment. They are sent with the next list, so a segment adds no list. */
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
   * Schedules the next list, unless an earlier one is scheduled. While a list is being sent, the next one waits. A due list is sent before
   * the next frame is processed, because a timer would wait for that frame. Other events of the same frame are included.
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

  /** Sends until success. Returns undefined if the report is no longer needed. */
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

  /** True if a retry does not help. */
  #isFinal(error: unknown): boolean {
    if (this.#over.signal.aborted) return true;
    if (!(error instanceof ProtocolError) || MAY_PASS.has(error.status)) return false;
    this.close();
    this.#options.onOver(error);
    return true;
  }
}

/** Status of a busy or starting server, or of a proxy before an unavailable one. */
const MAY_PASS: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504]);

/** Returns the number of events for one list. */
function lengthOfList(events: readonly StreamEvent[]): number {
  let characters = 0;
  for (const [index, event] of events.slice(0, MOST_A_LIST).entries()) {
    if (event.type === 'zones') characters += JSON.stringify(event).length;
    if (index > 0 && characters > MOST_CHARACTERS) return index;
  }
  return Math.min(events.length, MOST_A_LIST);
}
