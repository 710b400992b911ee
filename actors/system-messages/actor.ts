import type { Owner, Store } from '../../store/store.ts';
import { loadDurable, type DurableKind } from '../runtime/durable.ts';
import { DEFAULT_INTENSITY } from '../runtime/supervision.ts';
import type { ActorKind } from '../runtime/system.ts';
import { SYSTEM_MESSAGE_COMMANDS, type SystemMessageCommand, type SystemMessageReply } from './commands.ts';
import { ROW_PREFIX, rowKey, storedMessage, type SystemMessages } from './state.ts';
import { decide, NO_MESSAGES } from './transitions.ts';

/** There is one actor of this kind; both are called so. */
export const SYSTEM_MESSAGES = 'system-messages';
const SCHEMA = 1;

export interface SystemMessageDeps {
  readonly store: Store;
  readonly owner: Owner;
  readonly limit: number;
}

type Durable = DurableKind<object, SystemMessages, SystemMessageCommand, SystemMessageReply, never>;

export function systemMessageKind(
  deps: SystemMessageDeps,
): ActorKind<SystemMessageCommand, SystemMessageReply> {
  const durable = durableMessages(deps);
  return {
    name: SYSTEM_MESSAGES,
    accepts: SYSTEM_MESSAGE_COMMANDS,
    mailbox: 1_000,
    intensity: DEFAULT_INTENSITY,
    load: (id) => loadDurable(durable, deps.store, deps.owner, id),
  };
}

/** All of it is in the rows; the snapshot only carries the version of their form. */
function durableMessages({ limit }: SystemMessageDeps): Durable {
  return {
    kind: SYSTEM_MESSAGES,
    schema: SCHEMA,
    upcasters: {},
    rowsOf: () => ROW_PREFIX,
    restore: (_record, _body, rows) => ({
      messages: new Map(
        rows.map(({ body }) => storedMessage.parse(body)).map((message) => [message.id, message]),
      ),
    }),
    snapshot: () => ({}),
    decide: (record, state, { command, at }) => {
      const { reply, change } = decide(state ?? NO_MESSAGES, command, { at, limit });
      if (change === undefined) return { reply };
      return {
        reply,
        change: {
          state: change.state,
          putRows: change.added.map((message) => ({ key: rowKey(message.id), body: message })),
          removeRows: change.removed.map(rowKey),
          synced: true,
          ...(record === undefined ? { record: {} } : {}),
        },
      };
    },
    recover: () => [],
    perform: () => Promise.resolve(),
  };
}
