import type { SystemMessageCommand, SystemMessageReply } from './commands.ts';
import type { SystemMessage, SystemMessages } from './state.ts';

export interface Given {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Messages that may be kept. */
  readonly limit: number;
}

export interface Outcome {
  readonly reply: SystemMessageReply;
  /** Absent: nothing changes. */
  readonly change?: {
    readonly state: SystemMessages;
    readonly added: readonly SystemMessage[];
    readonly removed: readonly number[];
  };
}

const DONE: SystemMessageReply = { kind: 'done' };
export const NO_MESSAGES: SystemMessages = { messages: new Map() };

/** Everything that can happen to the messages (specification 2.5, 4.5). There are no states but the messages themselves. */
export function decide(state: SystemMessages, command: SystemMessageCommand, given: Given): Outcome {
  switch (command.type) {
    case 'post': {
      if (state.messages.size >= given.limit) return { reply: { kind: 'full', limit: given.limit } };
      const message = { ...command.draft, id: command.id, datePosted: given.at };
      const messages = new Map(state.messages).set(message.id, message);
      return { reply: DONE, change: { state: { messages }, added: [message], removed: [] } };
    }
    case 'remove':
      return without(state, ({ id }) => id === command.id);
    case 'serverStarted':
      return without(state, ({ removeStrategy }) => removeStrategy === 'atServerStartup');
  }
}

/** To remove what is not there is no error (specification 7). */
function without(state: SystemMessages, goes: (message: SystemMessage) => boolean): Outcome {
  const removed = [...state.messages.values()].filter(goes).map(({ id }) => id);
  if (removed.length === 0) return { reply: DONE };
  const messages = new Map([...state.messages].filter(([id]) => !removed.includes(id)));
  return { reply: DONE, change: { state: { messages }, added: [], removed } };
}
