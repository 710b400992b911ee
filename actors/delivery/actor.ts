import type { Send } from '../../egress/request.ts';
import type { Notice } from '../../store/store.ts';
import { delay } from '../basics/clock.ts';
import { commandsOf } from '../runtime/machine.ts';
import { DEFAULT_INTENSITY } from '../runtime/supervision.ts';
import type { ActorKind, ActorSystem, Family } from '../runtime/system.ts';
import type { DeliveryCommand } from './commands.ts';
import { deliverer, requestOf, type DeliveryDeps, type Self } from './deliverer.ts';
import { DELIVERY } from './notice.ts';
import { failureText, noticeOf } from './policy.ts';
import { DELIVERY_MACHINE, type DeliveryReply } from './transitions.ts';

/** Registers the deliverers: one for each destination, so that a slow or dead receiver does not delay deliveries to others. */
export function registerDelivery(system: ActorSystem, deps: DeliveryDeps): Delivery {
  return new Delivery(system, deps);
}

/** Mailbox size for each concurrent request. A deliverer sends itself fewer messages than this. */
const MESSAGES_PER_REQUEST = 8;
const DESTINATIONS = 500;
/** Longest delay of a timer. */
const LONGEST_MS = 2 ** 31 - 1;

/** What stays in memory while the actor of a destination is unloaded: its timer, and the deliveries in progress. */
export class Delivery {
  readonly #deps: DeliveryDeps;
  readonly #family: Family<DeliveryCommand, DeliveryReply>;
  /** Functions that cancel the timers, by destination. */
  readonly #timers = new Map<string, () => void>();
  /** Destinations with a pending wake-up, which need no other one. */
  readonly #woken = new Set<string>();
  /** Why destinations with notices accept no requests. */
  readonly #troubles = new Map<string, string>();
  readonly #underWay = new Set<Promise<void>>();
  #closed = false;

  constructor(system: ActorSystem, deps: DeliveryDeps) {
    this.#deps = deps;
    const kind: ActorKind<DeliveryCommand, DeliveryReply> = {
      name: DELIVERY,
      accepts: commandsOf(DELIVERY_MACHINE),
      mailbox: 100 + MESSAGES_PER_REQUEST * deps.policy.concurrency,
      intensity: DEFAULT_INTENSITY,
      idleMs: deps.idleMs,
      load: (id) => Promise.resolve(deliverer(id, deps, this.#self(id))),
    };
    this.#family = system.register(kind);
  }

  /** Wakes the deliverer of a destination, after the commit with its notices. */
  readonly wake = (destination: string): void => {
    if (this.#woken.has(destination)) return;
    this.#woken.add(destination);
    this.#family
      .ask(destination, { type: 'wake' }, { deadlineMs: Infinity })
      .catch(() => this.#woken.delete(destination));
  };

  /** Wakes all destinations of the store: at start, and sometimes in case that a message was lost. */
  async wakeAll(): Promise<void> {
    const before = [...this.#troubles.keys()];
    const found = new Set<string>();
    for (let after: string | undefined; ;) {
      const options = { limit: DESTINATIONS, ...(after === undefined ? {} : { after }) };
      const page = await this.#deps.store.destinations(options);
      for (const destination of page) this.wake(destination);
      for (const destination of page) found.add(destination);
      if (page.length < DESTINATIONS) break;
      after = page.at(-1);
    }
    for (const destination of before) if (!found.has(destination)) this.#troubles.delete(destination);
  }

  /** Returns why a destination accepts no requests, if this has lasted for some time. */
  readonly troubleOf = (destination: string): string | undefined => this.#troubles.get(destination);

  /** Before the server stops: sends nothing more, and waits up to `deadlineMs` until the results of current requests are committed. */
  async settle(deadlineMs: number): Promise<void> {
    this.#closed = true;
    const { clock } = this.#deps;
    const end = clock.steady() + deadlineMs;
    while (this.#underWay.size > 0 && clock.steady() < end)
      await Promise.race([Promise.all(this.#underWay), delay(clock, end - clock.steady())]);
  }

  #self(id: string): Self {
    const nothing = () => undefined;
    return {
      tell: (command) => this.#family.ask(id, command, { deadlineMs: Infinity }).then(nothing, nothing),
      isClosed: () => this.#closed,
      track: (work) => {
        this.#underWay.add(work);
        void work.finally(() => this.#underWay.delete(work));
      },
      awake: () => this.#woken.delete(id),
      remind: (ms) => this.#remind(id, ms),
      trouble: (reason) => {
        if (reason === undefined) this.#troubles.delete(id);
        else this.#troubles.set(id, reason);
      },
    };
  }

  #remind(id: string, ms: number | null): void {
    this.#timers.get(id)?.();
    this.#timers.delete(id);
    if (ms === null) return;
    const due = () => {
      this.#timers.delete(id);
      this.#family.tell(id, { type: 'due' });
    };
    this.#timers.set(id, this.#deps.clock.after(Math.min(ms, LONGEST_MS), due));
  }
}

/** Sends a delivery once, immediately, independent of its turn in the outbox. Returns why it failed. */
export async function sendOnce(send: Send, notice: Notice, signal: AbortSignal): Promise<string | undefined> {
  const outcome = await send(requestOf(notice), signal);
  return outcome.kind === 'sent' ? undefined : failureText(noticeOf(notice), outcome.reason);
}
