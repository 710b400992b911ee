import type { OutboxEntry } from '../../store/store.ts';
import type { NoticeReport } from './notice.ts';

export type DeliveryEffect =
  /** Sends a notice, unless it has left the outbox. */
  | { readonly type: 'send'; readonly entry: OutboxEntry }
  /** Reports an attempt. `look`: the job may have handled the report already, so the outbox is checked. */
  | {
      readonly type: 'report';
      readonly entry: OutboxEntry;
      readonly report: NoticeReport;
      readonly look: boolean;
    }
  /** Read the first notices of the outbox and decide again. */
  | { readonly type: 'read' }
  /** Sets the timer for `due` (milliseconds since the epoch) in place of an earlier one; null: no timer. */
  | { readonly type: 'timer'; readonly at: number | null }
  /** The wake-up has arrived. A new one is needed after this. */
  | { readonly type: 'awake' }
  /** Why the destination has accepted no requests for longer than quick attempts take; undefined if it accepts them. */
  | { readonly type: 'trouble'; readonly reason: string | undefined }
  /** The receiver has begun to fail, or accepts requests again. */
  | { readonly type: 'turned'; readonly to: 'IN_TROUBLE' | 'WELL'; readonly reason: string };
