import { refuseWith, type Machine, type Outcome } from '../runtime/machine.ts';
import { rowKey, type SystemMessage, type SystemMessages, type SystemMessageTypes } from './model.ts';

/** Transitions of the messages (specification 2.5, 4.5). There are no states besides the messages. */
export const SYSTEM_MESSAGES_MACHINE: Machine<SystemMessageTypes> = {
  initial: { messages: new Map() },
  on: {
    post: {
      apply({ messages }, { id, draft }, { at, limit }) {
        if (messages.size >= limit)
          return refuseWith(
            'FULL',
            `There are ${limit} system messages, which is all there may be. Delete some first.`,
          );
        const message = { ...draft, id, datePosted: at };
        return {
          state: { messages: new Map(messages).set(id, message) },
          putRows: [{ key: rowKey(id), body: message }],
          synced: true,
        };
      },
    },
    remove: { apply: (state, command) => without(state, ({ id }) => id === command.id) },
    serverStarted: {
      apply: (state) => without(state, ({ removeStrategy }) => removeStrategy === 'atServerStartup'),
    },
  },
};

/** Removing a missing message is no error (specification 7). */
function without(
  state: SystemMessages,
  goes: (message: SystemMessage) => boolean,
): Outcome<SystemMessageTypes> {
  const removed = [...state.messages.values()].filter(goes).map(({ id }) => id);
  if (removed.length === 0) return {};
  const messages = new Map([...state.messages].filter(([id]) => !removed.includes(id)));
  return { state: { messages }, removeRows: removed.map(rowKey), synced: true };
}
