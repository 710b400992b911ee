import type { Redis } from 'ioredis';
import { StoreAway } from '../store.ts';

const TICK_MS = 100;
/** Time without an answer after which Redis is asked for a sign of life. */
const QUIET_MS = 450;
/** Time to answer before Redis counts as silent. Both times together are less than a second. */
const ANSWER_MS = 450;
/** Time of silence after which the client asks the sentinels for another address. */
const STUCK_MS = 1_000;
/** Delay of a tick after which this process was stalled itself: answers may have arrived but are still unread. */
const LATE_MS = 3 * TICK_MS;
const SILENT = 'Redis has not answered for a second.';

export interface PulseListener {
  onSilence(isSilent: boolean): void;
  /** Redis has been silent for another second, or accepts no commands on a new connection. */
  onStuck(): void;
}

/** Detects whether Redis answers: a Redis that is cut off or hangs closes no connection. */
export class Pulse {
  readonly #redis: Redis;
  readonly #listener: PulseListener;
  readonly #timer: NodeJS.Timeout;
  /** Functions that reject pending reads when Redis becomes silent. */
  readonly #waiting = new Set<(error: StoreAway) => void>();
  #tickedAt = performance.now();
  #heardAt = performance.now();
  #bytes = 0;
  #askedAt: number | undefined;
  #isSilent = false;
  /** Since when Redis is silent or the connection is not ready for commands. */
  #stuckAt: number | undefined;

  constructor(redis: Redis, listener: PulseListener) {
    this.#redis = redis;
    this.#listener = listener;
    this.#timer = setInterval(() => this.#tick(), TICK_MS).unref();
  }

  /** Redis has answered. */
  hear(): void {
    this.#hear(performance.now());
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** Called before each command, so that none waits for a silent Redis. @throws StoreAway while Redis is silent */
  check(): void {
    if (this.#isSilent) throw new StoreAway(SILENT);
  }

  /** Waits for the answer to a read. @throws StoreAway if Redis becomes silent before it answers */
  async awaitAnswer<T>(answer: Promise<T>): Promise<T> {
    let stopWaiting = (): void => undefined;
    const silence = new Promise<never>((_, reject) => {
      this.#waiting.add(reject);
      stopWaiting = () => this.#waiting.delete(reject);
    });
    try {
      const answered = await Promise.race([answer, silence]);
      this.hear();
      return answered;
    } finally {
      stopWaiting();
    }
  }

  #tick(): void {
    const now = performance.now();
    const isLate = now - this.#tickedAt > LATE_MS;
    this.#tickedAt = now;
    this.#lookWhetherStuck(now);
    // Without a connection, calls fail on their own.
    if (isLate || this.#redis.status !== 'ready' || this.#hasHeard()) return this.#hear(now);
    if (this.#askedAt === undefined && now - this.#heardAt >= QUIET_MS) this.#ask(now);
    else if (this.#askedAt !== undefined && now - this.#askedAt >= ANSWER_MS) this.#fallSilent();
  }

  #lookWhetherStuck(now: number): void {
    const isStuck = this.#isSilent || this.#redis.status === 'connect';
    this.#stuckAt = isStuck ? (this.#stuckAt ?? now) : undefined;
    if (this.#stuckAt === undefined || now - this.#stuckAt < STUCK_MS) return;
    this.#stuckAt = now;
    this.#listener.onStuck();
  }

  #hasHeard(): boolean {
    const { bytesRead } = this.#redis.stream as { readonly bytesRead?: number };
    const hasHeard = bytesRead !== this.#bytes;
    this.#bytes = bytesRead ?? 0;
    return hasHeard;
  }

  #ask(now: number): void {
    this.#askedAt = now;
    this.#redis.ping().catch(() => undefined);
  }

  #hear(now: number): void {
    this.#heardAt = now;
    this.#askedAt = undefined;
    if (!this.#isSilent) return;
    this.#isSilent = false;
    this.#listener.onSilence(false);
  }

  #fallSilent(): void {
    if (this.#isSilent) return;
    this.#isSilent = true;
    for (const reject of this.#waiting) reject(new StoreAway(SILENT));
    this.#waiting.clear();
    this.#listener.onSilence(true);
  }
}
