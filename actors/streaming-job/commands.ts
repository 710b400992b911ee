import type { StreamCounts, StreamEnd } from '../../protocol/streams.ts';
import type { NoticeReport } from '../delivery/notice.ts';
import type { Activity, StreamingJobRecord } from './state.ts';
import type { ZonesMessage } from './zones/record.ts';

/** `attempt`: the component that reports; reports of earlier components are ignored. Times are milliseconds since the epoch. */
interface FromComponent {
  readonly attempt: number;
}

export type StreamingJobCommand =
  /** From the service that accepts jobs. */
  | { readonly type: 'create'; readonly record: StreamingJobRecord }
  /** From a client. */
  | {
      readonly type: 'cancel';
      readonly doCleanup: boolean;
      /** Names of newest messages that the restarted stream publishes from now on. */
      readonly inherited?: readonly string[];
    }
  /** From the server, if the operator wants to end live jobs at shutdown. */
  | { readonly type: 'shutdown' }
  /** A component has claimed the stream. */
  | ({ readonly type: 'claimed' } & FromComponent)
  /** The first frame has arrived, or the first one of another size. */
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
  /** A segment is full, or the stream has ended in it. Its report is in the folder of the job. */
  | ({
      readonly type: 'segment';
      readonly segment: number;
      readonly counts: StreamCounts;
      /** Start of its first track; null if there is none. */
      readonly firstTrack: Activity | null;
    } & FromComponent)
  /** Events in zones since the previous message. */
  | ({ readonly type: 'zones' } & ZonesMessage & FromComponent)
  /** From the delivery: the result for a notice of this version. */
  | { readonly type: 'notice'; readonly report: NoticeReport; readonly version: number }
  /** The component has finished its work. */
  | ({ readonly type: 'ended' } & StreamEnd & FromComponent)
  /** The component has failed. `final`: another attempt would fail, too. */
  | ({ readonly type: 'failed'; readonly message: string; readonly final: boolean } & FromComponent)
  /** From the work ledger: the component died or hung. */
  | ({ readonly type: 'workLost'; readonly reason: string } & FromComponent)
  /** From the work ledger: no component has a lease of the cancelled work any more. */
  | ({ readonly type: 'workDropped' } & FromComponent)
  /** From the job itself: the pause before the next attempt has ended. */
  | ({ readonly type: 'retry' } & FromComponent)
  /** From the server at its start, and from reconciliation: performs the pending effects again. */
  | { readonly type: 'resume' }
  /** From a client or from retention: removes the job with all its files. */
  | { readonly type: 'remove' }
  /** From the job itself, after its files are deleted. */
  | { readonly type: 'forget' };

/** Reason why a command was refused. */
export type StreamingJobRefusal =
  | 'NO_SUCH_JOB'
  | 'EXISTS'
  /** Another component has replaced the sender. */
  | 'STALE'
  /** The job has already processed the message. */
  | 'REPEATED';
