import type { Logger } from '../../config/logger.ts';
import type { News, WorkLedger } from '../../store/ledger.ts';
import type { Clock } from '../runtime/clock.ts';
import { DEFAULT_INTENSITY } from '../runtime/supervision.ts';
import type { ActorKind, Behavior, Envelope } from '../runtime/system.ts';
import { DISPATCHER_COMMANDS, type DispatcherCommand, type DispatcherReply } from './commands.ts';

export const DISPATCHER = 'dispatcher';

export interface DispatcherDeps {
  readonly ledger: WorkLedger;
  readonly logger: Logger;
  readonly mailbox: number;
  /** Tells actors what became of their work. */
  tell(news: readonly News[]): void;
  /** A component does not answer or does not stop: whoever started it ends it. */
  kill(worker: string, reason: string): void;
}

const TICK_MS = 250;
/** A tick that is later than this means that the server was held up. */
const STALL_MS = 1_000;
/** Ticks after which actors are told again what they have not taken in: a message may be lost. */
const TELL_AGAIN = 40;
const MOST_NEWS = 1_000;

/**
 * The dispatcher looks after the work ledger: it takes back what has run out and what dead components held, tells the actors whose
 * work it is, and has components ended that hang. It holds no truth: the ledger does.
 */
export function dispatcherKind(deps: DispatcherDeps): ActorKind<DispatcherCommand, DispatcherReply> {
  return {
    name: DISPATCHER,
    accepts: DISPATCHER_COMMANDS,
    mailbox: deps.mailbox,
    intensity: DEFAULT_INTENSITY,
    load: () => Promise.resolve(new Dispatcher(deps)),
  };
}

class Dispatcher implements Behavior<DispatcherCommand, DispatcherReply> {
  readonly #deps: DispatcherDeps;
  /** Workers that were ended because of one of their leases; the others are not to blame for it. */
  readonly #killed = new Set<string>();
  #ticks = 0;

  constructor(deps: DispatcherDeps) {
    this.#deps = deps;
  }

  async handle({ command }: Envelope<DispatcherCommand>): Promise<DispatcherReply> {
    const { ledger } = this.#deps;
    switch (command.type) {
      case 'workerGone': {
        const wasKilled = this.#killed.delete(command.worker);
        await ledger.gone(command.worker, command.counted && !wasKilled, command.reason);
        break;
      }
      case 'unavailable':
        await ledger.unavailable(command.queue, command.reason);
        break;
      case 'announce':
        await ledger.announce();
        break;
      case 'tick':
        await this.#tick(command.stalledMs ?? 0);
    }
    return { kind: 'done' };
  }

  async #tick(stalledMs: number): Promise<void> {
    const { ledger, logger, kill, tell } = this.#deps;
    for (const { lease, reason } of await ledger.expire(stalledMs)) {
      logger.warn({ subJob: lease.item.id, worker: lease.worker, reason }, 'took a sub-job back');
      this.#killed.add(lease.worker);
      kill(lease.worker, reason);
    }
    if (++this.#ticks % TELL_AGAIN === 0) tell(await ledger.news(MOST_NEWS));
  }
}

/** Ticks the dispatcher until the answer is called; a tick that comes far too late says by how much. */
export function startTicking(clock: Clock, tick: (stalledMs: number) => void): () => void {
  let cancel = () => {};
  const next = () => {
    const due = clock.steady() + TICK_MS;
    cancel = clock.after(TICK_MS, () => {
      const late = clock.steady() - due;
      tick(late > STALL_MS ? late : 0);
      next();
    });
  };
  next();
  return () => cancel();
}
