/**
 * The form of all decisions of actors: a table that says in which states each command is executed, to which states it leads, and what it
 * changes. A table is pure: time and limits come with the context, and work leaves as effects. `durable.ts` runs stored actors, `in-
 * memory.ts` those in memory.
 */
import type { Commit } from '../../store/store.ts';
import type { Command } from './behavior.ts';

/** The types of one kind of actor, each by its name. */
export interface ActorTypes {
  readonly state: unknown;
  readonly command: Command;
  /** Work that follows a change. */
  readonly effect: unknown;
  /** What is answered to commands that are carried out; never: nothing but that they were. */
  readonly reply: unknown;
  /** Reasons of its own for a refusal; never: none but WRONG_STATE. */
  readonly refusal: string;
  /** What its decisions may look at besides its state: the time of the command, settings, what others publish. */
  readonly context: unknown;
  /** Where in its life it can be; never: it is always the same. */
  readonly status: string;
}

/** The command was executed; there is nothing else to report. */
export interface Done {
  readonly kind: 'done';
}
export const DONE: Done = { kind: 'done' };

/** The command was not carried out: it has changed nothing. */
export interface Refusal<Reason extends string = never> {
  readonly kind: 'refused';
  /** WRONG_STATE: it is not taken where the actor is in its life. */
  readonly reason: Reason | 'WRONG_STATE';
  /** Where the actor is in its life, if it has one. */
  readonly status?: string;
  /** For people: what is wrong and what can be done. */
  readonly message?: string;
}

/** What a transition says that refuses after all: where the actor is in its life is added to it. */
export type Refused<Reason extends string = never> = Omit<Refusal<Reason>, 'status'>;

/** What a command that is carried out is answered. */
type Answer<T extends Pick<ActorTypes, 'reply'>> = [T['reply']] extends [never] ? Done : T['reply'];

export type Reply<T extends ActorTypes> = Answer<T> | Refusal<T['refusal']>;

/** What a command leads to. What is stored besides the state is said in the words of the store's commit. */
export type Outcome<T extends Pick<ActorTypes, 'state' | 'effect' | 'reply'>> = Change<T> &
  ([T['reply']] extends [never] ? { readonly reply?: Done } : { readonly reply: T['reply'] });

export interface Change<T extends Pick<ActorTypes, 'state' | 'effect'>> extends Pick<
  Commit,
  'record' | 'putRows' | 'removeRows' | 'index' | 'outbox' | 'counters' | 'work' | 'synced'
> {
  /** Absent: nothing changes, and nothing is stored. */
  readonly state?: T['state'];
  /** Performed once the state is stored. */
  readonly effects?: readonly T['effect'][];
  /** The actor goes with all it has; the next command finds none. */
  readonly gone?: true;
}

/** The outcome of any command: that of a refused one is its reply and nothing else. */
export interface Decision<T extends ActorTypes> extends Change<T> {
  readonly reply: Reply<T>;
}

type Of<T extends ActorTypes, N> = Extract<T['command'], { readonly type: N }>;

interface Applies<T extends ActorTypes, N> {
  apply(state: T['state'], command: Of<T, N>, context: T['context']): Outcome<T> | Refused<T['refusal']>;
}

interface Moves<Status extends string> {
  /** Where the command is carried out; anywhere else it is refused. */
  readonly from: readonly Status[];
  /** Where it can lead: the same from everywhere, or from each its own. */
  readonly to: readonly Status[] | { readonly [From in Status]?: readonly Status[] };
}

export type Transition<T extends ActorTypes, N = T['command']['type']> = Applies<T, N> &
  ([T['status']] extends [never] ? unknown : Moves<T['status']>);

export type Transitions<T extends ActorTypes> = {
  readonly [N in T['command']['type']]: Transition<T, N>;
};

interface Life<T extends ActorTypes> {
  /** Where in its life an actor in this state is. */
  statusOf(state: T['state']): T['status'];
}

interface Common<T extends ActorTypes> {
  /** An actor of which nothing is stored yet. */
  readonly initial: T['state'];
  /** The reason to refuse what the table does not take in this status, or all that is said of it; absent: WRONG_STATE. */
  refuse?(
    status: T['status'],
    command: T['command'],
  ): Refusal<T['refusal']>['reason'] | Refusal<T['refusal']>;
  /** What follows whatever was carried out, such as work for which there is room now. */
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

/** A machine as it is run: its types have made sure already that each transition gets the command that it is for. */
interface AnyMachine<T extends ActorTypes> extends Common<T>, Partial<Life<T>> {
  readonly on: Readonly<Record<string, Applies<T, string> & Partial<Moves<string>>>>;
}

/**
 * Decides what a command does to an actor: the same state, command and context give the same decision. It does not throw when a state
 * refuses the command.
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

/** The sentence of a refusal. */
export const textOf = ({ reason, message = reason }: Pick<Refusal<string>, 'reason' | 'message'>): string =>
  message;

/** The types of commands that a machine handles. */
export const commandsOf = <T extends ActorTypes>({ on }: Machine<T>): ReadonlySet<T['command']['type']> =>
  new Set(Object.keys(on));
