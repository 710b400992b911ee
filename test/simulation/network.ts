/** What lies between processes: calls take their time, get lost, arrive twice as late as anybody waits, and nobody knows whether they were carried out. */
import { StoreAway } from '../../store/store.ts';
import type { Random } from '../cluster/chaos/chaos-plan.ts';
import type { ProcessClock, SimulatedTime } from './time.ts';

export interface NetworkOdds {
  /** Of a call that never arrives, and of an answer that never does. */
  readonly lost: number;
}

const FASTEST_MS = 0.2;
const SLOWEST_MS = 4;
const HTTP_TIMEOUT_MS = 1_500;
const REFUSED = 'connection refused';

/** Nobody knows what became of it. */
export class Broken extends Error {
  override readonly name = 'Broken';
}

/** The way of one server to Redis: what is sent arrives in its order. */
export class Link {
  lastSent = 0;
  lastAnswered = 0;
  /** Until then nothing passes; what was sent arrives afterwards, if at all. */
  cutUntil = 0;
}

export class Network {
  readonly #time: SimulatedTime;
  readonly #random: Random;
  #lost: number;
  /** Redis stands still: what was sent is carried out afterwards. */
  frozenUntil = 0;
  /** Its process is away, and its port with it. */
  awayUntil = 0;

  constructor(time: SimulatedTime, random: Random, { lost }: NetworkOdds) {
    this.#time = time;
    this.#random = random;
    this.#lost = lost;
  }

  /** From now on whatever is sent arrives. */
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
   * Has Redis carry out a call of the process with this clock.
   * @throws StoreAway when no answer came in time, whatever became of the call
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
        // What a killed Redis had not read is gone.
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
   * Asks a server, on behalf of a process with this clock. `onLost` is called when the answer does not reach whoever asked.
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
        // A process that is frozen carries it out when it goes on.
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

  /** Words that may not be heard. */
  say(listeners: readonly { readonly clock: ProcessClock; readonly link: Link; hear(): void }[]): void {
    for (const { clock, link, hear } of listeners) {
      const { now } = this.#time;
      if (this.#isLost || now < link.cutUntil || now < this.awayUntil) continue;
      this.#time.after(this.#delay, () => clock.soon(hear));
    }
  }
}
