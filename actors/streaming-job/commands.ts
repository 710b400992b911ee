import type { StreamCounts, StreamEnd } from '../../protocol/streams.ts';
import type { NoticeReport } from '../delivery/notice.ts';
import type { Activity, StreamingJobRecord } from './state.ts';
import type { ZonesMessage } from './zones/record.ts';

/** `attempt`: the component that reports; reports of earlier components are ignored. Times are milliseconds since the epoch. */
interface FromComponent {
  readonly attempt: number;
}

export type StreamingJobCommand =
  /** From the service that takes jobs in. */
  | { readonly type: 'create'; readonly record: StreamingJobRecord }
  /** From a client. */
  | {
      readonly type: 'cancel';
      readonly doCleanup: boolean;
      /** The restarted stream publishes these newest messages from now on. */
      readonly inherited?: readonly string[];
    }
  /** From the server, when the operator wants live jobs to end with it. */
  | { readonly type: 'shutdown' }
  /** A component is handed the stream. */
  | ({ readonly type: 'claimed' } & FromComponent)
  /** The first frame has come, or the first one of another size. */
  | ({
      readonly type: 'opened';
      readonly width: number;
      readonly height: number;
      readonly fps: number;
    } & FromComponent)
  | ({ readonly type: 'stalled'; readonly cause: string } & FromComponent)
  | ({ readonly type: 'running' } & FromComponent)
  | ({ readonly type: 'warned'; readonly message: string } & FromComponent)
  | ({ readonly type: 'activity'; readonly frame: number; readonly frameAt: number } & FromComponent)
  /** A segment is full, or the stream ended in it; its report lies in the folder of the job. */
  | ({
      readonly type: 'segment';
      readonly segment: number;
      readonly counts: StreamCounts;
      /** Where the first of its tracks starts; null: it has none. */
      readonly firstTrack: Activity | null;
    } & FromComponent)
  /** What happened in zones since the message before. */
  | ({ readonly type: 'zones' } & ZonesMessage & FromComponent)
  /** From the delivery: what became of a notice of this version. */
  | { readonly type: 'notice'; readonly report: NoticeReport; readonly version: number }
  /** The component has done what there was to do. */
  | ({ readonly type: 'ended' } & StreamEnd & FromComponent)
  /** It cannot do it: `final` when another attempt would not, either. */
  | ({ readonly type: 'failed'; readonly message: string; readonly final: boolean } & FromComponent)
  /** From the work ledger: the component died or hung. */
  | ({ readonly type: 'workLost'; readonly reason: string } & FromComponent)
  /** From the work ledger: what was cancelled is in nobody's hands any more. */
  | ({ readonly type: 'workDropped' } & FromComponent)
  /** From the job itself: the pause before the next attempt is over. */
  | ({ readonly type: 'retry' } & FromComponent)
  /** From the server at start, and from reconciliation: say again what must be done now. */
  | { readonly type: 'resume' }
  /** From a client or from retention: the job goes with all its files. */
  | { readonly type: 'remove' }
  /** From the job itself, when its files are gone. */
  | { readonly type: 'forget' };

/** Why a command was not carried out. */
export type StreamingJobRefusal =
  | 'NO_SUCH_JOB'
  | 'EXISTS'
  /** Another component has taken the place of the one that says so. */
  | 'STALE'
  /** It is known already. */
  | 'REPEATED';
