import type { Reply } from '../runtime/machine.ts';

/** The state of the dispatcher. Losing it does no harm. */
export interface DispatcherState {
  /** Workers that were ended because of one of their leases; the others are not to blame for it. */
  readonly killed: ReadonlySet<string>;
  readonly ticks: number;
}

export type DispatcherCommand =
  /** From the node manager: the process is gone. `counted` false when we stopped it ourselves. */
  | {
      readonly type: 'workerGone';
      readonly worker: string;
      readonly counted: boolean;
      readonly reason: string;
    }
  /** From the node manager: nobody can serve this queue now. */
  | { readonly type: 'unavailable'; readonly queue: string; readonly reason: string }
  /** From the node manager: other services are able to work now, so say again what waits. */
  | { readonly type: 'announce' }
  /** From the clock: look at leases that have run out. `steps`: a tick that stands for several. */
  | { readonly type: 'tick'; readonly stalledMs?: number; readonly steps?: number }
  /** From the dispatcher itself, which has looked at them: these were taken back from whoever held them. */
  | { readonly type: 'expired'; readonly leases: readonly ExpiredLease[] };

export interface ExpiredLease {
  readonly subJob: string;
  readonly worker: string;
  readonly reason: string;
}

/** What is done to the work ledger, and who is told. */
export type DispatcherEffect =
  | {
      readonly type: 'gone';
      readonly worker: string;
      readonly counted: boolean;
      readonly reason: string;
    }
  | { readonly type: 'unavailable'; readonly queue: string; readonly reason: string }
  | { readonly type: 'announce' }
  /** Take back what has run out; `expired` follows. */
  | { readonly type: 'expire'; readonly stalledMs: number }
  /** A component does not answer or does not stop: whoever started it ends it. */
  | { readonly type: 'kill'; readonly lease: ExpiredLease }
  /** Tell actors again what became of their work. */
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
