import type { Logger } from '../../config/logger.ts';
import { allRows, type ActorKey, type Store } from '../../store/store.ts';
import type { Family } from '../runtime/system.ts';
import { SYSTEM_MESSAGES } from './actor.ts';
import type { SystemMessageCommand, SystemMessageReply } from './model.ts';
import { ROW_PREFIX, storedMessage, type MessageDraft, type SystemMessage } from './model.ts';

/** Maximum number of characters of a message. Longer messages of clients are refused; longer ones of the server are cut. */
export const MAX_MESSAGE = 10_000;

export interface SystemMessageServiceDeps {
  readonly store: Store;
  readonly family: Family<SystemMessageCommand, SystemMessageReply>;
  readonly logger: Logger;
}

/** Posts and reads messages to the users of the service. Reads go to the store, without loading the actor. */
export class SystemMessageService {
  readonly #deps: SystemMessageServiceDeps;

  constructor(deps: SystemMessageServiceDeps) {
    this.#deps = deps;
  }

  /** All messages in the order of posting. */
  async all(): Promise<readonly SystemMessage[]> {
    const messages: SystemMessage[] = [];
    const actor = { kind: SYSTEM_MESSAGES, id: SYSTEM_MESSAGES };
    for await (const { body } of allRows(this.#deps.store, actor, ROW_PREFIX))
      messages.push(storedMessage.parse(body));
    return messages;
  }

  async post(draft: MessageDraft): Promise<SystemMessageReply> {
    const id = await this.#deps.store.next('system-message');
    return this.#ask({ type: 'post', id, draft });
  }

  /** Posts a message of the server. Returns the id for its removal, or undefined if there is no room. */
  async announce(draft: MessageDraft): Promise<number | undefined> {
    const id = await this.#deps.store.next('system-message');
    const reply = await this.#ask({ type: 'post', id, draft });
    return reply.kind === 'done' ? id : undefined;
  }

  async remove(id: number): Promise<void> {
    await this.#ask({ type: 'remove', id });
  }

  /** Called once, when the server starts. */
  async serverStarted(): Promise<void> {
    await this.#ask({ type: 'serverStarted' });
  }

  /** Posts a message to the administrators and returns its id. If it cannot be posted, it is in the log, and the result is undefined. */
  async tellAdministrators(
    severity: MessageDraft['severity'],
    text: string,
    removeStrategy: MessageDraft['removeStrategy'] = 'manual',
  ): Promise<number | undefined> {
    const { store, logger } = this.#deps;
    const msg = text.slice(0, MAX_MESSAGE);
    try {
      const id = await store.next('system-message');
      const draft: MessageDraft = { msg, msgType: 'admin', removeStrategy, severity };
      const reply = await this.#ask({ type: 'post', id, draft });
      if (reply.kind === 'done') return id;
      logger.warn({ msg }, 'a system message was dropped, because the list is full');
    } catch (err) {
      logger.warn({ err, msg }, 'a system message could not be posted');
    }
    return undefined;
  }

  #ask(command: SystemMessageCommand): Promise<SystemMessageReply> {
    return this.#deps.family.ask(SYSTEM_MESSAGES, command);
  }
}

/** The store, with `onQuarantine` called for every actor that is put into quarantine. */
export function reportQuarantine(
  store: Store,
  onQuarantine: (actor: ActorKey, reason: string) => void,
): Store {
  const quarantine: Store['quarantine'] = async (actor, reason, options) => {
    const moved = await store.quarantine(actor, reason, options);
    if (moved) onQuarantine(actor, reason);
    return moved;
  };
  return new Proxy(store, {
    get(target, name) {
      if (name === 'quarantine') return quarantine;
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}
