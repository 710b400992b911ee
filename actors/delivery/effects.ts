import type { OutboxEntry } from '../../store/store.ts';
import type { NoticeReport } from './notice.ts';

export type DeliveryEffect =
  /** Unless it has left the outbox. */
  | { readonly type: 'send'; readonly entry: OutboxEntry }
  /** `look`: the job may have heard it already; the outbox tells. */
  | {
      readonly type: 'report';
      readonly entry: OutboxEntry;
      readonly report: NoticeReport;
      readonly look: boolean;
    }
  /** Read the first notices of the outbox and decide again. */
  | { readonly type: 'read' }
  /** `due` at this time (milliseconds since the epoch) in place of any earlier wish; null: not at all. */
  | { readonly type: 'timer'; readonly at: number | null }
  /** The wake-up has come: the next one is news. */
  | { readonly type: 'awake' }
  /** Why the destination takes nothing, for longer than quick attempts take; undefined: it does, as far as is known. */
  | { readonly type: 'trouble'; readonly reason: string | undefined }
  /** The receiver is in trouble since now, or well again. */
  | { readonly type: 'turned'; readonly to: 'IN_TROUBLE' | 'WELL'; readonly reason: string };
