import { StoreAway } from '../../store/store.ts';

/** Why a message was not handled. The edge maps them: MAILBOX_FULL, STOPPED and TIMEOUT become 503 with Retry-After. */
export type DeliveryFailure = 'MAILBOX_FULL' | 'STOPPED' | 'TIMEOUT' | 'UNKNOWN_COMMAND' | 'FAILED';

/**
 * Something outside the actor does not work just now (a full disk): the message fails and the actor is loaded afresh, but
 * it does not count against the actor, for another one in its place would fare no better.
 */
export class TransientError extends Error {
  override readonly name = 'TransientError';
}

/** Whether nobody is to blame for it but the moment. */
export const isTransient = (error: unknown): boolean =>
  error instanceof TransientError || error instanceof StoreAway;

export class DeliveryError extends Error {
  readonly reason: DeliveryFailure;
  readonly actor: string;
  constructor(reason: DeliveryFailure, actor: string, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'DeliveryError';
    this.reason = reason;
    this.actor = actor;
  }
}
