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
  /** Milliseconds that the component had the sub-job. */
  readonly ms: number;
  /** Milliseconds of CPU time that its process used for the sub-job. Undefined if the component did not report it. */
  readonly cpuMs?: number;
  /** Version of the component, if known. */
  readonly version?: string;
}

/** A component reports a failure. Only transfers with a temporary failure are retried. */
export interface WorkFailed {
  readonly type: 'workFailed';
  readonly key: string;
  readonly token: string;
  readonly code: DetectionErrorCode | IssueCode;
  readonly message: string;
  /** The failure is temporary: another host was unreachable or busy. */
  readonly mayPass?: true;
  /** Frames of the tracks that the sub-job was fed. */
  readonly range?: Range;
  readonly ms: number;
  readonly cpuMs?: number;
  readonly version?: string;
}

/** From the REST interface: repeats failed work of an ended run, and work that depended on it. */
export interface Retry {
  readonly type: 'retry';
  readonly what: RetryScope;
  /** The ended run, and all of its rows. */
  readonly ended: number;
  readonly rows: readonly SubJobRow[];
  /** Places of media of the request that could not be used when the job was accepted, but can be used now. */
  readonly usable: ReadonlySet<number>;
  /** Places of media whose files are missing or changed. They are retrieved again. */
  readonly lost: ReadonlySet<number>;
  /** Properties that override those of the job. */
  readonly jobProperties?: Properties;
  readonly priority: number;
  /** As in `resubmit`. */
  readonly run?: number;
  readonly admitted: boolean;
  readonly trace?: JobTrace | undefined;
  readonly waitingTurn?: number | undefined;
  readonly objectId: string;
}

/** From the job itself: this run has written its document, but the store does not know its end. */
export interface AdoptDocument {
  readonly type: 'adoptDocument';
  readonly objectId: string;
  /** Status and end as in the document. */
  readonly status: (typeof TERMINAL_STATUSES)[number];
  readonly endedAt: number;
  /** Hex SHA-256 of the document. */
  readonly sha256: string;
}

export type JobCommand =
  /** From the REST interface: a validated request with its plan. If `admitted` is false, the job waits for admission. */
  | {
      readonly type: 'accept';
      readonly record: JobRecord;
      readonly admitted: boolean;
      readonly waitingTurn?: number | undefined;
      readonly objectId: string;
      readonly trace?: JobTrace | undefined;
      /** The archive's answer before the job, or `later` if the archive is asked after inspection. */
      readonly archive: ArchiveFinding | 'later' | 'notAsked';
    }
  /** From admission: the job may start. */
  | { readonly type: 'admit' }
  /** From the REST interface. */
  | { readonly type: 'cancel' }
  /** From the REST interface: runs an ended job again. */
  | {
      readonly type: 'resubmit';
      readonly priority: number;
      /** The first run without results in DATA_DIR. Undefined for the next run. */
      readonly run?: number;
      /** The command is refused if this is no longer the last run. */
      readonly lastRun?: number;
      readonly admitted: boolean;
      readonly waitingTurn?: number | undefined;
      readonly objectId: string;
      readonly trace?: JobTrace | undefined;
    }
  | Retry
  /** From the REST interface: changes by users. The priority of an ended job cannot change. */
  | ({ readonly type: 'change' } & JobEdit)
  | AdoptDocument
  /** From the worker protocol: the answer of a component. */
  | WorkDone
  | WorkFailed
  /**
   * From the worker protocol: answers of a component to several sub-jobs, in their order, as one step. Answers to sub-jobs that are no
   * longer outstanding are ignored.
   */
  | { readonly type: 'workAnswered'; readonly answers: readonly (WorkDone | WorkFailed)[] }
  /** From the timer of the job: attempts at transfers are due. */
  | { readonly type: 'transfersDue' }
  /** From the archive: its answer after inspection. */
  | { readonly type: 'archiveChecked'; readonly run: number; readonly answer: ArchiveFinding }
  /** From the delivery of notices: a notice has arrived, or an attempt has failed. */
  | NoticeReport
  /**
   * From the REST interface: the results were posted again, without the outbox. Contains the ids of posts that arrived, and failed posts
   * with their reasons.
   */
  | {
      readonly type: 'archiveReposted';
      readonly arrived: readonly string[];
      readonly failed: readonly FailedPost[];
    }
  /** From the REST interface: delivers the callback of this run again. */
  | { readonly type: 'redeliver'; readonly run: number }
  /** From the search: it has indexed the document of this run, or never can. */
  | { readonly type: 'indexed'; readonly run: number }
  /** From the REST interface and from retention: removes an ended job. */
  | { readonly type: 'remove' }
  /** From the job itself, after its files are deleted. */
  | { readonly type: 'forget' }
  /** From the dispatcher: a component died, hung or sent an invalid answer. The sub-job is retried, up to the limit of attempts. */
  | {
      readonly type: 'workLost';
      readonly key: string;
      /** Number of the attempt. News of an earlier attempt is too late. */
      readonly attempt: number;
      readonly reason: string;
    }
  /** From the dispatcher: no component has a lease of this cancelled work any more. */
  | { readonly type: 'workDropped'; readonly keys: readonly string[] }
  /** From the server at its start, and from reconciliation: performs the pending effects again. */
  | { readonly type: 'resume' }
  /** From the server, if the operator wants to end live jobs at shutdown. */
  | { readonly type: 'shutdown' };

/** Changes of a job. Undefined fields stay unchanged. */
export interface JobEdit {
  readonly priority?: number;
  /** The new list of labels, or labels to add and remove. */
  readonly labels?: readonly string[] | LabelChange;
  readonly externalId?: string | null;
}

export interface FailedPost {
  /** Id of the notice. */
  readonly id: string;
  readonly reason: string;
}

export type JobReply = Done | Refusal<JobRefusal>;

/** Why a command was refused: for example, the job does not allow it in its state, or the work is not outstanding. */
export type JobRefusal =
  | 'NO_SUCH_JOB'
  | 'EXISTS'
  | 'NOT_OUTSTANDING'
  | 'TOO_MANY_LABELS'
  | 'WRONG_STATE'
  | 'NOTHING_FAILED';
