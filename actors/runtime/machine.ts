/**
 * The form of all decisions of actors: a table that says in which states each command is executed, to which states it leads, and what it
 * changes. A table is pure: time and limits are in the context, and work is returned as effects. `durable.ts` runs stored actors, and
 * `in-memory.ts` those in memory.
 */
import type { Commit } from '../../store/store.ts';
import type { Command } from './behavior.ts';

/** The types of one kind of actor. */
export interface ActorTypes {
  readonly state: unknown;
  readonly command: Command;
  /** Work that follows a change. */
  readonly effect: unknown;
  /** Reply to executed commands; never: only that they were executed. */
  readonly reply: unknown;
  /** Specific reasons of refusals; never: only WRONG_STATE. */
  readonly refusal: string;
  /** Input of decisions besides the state: the time of the command, settings, and what other parts publish. */
  readonly context: unknown;
  /** Status of the actor in its life cycle; never: it has no life cycle. */
  readonly status: string;
}

/** The command was executed, and there is nothing else to report. */
export interface Done {
  readonly kind: 'done';
}
export const DONE: Done = { kind: 'done' };

/** The command was not executed and has changed nothing. */
export interface Refusal<Reason extends string = never> {
  readonly kind: 'refused';
  /** WRONG_STATE: the actor does not accept the command in its status. */
  readonly reason: Reason | 'WRONG_STATE';
  /** Status of the actor, if it has one. */
  readonly status?: string;
  /** Message for users: the problem and what can be done. */
  readonly message?: string;
}

/** A refusal by a transition. The status of the actor is added to it. */
export type Refused<Reason extends string = never> = Omit<Refusal<Reason>, 'status'>;

/** Reply to an executed command. */
type Answer<T extends Pick<ActorTypes, 'reply'>> = [T['reply']] extends [never] ? Done : T['reply'];

export type Reply<T extends ActorTypes> = Answer<T> | Refusal<T['refusal']>;

/** Outcome of a command. Stored data besides the state is described as in a commit of the store. */
export type Outcome<T extends Pick<ActorTypes, 'state' | 'effect' | 'reply'>> = Change<T> &
  ([T['reply']] extends [never] ? { readonly reply?: Done } : { readonly reply: T['reply'] });

export interface Change<T extends Pick<ActorTypes, 'state' | 'effect'>> extends Pick<
  Commit,
  'record' | 'putRows' | 'removeRows' | 'index' | 'outbox' | 'counters' | 'work' | 'synced'
> {
  /** Absent if nothing changes and nothing is stored. */
  readonly state?: T['state'];
  /** Effects to perform after the state is stored. */
  readonly effects?: readonly T['effect'][];
  /** Deletes the actor with all its data. The next command finds no actor. */
  readonly gone?: true;
}

/** Outcome of any command. For a refused command, it is only the reply. */
export interface Decision<T extends ActorTypes> extends Change<T> {
  readonly reply: Reply<T>;
}

type Of<T extends ActorTypes, N> = Extract<T['command'], { readonly type: N }>;

interface Applies<T extends ActorTypes, N> {
  apply(state: T['state'], command: Of<T, N>, context: T['context']): Outcome<T> | Refused<T['refusal']>;
}

interface Moves<Status extends string> {
  /** Statuses in which the command is executed. In others, it is refused. */
  readonly from: readonly Status[];
  /** Possible next statuses: the same from everywhere, or separate ones for each `from`. */
  readonly to: readonly Status[] | { readonly [From in Status]?: readonly Status[] };
}

export type Transition<T extends ActorTypes, N = T['command']['type']> = Applies<T, N> &
  ([T['status']] extends [never] ? unknown : Moves<T['status']>);

export type Transitions<T extends ActorTypes> = {
  readonly [N in T['command']['type']]: Transition<T, N>;
};

interface Life<T extends ActorTypes> {
  /** Returns the status of a state. */
  statusOf(state: T['state']): T['status'];
}

interface Common<T extends ActorTypes> {
  /** State of an actor that is not stored yet. */
  readonly initial: T['state'];
  /** Returns the reason for refusing a command in this status, or the whole refusal. Absent: WRONG_STATE. */
  refuse?(
    status: T['status'],
    command: T['command'],
  ): Refusal<T['refusal']>['reason'] | Refusal<T['refusal']>;
  /** Adds what follows every executed command, such as work for which there is room now. */
  conclude?(
    outcome: Outcome<T>,
    before: T['state'],
    command: T['command'],
    context: T['context'],
  ): Outcome<T> | Refused<T['refusal']>;
}

export type Machine<T extends ActorTypes> = Common<T> & {
  readonly on: Transitions<T>;
} & ([T['status']] extends [never] ? unknown : Life<T>);

/** A machine without types of commands. The types have ensured that each transition gets its own command. */
interface AnyMachine<T extends ActorTypes> extends Common<T>, Partial<Life<T>> {
  readonly on: Readonly<Record<string, Applies<T, string> & Partial<Moves<string>>>>;
}

/**
 * Decides what a command does to an actor. The same state, command and context always give the same decision. It does not throw if a
 * state refuses the command.
 */
export function decide<T extends ActorTypes>(
  machine: Machine<T>,
  state: T['state'] | undefined,
  command: T['command'],
  context: T['context'],
): Decision<T> {
  const { initial, on, statusOf, refuse, conclude } = machine as unknown as AnyMachine<T>;
  const before = state === undefined ? initial : state;
  const { from, apply } = on[command.type]!;
  const status = statusOf?.(before);
  if (status !== undefined && from?.includes(status) === false)
    return { reply: refusalOf(refuse?.(status, command) ?? 'WRONG_STATE', status) };
  const applied = apply(before, command as Of<T, string>, context);
  const outcome =
    'kind' in applied || conclude === undefined ? applied : conclude(applied, before, command, context);
  if ('kind' in outcome) return { reply: status === undefined ? outcome : { ...outcome, status } };
  return { ...outcome, reply: (outcome.reply ?? DONE) as Reply<T> };
}

const refusalOf = <Reason extends string>(
  found: Refusal<Reason>['reason'] | Refusal<Reason>,
  status: string,
): Refusal<Reason> => (typeof found === 'string' ? { kind: 'refused', reason: found, status } : found);

/** A refusal for a reason that the transition names. */
export const refuseWith = <Reason extends string>(reason: Reason, message?: string): Refused<Reason> =>
  message === undefined ? { kind: 'refused', reason } : { kind: 'refused', reason, message };

/** A refusal because of the state, for cases that the status alone does not show. */
export const WRONG_STATE: Refused = { kind: 'refused', reason: 'WRONG_STATE' };

/** The text of a refusal. */
export const textOf = ({ reason, message = reason }: Pick<Refusal<string>, 'reason' | 'message'>): string =>
  message;

/** The types of commands that a machine handles. */
export const commandsOf = <T extends ActorTypes>({ on }: Machine<T>): ReadonlySet<T['command']['type']> =>
  new Set(Object.keys(on));
