import type { Commit, Row } from '../../store/store.ts';
import type { ActorTypes, Decision, Reply } from './machine.ts';
import type { Steps } from './steps.ts';
import type { Envelope } from './system.ts';

/**
 * A durable actor: a pure decision between a load and one atomic commit. The reply leaves only after the commit; effects
 * are performed after it and derived again at load, so there is no log of them.
 */
export interface DurableKind<R, T extends ActorTypes> {
  readonly kind: string;
  /** Number of the snapshot schema that this code writes; a newer one is left to the servers that know it. */
  readonly schema: number;
  /** The oldest schema that can show a state, so that older servers go on with what they understand; absent: always `schema`. */
  schemaOf?(state: T['state']): number;
  /** Throws when the stored parts make no sense: the actor is then put into quarantine. */
  restore(record: R, body: unknown, rows: readonly Row[]): T['state'] | Steps<T['state']>;
  /** Rows that `restore` wants to see; undefined: none. */
  rowsOf(body: unknown): string | undefined;
  /** What an actor that cannot be restored was counted as, to be taken off again; it makes what it can of anything. */
  countersWithout?(record: unknown, body: unknown): Commit['counters'];
  /**
   * A state goes on with what other servers have committed since: its new body, and the rows that they have written. Only where no effect
   * follows from their commits but what the store has done with them. Undefined: it is restored from all that is stored.
   */
  follow?(record: R, state: T['state'], body: unknown, rows: readonly Row[]): T['state'] | undefined;
  snapshot(record: R, state: T['state']): unknown;
  /** Long work that the next decision will need, done in turns with that of others; `decide` does what is left of it. */
  ahead?(record: R, state: T['state']): Steps<void> | undefined;
  /** The first decision that changes something brings the record, unless `newRecord` makes it; a later one may bring another. */
  decide(record: R | undefined, state: T['state'] | undefined, envelope: Envelope<T['command']>): Decision<T>;
  newRecord?(at: number): R;
  /** Parts of the record that many actors of the kind have in common. */
  readonly common?: readonly string[];
  /** Effects that the loaded state stands for. */
  recover(state: T['state']): readonly T['effect'][];
  perform(record: R, state: T['state'], effects: readonly T['effect'][]): Promise<void>;
  /** How an actor in this state stands, in a word, for people. */
  status?(state: T['state']): string;
}

/** An actor as its cell has it between two commands. */
export interface Loaded<R, T extends ActorTypes> {
  readonly version: number;
  /** Of the commit that wrote it; '' when there is none. */
  readonly commit: string;
  readonly record: R | undefined;
  readonly state: T['state'] | undefined;
  readonly seen: readonly Seen<T>[];
}

/** A command that was decided, and what was replied. */
export interface Seen<T extends ActorTypes> {
  readonly id: string;
  readonly reply: Reply<T>;
}

/** The state of an actor that is not stored yet. */
export const NOTHING = { version: 0, commit: '', record: undefined, state: undefined, seen: [] } as const;
