import { StoreAway } from '../../store/store.ts';

/** Why a message was not handled. The HTTP layer maps MAILBOX_FULL, STOPPED and TIMEOUT to 503 with Retry-After. */
export type DeliveryFailure = 'MAILBOX_FULL' | 'STOPPED' | 'TIMEOUT' | 'UNKNOWN_COMMAND' | 'FAILED';

/**
 * A cause outside the actor, such as a full disk: the message fails and the actor is loaded again. It does not count as a failure of
 * the actor, because a restart would not help.
 */
export class TransientError extends Error {
  override readonly name = 'TransientError';
}

/** True if the cause is temporary and outside the actor. */
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
