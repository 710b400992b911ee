import type { WorkKind } from '../../components/sdk/protocol.ts';
import type { WorkItem } from '../../store/queue.ts';

/** A sub-job as the dispatcher knows it: enough to hand it out, not what is to be done. */
export interface SubJob extends WorkItem {
  /** Key of its row. */
  readonly key: string;
  readonly kind: WorkKind;
  readonly attempt: number;
  /** How much of the job's progress, in percent, it stands for. */
  readonly share: number;
  /** How often it was given back undone. */
  readonly releases: number;
}

export type DispatcherCommand =
  /** From a job: these sub-jobs are to be done. */
  | { readonly type: 'offer'; readonly subJobs: readonly SubJob[] }
  /** From a job: these are not wanted any more; `workDropped` follows for each when no component holds it. */
  | { readonly type: 'cancel'; readonly subJobs: readonly Pick<SubJob, 'id' | 'key' | 'jobId'>[] }
  /** From a component, over HTTP. */
  | {
      readonly type: 'claim';
      readonly queues: readonly string[];
      readonly max: number;
      readonly worker: string;
    }
  | {
      readonly type: 'heartbeat';
      readonly token: string;
      readonly worker: string;
      readonly done: number;
      readonly total: number;
    }
  /** From the worker protocol, when an answer arrives: is the lease still held? */
  | { readonly type: 'lookUp'; readonly token: string; readonly worker: string }
  /** From the worker protocol: bytes of an answer have come, or all of them. */
  | { readonly type: 'arriving'; readonly token: string; readonly whole: boolean }
  /** From the worker protocol, when the answer is stored (or refused by the job): the lease ends. */
  | { readonly type: 'settle'; readonly token: string; readonly refused?: boolean }
  /** From a component that gives its work back unharmed (drain), or the server for it: not counted as an attempt. */
  | { readonly type: 'release'; readonly token: string; readonly worker: string }
  /** From the worker protocol: the answer was garbage. Counted. */
  | { readonly type: 'reject'; readonly token: string; readonly reason: string }
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
  /** From the clock: look at leases that have run out. */
  | { readonly type: 'tick'; readonly stalledMs?: number }
  /** From views and the sweep: what runs, and for which jobs there is any work. */
  | { readonly type: 'report' }
  /** From views: what of these jobs runs, and where in the queues the rest of it stands. */
  | { readonly type: 'standing'; readonly jobIds: readonly string[] }
  /** From the server when it drains: no more claims. */
  | { readonly type: 'drain' };

export const DISPATCHER_COMMANDS: ReadonlySet<DispatcherCommand['type']> = new Set([
  'offer',
  'cancel',
  'claim',
  'heartbeat',
  'lookUp',
  'arriving',
  'settle',
  'release',
  'reject',
  'workerGone',
  'unavailable',
  'announce',
  'tick',
  'report',
  'standing',
  'drain',
]);

/** One sub-job in one component's hands. */
export interface Lease {
  readonly token: string;
  readonly subJob: SubJob;
  readonly worker: string;
  readonly startedAt: number;
  /** Three clocks: the lease (moved by heartbeats), silence (moved by progress), the whole. */
  readonly leaseUntil: number;
  readonly silentUntil: number;
  readonly wholeUntil: number;
  readonly done: number;
  readonly total: number;
  /** The sub-job is not wanted any more. */
  readonly cancelled: boolean;
  /** When the component is killed if it has not stopped by then; set when it is cancelled. */
  readonly killAt: number | null;
}

/** What a job has here: sub-jobs that run, and for each queue with others how many go before its first. */
export interface Standing {
  readonly leases: readonly Lease[];
  readonly ahead: ReadonlyMap<string, number>;
}

export type DispatcherReply =
  | { readonly kind: 'done' }
  | { readonly kind: 'claimed'; readonly leases: readonly Lease[] }
  | { readonly kind: 'lease'; readonly lease: Lease }
  | {
      readonly kind: 'report';
      readonly leases: readonly Lease[];
      readonly jobs: ReadonlySet<string>;
      /** How many sub-jobs wait, by queue. */
      readonly waiting: ReadonlyMap<string, number>;
      /** Milliseconds that the first of those that wait has waited, by queue. */
      readonly oldest: ReadonlyMap<string, number>;
    }
  | { readonly kind: 'standing'; readonly jobs: ReadonlyMap<string, Standing> }
  | { readonly kind: 'go'; readonly go: 'on' | 'cancelled' }
  /** The lease was lost: it ran out, was given to another, or never was. */
  | { readonly kind: 'lost' }
  /** The answer with this token was taken before. */
  | { readonly kind: 'settled' };
