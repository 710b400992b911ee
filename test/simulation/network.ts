/**
 * The network between processes: calls take time, get lost, or arrive after their timeout, so that the caller
 * does not know their outcome.
 */
import { StoreAway } from '../../store/store.ts';
import type { Random } from '../cluster/chaos/chaos-plan.ts';
import type { ProcessClock, SimulatedTime } from './time.ts';

export interface NetworkOdds {
  /** Share of lost calls, and of lost responses. */
  readonly lost: number;
}

const FASTEST_MS = 0.2;
const SLOWEST_MS = 4;
const HTTP_TIMEOUT_MS = 1_500;
const REFUSED = 'connection refused';

/** The outcome of the call is unknown. */
export class Broken extends Error {
  override readonly name = 'Broken';
}

/** The connection of one server to Redis. Calls arrive in order. */
export class Link {
  lastSent = 0;
  lastAnswered = 0;
  /** Until then the connection passes nothing. Calls arrive afterwards or never. */
  cutUntil = 0;
}

export class Network {
  readonly #time: SimulatedTime;
  readonly #random: Random;
  #lost: number;
  /** Redis is frozen until then, and processes calls afterwards. */
  frozenUntil = 0;
  /** Its process does not run until then, and its port is closed. */
  awayUntil = 0;

  constructor(time: SimulatedTime, random: Random, { lost }: NetworkOdds) {
    this.#time = time;
    this.#random = random;
    this.#lost = lost;
  }

  /** Stops all faults: from now on every call arrives. */
  calm(): void {
    this.#lost = 0;
  }

  get #delay(): number {
    return FASTEST_MS + this.#random() * (SLOWEST_MS - FASTEST_MS);
  }

  get #isLost(): boolean {
    return this.#random() < this.#lost;
  }

  /**
   * Lets Redis process a call of the process with this clock.
   * @throws StoreAway if no response arrived in time, whether or not the call was processed
   */
  async redis<T>(link: Link, clock: ProcessClock, timeoutMs: number, carryOut: () => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const late = clock.after(timeoutMs, () => reject(new StoreAway('Redis did not answer in time.')));
      const { now } = this.#time;
      const { cutUntil } = link;
      if (now < this.awayUntil) {
        late();
        clock.after(this.#delay, () => reject(new StoreAway(REFUSED)));
        return;
      }
      const isLost = this.#isLost || (now < cutUntil && this.#random() < 0.5);
      const isUnanswered = this.#isLost;
      const arrives = Math.max(now + this.#delay, link.lastSent, this.frozenUntil, cutUntil);
      link.lastSent = arrives;
      if (isLost) return;
      this.#time.after(arrives - now, () => {
        // A killed Redis loses the calls that it had not read.
        if (this.#time.now < this.awayUntil) return;
        const deliverAnswer = (settle: () => void) => {
          if (isUnanswered) return;
          const at = Math.max(this.#time.now + this.#delay, link.lastAnswered, link.cutUntil);
          link.lastAnswered = at;
          clock.after(at - this.#time.now, () => {
            late();
            settle();
          });
        };
        carryOut().then(
          (answer) => deliverAnswer(() => resolve(answer)),
          (error: Error) => deliverAnswer(() => reject(error)),
        );
      });
    });
  }

  /**
   * Sends a request to a server from the process with this clock. `onLost` is called if the response is lost.
   * @throws Broken
   */
  async http<T>(
    caller: ProcessClock,
    server: { readonly clock: ProcessClock },
    ask: () => Promise<T>,
    onLost: (answer: T) => void = () => undefined,
  ): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      let isOver = false;
      const over = (settle: () => void) => {
        isOver = true;
        late();
        settle();
      };
      const late = caller.after(HTTP_TIMEOUT_MS, () => over(() => reject(new Broken('no answer came'))));
      if (this.#isLost) return;
      const isUnanswered = this.#isLost;
      const { clock } = server;
      this.#time.after(this.#delay, () => {
        if (clock.isDead) return caller.soon(() => over(() => reject(new Broken(REFUSED))));
        const deliverAnswer = (settle: () => void, missed: () => void) =>
          this.#time.after(this.#delay, () => {
            if (isUnanswered || isOver || caller.isDead) clock.soon(missed);
            else caller.soon(() => (isOver ? clock.soon(missed) : over(settle)));
          });
        // A frozen process handles the request when it continues.
        clock.soon(() => {
          void ask().then(
            (answer) =>
              deliverAnswer(
                () => resolve(answer),
                () => onLost(answer),
              ),
            (error: Error) =>
              deliverAnswer(
                () => reject(new Broken(error.message)),
                () => undefined,
              ),
          );
        });
      });
    });
  }

  /** Notifications, which may be lost. */
  say(listeners: readonly { readonly clock: ProcessClock; readonly link: Link; hear(): void }[]): void {
    for (const { clock, link, hear } of listeners) {
      const { now } = this.#time;
      if (this.#isLost || now < link.cutUntil || now < this.awayUntil) continue;
      this.#time.after(this.#delay, () => clock.soon(hear));
    }
  }
}
