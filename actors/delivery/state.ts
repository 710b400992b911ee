import type { OutboxEntry } from '../../store/store.ts';
import type { NoticeReport } from './notice.ts';

/** The state of the deliverer of one destination. It may be lost at any time, because the outbox has everything. */
export interface DeliveryState {
  /** Notices that are not in hand, by due time and id; at most a page of the outbox. */
  readonly waiting: readonly OutboxEntry[];
  /** Every notice that is due before is known here (milliseconds since the epoch); -Infinity: the outbox is to be read. */
  readonly knownUntil: number;
  /** The outbox could not be read: not again before. */
  readonly readNotBefore: number;
  /** By id. */
  readonly inHand: ReadonlyMap<string, InHand>;
  /** Notices that their jobs do not know though they stand in the outbox: due times by id. */
  readonly forgotten: ReadonlyMap<string, number>;
  readonly breaker: Breaker;
}

export type InHand = Sending | Reporting;

interface Held {
  readonly entry: OutboxEntry;
}

export interface Sending extends Held {
  readonly stage: 'sending';
  /** Sent to see whether the receiver is well again. */
  readonly probe: boolean;
}

/** The attempt is over and its job must hear of it. */
export interface Reporting extends Held {
  readonly stage: 'owing' | 'reporting';
  readonly report: NoticeReport;
  /** Times that the job's answer did not come. */
  readonly unanswered: number;
  /** Not told (again) before: milliseconds since the epoch. */
  readonly tellAt: number;
}

/** A circuit breaker: while a receiver fails, only single probes are sent to it. */
export interface Breaker {
  /** Attempts in a row that found the receiver in trouble. */
  readonly failures: number;
  /** Why the last of them failed. */
  readonly reason: string;
  /** Only one attempt at a time, and none before `probeAt` (milliseconds since the epoch); null: as many as are permitted. */
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
