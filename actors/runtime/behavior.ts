/** The interface between the runtime and an actor. */
import type { RestartIntensity } from './supervision.ts';

export interface Command {
  readonly type: string;
}

export interface Envelope<C extends Command> {
  /** A redelivered command carries the id of the first delivery. */
  readonly id: string;
  readonly command: C;
  /** When the command was sent, in milliseconds since the epoch. Decisions use this time. */
  readonly at: number;
  /** True if the sender knows no stored data of the actor. Then the store is not read before the first commit. */
  readonly isNew?: boolean;
}

/** One loaded actor. `handle` is called for one envelope at a time. An exception counts as a failure and restarts the actor. */
export interface Behavior<C extends Command, R> {
  handle(envelope: Envelope<C>): Promise<R>;
  /** Status of the actor in one word, for operators. */
  readonly status?: string | undefined;
  stop?(): Promise<void>;
}

/** A kind of actor. Each id has its own actor, which is loaded on its first message. */
export interface ActorKind<C extends Command, R> {
  readonly name: string;
  /** Accepted commands. Any other command is refused before it reaches the mailbox. */
  readonly accepts: ReadonlySet<C['type']>;
  readonly mailbox: number;
  readonly intensity: RestartIntensity;
  /** Time without a message after which the actor is unloaded; absent if it stays loaded. */
  readonly idleMs?: number;
  /** The supervising actor; absent if it is the guardian. */
  readonly parent?: { readonly kind: string; readonly id: string };
  load(id: string, isNew?: boolean): Promise<Behavior<C, R>>;
  /** Called when the restart intensity is exceeded, after the actor was unloaded. */
  onEscalation?(id: string, error: unknown): Promise<void>;
}
