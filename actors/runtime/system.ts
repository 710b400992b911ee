import { randomUUID } from 'node:crypto';
import type { Clock } from '../basics/clock.ts';
import type { ActorTree } from './tree.ts';
import { Cell } from './cell.ts';
import { RuntimeCounts } from '../basics/counts.ts';
import { DeliveryError, type DeliveryFailure } from '../basics/errors.ts';
import { Roster } from './roster.ts';
import type { ActorKind, Command, Envelope } from './behavior.ts';

export type { ActorKind, Behavior, Command, Envelope } from './behavior.ts';

export interface AskOptions {
  /** Timeout of the caller. The command may still be executed. */
  readonly deadlineMs?: number;
  readonly envelopeId?: string;
  /** See `Envelope.isNew`. */
  readonly isNew?: boolean;
}

/** Sends commands to the actors of one kind. */
export interface Family<C extends Command, R> {
  ask(id: string, command: C, options?: AskOptions): Promise<R>;
  /** Sends without waiting. An undeliverable command becomes a dead letter. Failures of the actor are left to its supervision. */
  tell(id: string, command: C): void;
}

export interface DeadLetter {
  readonly actor: string;
  readonly command: string;
  readonly reason: DeliveryFailure;
  readonly message: string;
  readonly at: number;
}

export interface RuntimeEvents {
  onRestart?(actor: string, error: unknown, delayMs: number): void;
  onEscalation?(actor: string, error: unknown): void;
  deadLetter?(letter: DeadLetter): void;
}

const DEAD_LETTERS = 1_000;
const DEFAULT_DEADLINE_MS = 30_000;
const PASSIVATION_CHECK_MS = 5_000;

/**
 * The actor system of one server: mailboxes, supervision, passivation, dead letters and an orderly stop, on an actor tree
 * that only holds the nodes.
 */
export class ActorSystem {
  readonly clock: Clock;
  readonly counts = new RuntimeCounts();
  /** The loaded actors and their states. */
  readonly roster: Roster;
  readonly #tree: ActorTree;
  readonly #events: RuntimeEvents;
  readonly #cells = new Map<string, Cell>();
  readonly #deadLetters: DeadLetter[] = [];
  #stopPassivation: () => void;
  #stopping = false;

  constructor(tree: ActorTree, clock: Clock, events: RuntimeEvents = {}) {
    this.#tree = tree;
    this.clock = clock;
    this.#events = events;
    this.roster = new Roster(clock);
    this.#stopPassivation = clock.after(PASSIVATION_CHECK_MS, () => this.#passivateIdle());
  }

  register<C extends Command, R>(kind: ActorKind<C, R>): Family<C, R> {
    this.roster.register(kind);
    const ask = (id: string, command: C, options: AskOptions = {}): Promise<R> => {
      const envelope: Envelope<C> = {
        id: options.envelopeId ?? randomUUID(),
        command,
        at: this.clock.now(),
        ...(options.isNew === true ? { isNew: true } : {}),
      };
      return this.#send(kind, id, envelope, options.deadlineMs ?? DEFAULT_DEADLINE_MS);
    };
    return {
      ask,
      tell: (id, command) => void ask(id, command, { deadlineMs: Infinity }).catch(() => undefined),
    };
  }

  get deadLetters(): readonly DeadLetter[] {
    return this.#deadLetters;
  }

  /** Number of loaded actors. */
  get size(): number {
    return this.#cells.size;
  }

  /** Refuses new messages, lets mailboxes run empty for up to `deadlineMs`, and then destroys the tree. Returns true if all ran empty. */
  async stop(deadlineMs: number): Promise<boolean> {
    this.#stopping = true;
    this.#stopPassivation();
    const cells = [...this.#cells.values()];
    const idle = Promise.all(cells.map((cell) => cell.idle()));
    let cancel = () => {};
    const late = new Promise<'late'>(
      (resolve) => (cancel = this.clock.after(deadlineMs, () => resolve('late'))),
    );
    const outcome = await Promise.race([idle, late]);
    cancel();
    await Promise.all(cells.map((cell) => cell.stop('The server is shutting down.')));
    this.#cells.clear();
    this.roster.clear();
    await this.#tree.destroy();
    return outcome !== 'late';
  }

  #send<C extends Command, R>(
    kind: ActorKind<C, R>,
    id: string,
    envelope: Envelope<C>,
    deadlineMs: number,
  ): Promise<R> {
    const name = `${kind.name}/${id}`;
    if (this.#stopping)
      return Promise.reject(this.#dead('STOPPED', name, envelope, 'The server is shutting down.'));
    if (!kind.accepts.has(envelope.command.type))
      return Promise.reject(
        this.#dead(
          'UNKNOWN_COMMAND',
          name,
          envelope,
          `${kind.name} does not know the command ${envelope.command.type}.`,
        ),
      );
    const cell = this.#cells.get(name) ?? this.#open(kind, id, name);
    if (cell.full)
      return Promise.reject(
        this.#dead('MAILBOX_FULL', name, envelope, `The mailbox of ${name} is full. Try again later.`),
      );
    return this.#withDeadline(cell.deliver(envelope) as Promise<R>, deadlineMs, name, envelope);
  }

  #open<C extends Command, R>(kind: ActorKind<C, R>, id: string, name: string): Cell {
    const cell = new Cell({
      kind,
      id,
      name,
      tree: this.#tree,
      clock: this.clock,
      onFailure: (error, counted) => this.roster.onFailure(name, error, counted),
      onRestart: (error, delayMs) => {
        this.counts.add('restarted', name);
        this.#events.onRestart?.(name, error, delayMs);
      },
      deadLetter: (reason, envelope, message) => this.#dead(reason, name, envelope, message),
      escalate: async (error) => {
        if (this.#cells.get(name) === cell) {
          this.#cells.delete(name);
          this.roster.onEscalation(name);
        }
        this.counts.add('escalated', name);
        this.#events.onEscalation?.(name, error);
        await kind.onEscalation?.(id, error);
      },
    });
    this.#cells.set(name, cell);
    this.roster.addActor(kind.name, id, () => cell.look());
    return cell;
  }

  #withDeadline<R>(
    reply: Promise<R>,
    deadlineMs: number,
    name: string,
    envelope: Envelope<Command>,
  ): Promise<R> {
    if (deadlineMs === Infinity) return reply;
    return new Promise((resolve, reject) => {
      const cancel = this.clock.after(deadlineMs, () =>
        reject(this.#dead('TIMEOUT', name, envelope, `${name} gave no answer within ${deadlineMs} ms.`)),
      );
      reply.finally(cancel).then(resolve, reject);
    });
  }

  #dead(reason: DeliveryFailure, actor: string, envelope: Envelope<Command>, message: string): DeliveryError {
    const letter = { actor, command: envelope.command.type, reason, message, at: this.clock.now() };
    this.#deadLetters.push(letter);
    if (this.#deadLetters.length > DEAD_LETTERS) this.#deadLetters.shift();
    this.counts.add('deadLetter', actor);
    this.#events.deadLetter?.(letter);
    return new DeliveryError(reason, actor, message);
  }

  #passivateIdle(): void {
    const now = this.clock.steady();
    for (const [name, cell] of this.#cells)
      if (cell.idleSince(now)) {
        this.#cells.delete(name);
        this.roster.removeActor(name);
        cell.stop('The actor was idle.').catch((error: unknown) => this.#events.onRestart?.(name, error, 0));
      }
    if (!this.#stopping)
      this.#stopPassivation = this.clock.after(PASSIVATION_CHECK_MS, () => this.#passivateIdle());
  }
}
