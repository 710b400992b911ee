import type { CheckedResult } from '../../../results/check/check.ts';
import type { LabelChange } from '../../../domain/labels.ts';
import type {
  ArchiveFinding,
  DetectionErrorCode,
  IssueCode,
  Properties,
  Range,
} from '../../../domain/types.ts';
import type { JobTrace } from '../../../domain/job/trace.ts';
import type { NoticeReport } from '../../delivery/notice.ts';
import type { Done, Refusal } from '../../runtime/machine.ts';
import type { JobRecord, RetryScope } from './record.ts';
import type { SubJobRow } from './state.ts';
import type { TERMINAL_STATUSES } from './status.ts';

/** A component's answer, checked and spooled. */
export interface WorkDone {
  readonly type: 'workDone';
  readonly key: string;
  readonly token: string;
  readonly file: string;
  readonly result: CheckedResult & { ok: true };
  /** Milliseconds that the component had it. */
  readonly ms: number;
  /** Of CPU time that its process used for it; absent: it did not report any. */
  readonly cpuMs?: number;
  /** Of the component; absent: nobody knows it. */
  readonly version?: string;
}

/** A component says why it cannot. Not tried again, but for a transfer that may go well later. */
export interface WorkFailed {
  readonly type: 'workFailed';
  readonly key: string;
  readonly token: string;
  readonly code: DetectionErrorCode | IssueCode;
  readonly message: string;
  /** Another host was away or busy. */
  readonly mayPass?: true;
  /** Frames of the tracks that it was fed. */
  readonly range?: Range;
  readonly ms: number;
  readonly cpuMs?: number;
  readonly version?: string;
}

/** From the REST interface: do again what failed in a run that has ended, and what depended on it. */
export interface Retry {
  readonly type: 'retry';
  readonly what: RetryScope;
  /** The run that has ended, and all of its rows. */
  readonly ended: number;
  readonly rows: readonly SubJobRow[];
  /** Places of media of the request that could not be used when the job was accepted, and can be now. */
  readonly usable: ReadonlySet<number>;
  /** Places of media whose files are gone, or are not as they were: they are retrieved again. */
  readonly lost: ReadonlySet<number>;
  /** Over those of the job. */
  readonly jobProperties?: Properties;
  readonly priority: number;
  /** As of `resubmit`. */
  readonly run?: number;
  readonly admitted: boolean;
  readonly trace?: JobTrace | undefined;
  readonly waitingTurn?: number | undefined;
  readonly objectId: string;
}

/** From the job itself: this run has written its document, though the store knows of no end. */
export interface AdoptDocument {
  readonly type: 'adoptDocument';
  readonly objectId: string;
  /** As the document has them. */
  readonly status: (typeof TERMINAL_STATUSES)[number];
  readonly endedAt: number;
  /** In hex. */
  readonly sha256: string;
}

export type JobCommand =
  /** From the REST interface: a validated request with its plan. `admitted` false: it waits for its turn. */
  | {
      readonly type: 'accept';
      readonly record: JobRecord;
      readonly admitted: boolean;
      readonly waitingTurn?: number | undefined;
      readonly objectId: string;
      readonly trace?: JobTrace | undefined;
      /** What the archive said before the job, or that it is to be asked after inspection. */
      readonly archive: ArchiveFinding | 'later' | 'notAsked';
    }
  /** From admission: its turn has come. */
  | { readonly type: 'admit' }
  /** From the REST interface. */
  | { readonly type: 'cancel' }
  /** From the REST interface: run a job that has ended once more. */
  | {
      readonly type: 'resubmit';
      readonly priority: number;
      /** The first run of which DATA_DIR has no results; absent: the next one. */
      readonly run?: number;
      /** Refused when it is not the last run any more. */
      readonly lastRun?: number;
      readonly admitted: boolean;
      readonly waitingTurn?: number | undefined;
      readonly objectId: string;
      readonly trace?: JobTrace | undefined;
    }
  | Retry
  /** From the REST interface: what users may change of a job. The priority of a job that has ended stays. */
  | ({ readonly type: 'change' } & JobEdit)
  | AdoptDocument
  /** From the worker protocol: what a component has answered. */
  | WorkDone
  | WorkFailed
  /**
   * From the worker protocol: what a component has answered to several sub-jobs at once, in their order; one step. Of those that are not
   * outstanding any more nothing is taken.
   */
  | { readonly type: 'workAnswered'; readonly answers: readonly (WorkDone | WorkFailed)[] }
  /** From the timer of the job: attempts at transfers are due. */
  | { readonly type: 'transfersDue' }
  /** From the archive, asked after inspection. */
  | { readonly type: 'archiveChecked'; readonly run: number; readonly answer: ArchiveFinding }
  /** From the delivery of notices: one has arrived, or an attempt has failed. */
  | NoticeReport
  /** From the REST interface: the results were posted once more, apart from the outbox; ids of what arrived, and what did not and why. */
  | {
      readonly type: 'archiveReposted';
      readonly arrived: readonly string[];
      readonly failed: readonly FailedPost[];
    }
  /** From the REST interface: the callback of this run is to be delivered once more. */
  | { readonly type: 'redeliver'; readonly run: number }
  /** From the search: it has the document of this run, or knows that it never can. */
  | { readonly type: 'indexed'; readonly run: number }
  /** From the REST interface and from retention: a job that has ended goes. */
  | { readonly type: 'remove' }
  /** From the job itself, when its files are gone. */
  | { readonly type: 'forget' }
  /** From the dispatcher: a component died, hung or answered garbage. Tried again, up to the limit of attempts. */
  | {
      readonly type: 'workLost';
      readonly key: string;
      /** Which attempt: news of an earlier one comes too late. */
      readonly attempt: number;
      readonly reason: string;
    }
  /** From the dispatcher: work that was cancelled is out of every component's hands. */
  | { readonly type: 'workDropped'; readonly keys: readonly string[] }
  /** From the server at start, and from reconciliation: say again what must be done now. */
  | { readonly type: 'resume' }
  /** From the server, when the operator wants live jobs to end with it. */
  | { readonly type: 'shutdown' };

/** What is to be different; absent: as it is. */
export interface JobEdit {
  readonly priority?: number;
  /** All of them, or some to be added and removed. */
  readonly labels?: readonly string[] | LabelChange;
  readonly externalId?: string | null;
}

export interface FailedPost {
  /** Of the notice. */
  readonly id: string;
  readonly reason: string;
}

export type JobReply = Done | Refusal<JobRefusal>;

/** Why a command was not carried out: the job does not exist, its state does not allow it, the work is not its any more, or there is nothing to retry. */
export type JobRefusal =
  | 'NO_SUCH_JOB'
  | 'EXISTS'
  | 'NOT_OUTSTANDING'
  | 'TOO_MANY_LABELS'
  | 'WRONG_STATE'
  | 'NOTHING_FAILED';
