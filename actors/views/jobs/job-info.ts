/** Jobs as clients see them. */
import type { Owner } from '../../../domain/users/owner.ts';
import { localIso } from '../../../results/local-iso.ts';
import { censorProperties } from '../../../domain/job/censor.ts';
import { TRANSIENT_PIPELINE_NAME } from '../../../domain/plan/plan-lookup.ts';
import type { Properties } from '../../../domain/types.ts';
import type { JobRecord, PastRun } from '../../batch-job/state/record.ts';
import type { JobSnapshot } from '../../batch-job/state/snapshot.ts';
import type { Delivery } from '../../batch-job/state/state.ts';
import { isTerminal, type BatchJobStatus } from '../../batch-job/state/status.ts';
import type { StoredJob } from '../../batch-job/state/stored-job.ts';
import type { RemainingTime } from './remaining-times.ts';
import type { WaitingFor } from './waiting-reasons.ts';

/** Specification 2.2, SingleJobInfo. */
export interface SingleJobInfo {
  readonly jobId: string;
  readonly jobPriority: number;
  readonly jobProgress: number;
  readonly jobStatus: BatchJobStatus;
  readonly terminal: boolean;
  readonly startDate: string;
  readonly endDate: string | null;
  readonly mediaUris: readonly string[];
  readonly outputObjectPath: string | null;
  readonly pipelineName: string;
  readonly archiveStatus: string;
  readonly callbackStatus: string;
}

/** Adds members that the specification does not list. Strict readers get them only on request. */
export interface DetailedJobInfo extends SingleJobInfo {
  readonly externalId: string | null;
  /** Absent for a job that is older than the storing of owners. */
  readonly owner?: Owner;
  readonly labels: readonly string[];
  /** Actions of a pipeline that belongs to this job alone. */
  readonly pipelineActions?: readonly string[];
  /** Media that were processed without an error. Absent until the job has ended, and if it was cancelled. */
  readonly mediaSucceeded?: number;
  /** For each medium, the path to download it. Only in the view of a single job. */
  readonly mediaHrefs?: readonly (string | null)[];
  /** Only in the view of a single job, the oldest first. */
  readonly runs?: readonly JobRun[];
  /** Failed attempts. Absent if there are none. */
  readonly callbackAttempts?: Attempts;
  readonly archiveAttempts?: Attempts;
  /** Why no sub-job runs. Absent if one runs, and if the job has ended. */
  readonly waitingFor?: WaitingFor;
  /** Absent while no estimate is possible. */
  readonly remaining?: RemainingTime;
}

export interface JobRun {
  readonly run: number;
  readonly what: PastRun['what'];
  readonly jobStatus: BatchJobStatus;
  readonly startDate: string;
  readonly endDate: string | null;
  /** Media of the request that had failed at the end of the run. */
  readonly mediaFailed?: number;
  readonly jobProperties?: Properties;
}

/** Changing values of a live job, for watchers. */
export interface JobProgressEvent {
  readonly jobId: string;
  readonly jobStatus: BatchJobStatus;
  readonly jobProgress: number;
  readonly terminal: boolean;
  readonly stage: JobSnapshot['stage']['name'];
  /** The current task. */
  readonly task: { readonly name: string; readonly number: number; readonly of: number } | null;
  readonly waitingFor: WaitingFor | null;
  readonly remaining: RemainingTime | null;
}

export interface Attempts {
  readonly attempts: number;
  readonly lastError: string | null;
  /** ISO 8601. Null if no attempt is planned. */
  readonly nextAttempt: string | null;
}

/** Removes the members that the specification does not list. */
export function listedJob({
  externalId: _,
  owner: _o,
  labels: _l,
  pipelineActions: _p,
  mediaSucceeded: _s,
  callbackAttempts: _c,
  archiveAttempts: _a,
  mediaHrefs: _m,
  runs: _r,
  waitingFor: _w,
  remaining: _t,
  ...info
}: DetailedJobInfo): SingleJobInfo {
  return info;
}

/** Actions of a pipeline that belongs to the job alone. Empty for a stored pipeline. */
export const pipelineActionsOf = ({
  plan: { name, tasks },
}: JobRecord): Pick<DetailedJobInfo, 'pipelineActions'> =>
  name === TRANSIENT_PIPELINE_NAME
    ? { pipelineActions: tasks.flatMap(({ actions }) => actions.map((action) => action.name)) }
    : {};

/** All runs of a job: the recorded ones, then the current or last one. */
export const runsOf = ({ record, snapshot }: StoredJob): readonly JobRun[] =>
  [...(record.runs ?? []), lastRun(record, snapshot)].map(runInfo);

function lastRun({ retry }: JobRecord, snapshot: JobSnapshot): PastRun {
  const { run, status, startedAt, endedAt, failedMedia } = snapshot;
  const { what = 'ALL', jobProperties } = retry ?? {};
  return {
    ...{ run, what, status, startedAt, failedMedia },
    endedAt: isTerminal(status) ? endedAt : null,
    ...(jobProperties === undefined ? {} : { jobProperties }),
  };
}

function runInfo({ run, what, status, startedAt, endedAt, failedMedia, jobProperties }: PastRun): JobRun {
  return {
    ...{ run, what, jobStatus: status },
    startDate: localIso(startedAt),
    endDate: endedAt === null ? null : localIso(endedAt),
    ...(failedMedia === null ? {} : { mediaFailed: failedMedia }),
    ...(jobProperties === undefined ? {} : { jobProperties: censorProperties(jobProperties) }),
  };
}

/** Failed attempts of a delivery. Empty if none has failed. */
export function attemptsOf(
  name: 'callbackAttempts' | 'archiveAttempts',
  delivery: Delivery | null,
): { readonly [N in typeof name]?: Attempts } {
  if (delivery === null || delivery.attempts === 0) return {};
  const { attempts, lastError, nextAttempt } = delivery;
  const next = nextAttempt === null ? null : localIso(nextAttempt);
  return { [name]: { attempts, lastError, nextAttempt: next } };
}
