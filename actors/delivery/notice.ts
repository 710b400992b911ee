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
  /** A token of the service goes with it (client credentials). */
  readonly addToken: boolean;
  /** Of the job, which sign a callback; absent: those of its receiver do. */
  readonly secrets?: readonly string[];
  /** Of its job; absent: it has none. */
  readonly trace?: JobTrace;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  /** Failed attempts so far. */
  readonly attempts: number;
}

/** An attempt to deliver a notice, as it is kept. */
export interface Attempt {
  /** Its end, in milliseconds since the epoch. */
  readonly at: number;
  /** Of the receiver's answer; null: there was none. */
  readonly status: number | null;
  /** Why it failed; null: it did not. */
  readonly error: string | null;
}

/**
 * What the delivery actor tells the job (kind batch-job, actor id = entry.actor.id) after an attempt. The job commits it, then
 * answers {kind: 'done'}; {kind: 'refused'} when it does not know the notice (any more).
 */
export type NoticeReport =
  /** The receiver took it: the job takes the notice out of the outbox. */
  | { readonly type: 'noticeSent'; readonly id: string; readonly attempt?: Attempt }
  | {
      readonly type: 'noticeFailed';
      readonly id: string;
      /** One sentence, safe to show: no secret, at most a short piece of the receiver's answer. */
      readonly reason: string;
      /** The notice as it is to be kept, with attempts + 1 and its next due time; null: given up. */
      readonly next: Notice | null;
      /** Absent: it was given up without another attempt. */
      readonly attempt?: Attempt;
      /** The quick attempts are used up: others follow, but nobody should wait for them. */
      readonly slow?: true;
    };

/**
 * The destination of `url`: its origin, in lower case. One delivery actor sends everything for one destination.
 * @throws TypeError when `url` is none
 */
export const destinationOf = (url: string): string => {
  const { protocol, host } = new URL(url);
  return `${protocol}//${host}`.toLowerCase();
};
