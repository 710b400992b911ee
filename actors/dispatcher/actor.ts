import type { Logger } from '../../config/logger.ts';
import { queueOf, TRANSFER_QUEUES } from '../../protocol/transfers.ts';
import type { News, WorkLedger } from '../../store/ledger.ts';
import { assertNever } from '../basics/assert-never.ts';
import type { Clock } from '../basics/clock.ts';
import { isTransient } from '../basics/errors.ts';
import { inMemory } from '../runtime/in-memory.ts';
import { commandsOf } from '../runtime/machine.ts';
import { DEFAULT_INTENSITY } from '../runtime/supervision.ts';
import type { ActorKind } from '../runtime/system.ts';
import type { DispatcherCommand, DispatcherEffect, DispatcherReply, DispatcherTypes } from './model.ts';
import { DISPATCHER_MACHINE } from './transitions.ts';

export const DISPATCHER = 'dispatcher';

export interface DispatcherDeps {
  readonly ledger: WorkLedger;
  readonly logger: Logger;
  readonly mailbox: number;
  /** Sends news of work to the actors that offered it. */
  tell(news: readonly News[]): void;
  /** Ends a component that does not answer or does not stop. */
  kill(worker: string, reason: string): void;
}

const TICK_MS = 250;
/** Ticks are longer because each server that shares the ledger ticks. */
const SHARED_TICK_MS = 1_000;
export const TICKS = {
  own: { ms: TICK_MS, steps: 1 },
  shared: { ms: SHARED_TICK_MS, steps: SHARED_TICK_MS / TICK_MS },
};
/** Delay of a tick above which the server was stalled. */
const STALL_MS = 1_000;
const MOST_NEWS = 1_000;

/**
 * The dispatcher watches the work ledger. It returns expired leases and those of dead components to the queues, informs the actors of this
 * work, and ends components that hang. All data is in the ledger, so the dispatcher can lose its state.
 */
export function dispatcherKind(deps: DispatcherDeps): ActorKind<DispatcherCommand, DispatcherReply> {
  const reports = new PendingReports(deps.ledger);
  return {
    name: DISPATCHER,
    accepts: commandsOf(DISPATCHER_MACHINE),
    mailbox: deps.mailbox,
    intensity: DEFAULT_INTENSITY,
    load: () =>
      Promise.resolve(
        inMemory<DispatcherTypes>({
          machine: DISPATCHER_MACHINE,
          context: () => undefined,
          async perform(effects) {
            let follows: DispatcherCommand | undefined;
            for (const effect of effects) follows = await perform(deps, reports, effect);
            return follows;
          },
        }),
      ),
  };
}

async function perform(
  { ledger, logger, kill, tell }: DispatcherDeps,
  reports: PendingReports,
  effect: DispatcherEffect,
): Promise<DispatcherCommand | undefined> {
  switch (effect.type) {
    case 'gone':
    case 'unavailable':
      await reports.send(effect);
      return undefined;
    case 'announce':
      await ledger.announce();
      return undefined;
    case 'expire': {
      await reports.sendAgain();
      const taken = await ledger.expire(effect.stalledMs);
      const leases = taken.map(({ lease, reason }) => ({
        subJob: lease.item.id,
        worker: lease.worker,
        reason,
      }));
      return { type: 'expired', leases };
    }
    case 'kill':
      logger.warn(effect.lease, 'took a sub-job back');
      kill(effect.lease.worker, effect.lease.reason);
      return undefined;
    case 'tellAgain':
      tell(await ledger.news(MOST_NEWS));
      return undefined;
    default:
      return assertNever(effect);
  }
}

type Report = Extract<DispatcherEffect, { readonly type: 'gone' | 'unavailable' }>;

/**
 * Reports to the ledger that are made only once. They are kept while the store is away, even if the actor is loaded again meanwhile. A
 * repeated report has no effect.
 */
class PendingReports {
  readonly #ledger: WorkLedger;
  readonly #waiting: Report[] = [];

  constructor(ledger: WorkLedger) {
    this.#ledger = ledger;
  }

  async send(report: Report): Promise<void> {
    this.#waiting.push(report);
    await this.sendAgain();
  }

  async sendAgain(): Promise<void> {
    for (let report = this.#waiting[0]; report !== undefined; report = this.#waiting[0]) {
      try {
        if (report.type === 'gone')
          await this.#ledger.releaseWorker(report.worker, report.counted, report.reason);
        else await this.#sendUnavailable(report.queue, report.reason);
      } catch (error) {
        if (!isTransient(error)) this.#waiting.shift();
        throw error;
      }
      this.#waiting.shift();
    }
  }

  /** Reports each lane of a queue, because each is a queue of the ledger. */
  async #sendUnavailable(queue: string, reason: string): Promise<void> {
    const hasLanes = TRANSFER_QUEUES.includes(queue);
    const names = hasLanes ? [...(await this.#ledger.counts()).keys()] : [queue];
    for (const name of names) if (queueOf(name) === queue) await this.#ledger.unavailable(name, reason);
  }
}

/** Ticks the dispatcher until the returned function is called. A tick that is far too late contains its delay. */
export function startTicking(clock: Clock, tick: (stalledMs: number) => void, ms = TICK_MS): () => void {
  let cancel = () => {};
  const next = () => {
    const due = clock.steady() + ms;
    cancel = clock.after(ms, () => {
      const reports = clock.steady() - due;
      tick(reports > STALL_MS ? reports : 0);
      next();
    });
  };
  next();
  return () => cancel();
}
