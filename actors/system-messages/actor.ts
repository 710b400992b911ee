import type { Owner, Store } from '../../store/store.ts';
import { loadDurable } from '../runtime/durable.ts';
import type { DurableKind } from '../runtime/durable-kind.ts';
import { commandsOf, decide } from '../runtime/machine.ts';
import { DEFAULT_INTENSITY } from '../runtime/supervision.ts';
import type { ActorKind } from '../runtime/system.ts';
import {
  ROW_PREFIX,
  storedMessage,
  type SystemMessageCommand,
  type SystemMessageReply,
  type SystemMessageTypes,
} from './model.ts';
import { SYSTEM_MESSAGES_MACHINE } from './transitions.ts';

/** Name of the only actor of this kind, and of the kind. */
export const SYSTEM_MESSAGES = 'system-messages';
const SCHEMA = 1;

export interface SystemMessageDeps {
  readonly store: Store;
  readonly owner: Owner;
  readonly limit: number;
}

export function systemMessageKind(
  deps: SystemMessageDeps,
): ActorKind<SystemMessageCommand, SystemMessageReply> {
  const durable = durableMessages(deps);
  return {
    name: SYSTEM_MESSAGES,
    accepts: commandsOf(SYSTEM_MESSAGES_MACHINE),
    mailbox: 1_000,
    intensity: DEFAULT_INTENSITY,
    load: (id) => loadDurable(durable, deps.store, deps.owner, id),
  };
}

/** The whole state is in the rows. The snapshot contains only the version of their format. */
function durableMessages({ limit }: SystemMessageDeps): DurableKind<object, SystemMessageTypes> {
  return {
    kind: SYSTEM_MESSAGES,
    schema: SCHEMA,
    rowsOf: () => ROW_PREFIX,
    restore: (_record, _body, rows) => ({
      messages: new Map(
        rows.map(({ body }) => storedMessage.parse(body)).map((message) => [message.id, message]),
      ),
    }),
    snapshot: () => ({}),
    decide: (_, state, { command, at }) => decide(SYSTEM_MESSAGES_MACHINE, state, command, { at, limit }),
    newRecord: () => ({}),
    recover: () => [],
    perform: () => Promise.resolve(),
  };
}
