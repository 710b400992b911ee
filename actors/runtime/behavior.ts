/** The interface between the runtime and an actor. */
import type { RestartIntensity } from './supervision.ts';

export interface Command {
  readonly type: string;
}

export interface Envelope<C extends Command> {
  /** A redelivered command carries the id of the first delivery. */
  readonly id: string;
  readonly command: C;
  /** Milliseconds since the epoch at which the command was sent; the time inside every decision. */
  readonly at: number;
  /** As far as the sender knows, nothing is stored of the actor yet, so that nothing is read before its first commit. */
  readonly isNew?: boolean;
}

/** One loaded actor. `handle` is called for one envelope at a time; a throw is a failure and restarts the actor. */
export interface Behavior<C extends Command, R> {
  handle(envelope: Envelope<C>): Promise<R>;
  /** How it stands, in a word of its own, for people. */
  readonly status?: string | undefined;
  stop?(): Promise<void>;
}

/** A kind of actor: one actor an id, loaded on its first message. */
export interface ActorKind<C extends Command, R> {
  readonly name: string;
  /** Commands that are delivered; any other is refused before it reaches the mailbox. */
  readonly accepts: ReadonlySet<C['type']>;
  readonly mailbox: number;
  readonly intensity: RestartIntensity;
  /** Unloads an actor that had no message for so long; absent: stays loaded. */
  readonly idleMs?: number;
  /** The actor that looks after those of this kind; absent: the guardian does. */
  readonly parent?: { readonly kind: string; readonly id: string };
  load(id: string, isNew?: boolean): Promise<Behavior<C, R>>;
  /** Called when the restart intensity is exceeded; the actor is unloaded by then. */
  onEscalation?(id: string, error: unknown): Promise<void>;
}
