import type { Behavior, Envelope } from './behavior.ts';
import { decide, type ActorTypes, type Decision, type Machine, type Reply } from './machine.ts';

/** An actor whose state is in memory only. It reads what must survive from other stored data when it is loaded. */
export interface InMemoryKind<T extends ActorTypes> {
  readonly machine: Machine<T>;
  /** The first state; absent if it is the initial one. */
  readonly state?: T['state'];
  context(envelope: Envelope<T['command']>): T['context'];
  /** Called after every executed command that changed the state, before its effects. */
  onChange?(state: T['state']): Promise<void>;
  /** Performs effects in order. May return a command to execute at once, before any other message. */
  perform(
    effects: readonly T['effect'][],
    state: T['state'],
    context: T['context'],
  ): Promise<T['command'] | undefined>;
  /** Status of an actor in one word, for operators. */
  status?(state: T['state']): string;
  stop?(state: T['state']): Promise<void>;
}

export function inMemory<T extends ActorTypes>(kind: InMemoryKind<T>): Behavior<T['command'], Reply<T>> {
  let state = kind.state === undefined ? kind.machine.initial : kind.state;
  return {
    get status() {
      return kind.status?.(state);
    },
    async handle(envelope) {
      let first: Reply<T> | undefined;
      for (let command: T['command'] | undefined = envelope.command; command !== undefined;) {
        const context = kind.context(envelope);
        const decision: Decision<T> = decide(kind.machine, state, command, context);
        first ??= decision.reply;
        if (decision.state !== undefined) {
          state = decision.state;
          await kind.onChange?.(state);
        }
        const { effects = [] } = decision;
        command = effects.length === 0 ? undefined : await kind.perform(effects, state, context);
      }
      return first as Reply<T>;
    },
    ...(kind.stop === undefined ? {} : { stop: () => kind.stop!(state) }),
  };
}
