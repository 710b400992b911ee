import type { OutboxEntry } from '../../store/store.ts';
import type { NoticeReport } from './notice.ts';

/** The state of the deliverer of one destination. It may be lost at any time, because the outbox has everything. */
export interface DeliveryState {
  /** Notices that are not in hand, by due time and id. At most a page of the outbox. */
  readonly waiting: readonly OutboxEntry[];
  /** All notices with earlier due times are known here (milliseconds since the epoch). -Infinity if the outbox must be read. */
  readonly knownUntil: number;
  /** Earliest time of the next read, after the outbox could not be read. */
  readonly readNotBefore: number;
  /** Notices in hand, by id. */
  readonly inHand: ReadonlyMap<string, InHand>;
  /** Notices in the outbox that their jobs do not know: due times by id. */
  readonly forgotten: ReadonlyMap<string, number>;
  readonly breaker: Breaker;
}

export type InHand = Sending | Reporting;

interface Held {
  readonly entry: OutboxEntry;
}

export interface Sending extends Held {
  readonly stage: 'sending';
  /** True if it was sent to check whether the receiver works again. */
  readonly probe: boolean;
}

/** The attempt has ended and must be reported to its job. */
export interface Reporting extends Held {
  readonly stage: 'owing' | 'reporting';
  readonly report: NoticeReport;
  /** Number of reports without a reply of the job. */
  readonly unanswered: number;
  /** Earliest time of the next report, in milliseconds since the epoch. */
  readonly tellAt: number;
}

/** A circuit breaker: while a receiver fails, only single probes are sent to it. */
export interface Breaker {
  /** Number of attempts in a row in which the receiver failed. */
  readonly failures: number;
  /** Why the last of them failed. */
  readonly reason: string;
  /** While it is open, only one attempt runs at a time, and none before `probeAt` (milliseconds since the epoch); null if it is closed. */
  readonly open: { readonly probeAt: number; readonly probes: number } | null;
}

export const CLOSED: Breaker = { failures: 0, reason: '', open: null };

export const NEW_DELIVERY: DeliveryState = {
  waiting: [],
  knownUntil: -Infinity,
  readNotBefore: -Infinity,
  inHand: new Map(),
  forgotten: new Map(),
  breaker: CLOSED,
};
