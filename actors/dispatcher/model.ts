import type { Reply } from '../runtime/machine.ts';

/** The state of the dispatcher. Losing it does no harm. */
export interface DispatcherState {
  /** Workers that were ended because of one lease. Their other leases do not count as lost attempts. */
  readonly killed: ReadonlySet<string>;
  readonly ticks: number;
}

export type DispatcherCommand =
  /** From the node manager: the process has ended. `counted` is false if the server stopped it. */
  | {
      readonly type: 'workerGone';
      readonly worker: string;
      readonly counted: boolean;
      readonly reason: string;
    }
  /** From the node manager: no service can serve this queue now. */
  | { readonly type: 'unavailable'; readonly queue: string; readonly reason: string }
  /** From the node manager: other services can work now, so waiting items are announced again. */
  | { readonly type: 'announce' }
  /** From the clock: checks for expired leases. `steps`: number of ticks that this one stands for. */
  | { readonly type: 'tick'; readonly stalledMs?: number; readonly steps?: number }
  /** From the dispatcher itself: these leases have expired. */
  | { readonly type: 'expired'; readonly leases: readonly ExpiredLease[] };

export interface ExpiredLease {
  readonly subJob: string;
  readonly worker: string;
  readonly reason: string;
}

/** Changes of the work ledger, and messages to others. */
export type DispatcherEffect =
  | {
      readonly type: 'gone';
      readonly worker: string;
      readonly counted: boolean;
      readonly reason: string;
    }
  | { readonly type: 'unavailable'; readonly queue: string; readonly reason: string }
  | { readonly type: 'announce' }
  /** Ends expired leases; `expired` follows. */
  | { readonly type: 'expire'; readonly stalledMs: number }
  /** Ends a component that does not answer or does not stop. */
  | { readonly type: 'kill'; readonly lease: ExpiredLease }
  /** Sends the news of work again to the actors. */
  | { readonly type: 'tellAgain' };

export interface DispatcherTypes {
  readonly state: DispatcherState;
  readonly command: DispatcherCommand;
  readonly effect: DispatcherEffect;
  readonly reply: never;
  readonly refusal: never;
  readonly context: undefined;
  readonly status: never;
}
export type DispatcherReply = Reply<DispatcherTypes>;
