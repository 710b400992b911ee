import type { Outcome } from '../../egress/request.ts';
import type { OutboxEntry } from '../../store/store.ts';

export type DeliveryCommand =
  /** From jobs after their commit, from the server at start and from reconciliation: there may be notices for this destination. */
  | { readonly type: 'wake' }
  /** From the timer: a notice is due. */
  | { readonly type: 'due' }
  /** From the actor's own request: the attempt has ended. `jitter`: random, from 0 to 1. */
  | { readonly type: 'tried'; readonly id: string; readonly outcome: Outcome; readonly jitter: number }
  /** From the actor's own report: how the job handled it. */
  | { readonly type: 'settled'; readonly id: string; readonly answer: Settlement }
  /** From the actor itself, with the first notices of the outbox. `all`: there are no more. */
  | { readonly type: 'read'; readonly entries: readonly OutboxEntry[]; readonly all: boolean }
  /** From the actor itself: the outbox cannot be read. */
  | { readonly type: 'unreadable' }
  /** From the actor itself: another server delivers to this destination now. */
  | { readonly type: 'elsewhere' };

/**
 * done: the job has committed the report. refused: the job does not know the delivery. gone: the delivery is not in the outbox, or was
 * changed. unknown: neither the job nor the outbox could be read.
 */
export type Settlement = 'done' | 'refused' | 'gone' | 'unknown';
