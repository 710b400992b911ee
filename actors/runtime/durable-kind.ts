import type { Commit, Row } from '../../store/store.ts';
import type { ActorTypes, Decision, Reply } from './machine.ts';
import type { Steps } from './steps.ts';
import type { Envelope } from './system.ts';

/**
 * A durable actor: a pure decision between a load and one atomic commit. The reply is sent only after the commit. Effects
 * are performed after it and derived again at load, so they are not logged.
 */
export interface DurableKind<R, T extends ActorTypes> {
  readonly kind: string;
  /** Number of the snapshot schema that this code writes. Actors with a newer one are left to servers that know it. */
  readonly schema: number;
  /** Returns the oldest schema that can express a state, so that older servers can read it. Absent if always `schema`. */
  schemaOf?(state: T['state']): number;
  /** @throws Error if the stored parts are invalid; the actor then moves to quarantine */
  restore(record: R, body: unknown, rows: readonly Row[]): T['state'] | Steps<T['state']>;
  /** Prefix of the rows that `restore` needs; undefined if it needs none. */
  rowsOf(body: unknown): string | undefined;
  /** Counters that undo the counts of an actor that cannot be restored. Must accept any stored data. */
  countersWithout?(record: unknown, body: unknown): Commit['counters'];
  /**
   * Applies commits of other servers to a state, from the new body and the rows that they wrote. Only for kinds whose commits need no
   * effects on this server. Returns undefined if the actor must be restored from all stored data.
   */
  follow?(record: R, state: T['state'], body: unknown, rows: readonly Row[]): T['state'] | undefined;
  snapshot(record: R, state: T['state']): unknown;
  /** Long work that the next decision needs, done in time slices. `decide` does the rest of it. */
  ahead?(record: R, state: T['state']): Steps<void> | undefined;
  /** Decides a command. The first change must contain the record, unless `newRecord` makes it. A later change may replace it. */
  decide(record: R | undefined, state: T['state'] | undefined, envelope: Envelope<T['command']>): Decision<T>;
  newRecord?(at: number): R;
  /** Names of the record's parts that many actors of the kind share. */
  readonly common?: readonly string[];
  /** Returns the effects that a loaded state requires. */
  recover(state: T['state']): readonly T['effect'][];
  perform(record: R, state: T['state'], effects: readonly T['effect'][]): Promise<void>;
  /** Status of an actor in one word, for operators. */
  status?(state: T['state']): string;
}

/** An actor between two commands. */
export interface Loaded<R, T extends ActorTypes> {
  readonly version: number;
  /** Id of the commit that wrote it; '' if there is none. */
  readonly commit: string;
  readonly record: R | undefined;
  readonly state: T['state'] | undefined;
  readonly seen: readonly Seen<T>[];
}

/** A decided command with its reply. */
export interface Seen<T extends ActorTypes> {
  readonly id: string;
  readonly reply: Reply<T>;
}

/** An actor that is not stored yet. */
export const NOTHING = { version: 0, commit: '', record: undefined, state: undefined, seen: [] } as const;
