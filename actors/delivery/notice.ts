import type { JobTrace } from '../../domain/job/trace.ts';
import type { Notice } from '../../store/store.ts';

/** Kind of the delivery actor; its id is the destination. */
export const DELIVERY = 'delivery';

/** Body of a notice in the outbox (specification 6.1 callbacks, 6.4 archive posts), or a message for a broker (MqttMessage). */
export interface HttpNotice {
  readonly kind: 'callback' | 'archive' | 'mqtt';
  readonly method: 'GET' | 'POST';
  /** Complete, query included. */
  readonly url: string;
  /** JSON body of a POST; null for GET. */
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** True if the request contains a token of the service (client credentials). */
  readonly addToken: boolean;
  /** Secrets of the job that sign a callback; absent if those of the receiver do. */
  readonly secrets?: readonly string[];
  /** Trace of the job; absent if it has none. */
  readonly trace?: JobTrace;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  /** Failed attempts so far. */
  readonly attempts: number;
}

/** A stored attempt to deliver a notice. */
export interface Attempt {
  /** Its end, in milliseconds since the epoch. */
  readonly at: number;
  /** HTTP status of the receiver's response; null if there was none. */
  readonly status: number | null;
  /** Why it failed; null if it succeeded. */
  readonly error: string | null;
}

/**
 * The report of the delivery actor to the job after an attempt (kind batch-job, actor id = entry.actor.id). The job commits it and then
 * replies {kind: 'done'}, or {kind: 'refused'} if it does not have the notice (any more).
 */
export type NoticeReport =
  /** The receiver accepted it. The job removes the notice from the outbox. */
  | { readonly type: 'noticeSent'; readonly id: string; readonly attempt?: Attempt }
  | {
      readonly type: 'noticeFailed';
      readonly id: string;
      /** One sentence, safe to show: without secrets, and with at most a short piece of the receiver's response. */
      readonly reason: string;
      /** The notice to store, with attempts + 1 and its next due time; null if it was given up. */
      readonly next: Notice | null;
      /** Absent if it was given up without another attempt. */
      readonly attempt?: Attempt;
      /** The quick attempts are used up. Others follow, but clients should not wait for them. */
      readonly slow?: true;
    };

/**
 * The destination of `url`: its origin, in lower case. One delivery actor sends everything for one destination.
 * @throws TypeError if `url` is invalid
 */
export const destinationOf = (url: string): string => {
  const { protocol, host } = new URL(url);
  return `${protocol}//${host}`.toLowerCase();
};
