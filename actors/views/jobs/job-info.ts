/** How clients see a job. */
import type { Owner } from '../../../domain/users/owner.ts';
import { localIso } from '../../../results/local-iso.ts';
import { censorProperties } from '../../../domain/job/censor.ts';
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

/** With what the specification does not list: strict readers get it only when they ask for it. */
export interface DetailedJobInfo extends SingleJobInfo {
  readonly externalId: string | null;
  /** Absent for a job from before owners were kept. */
  readonly owner?: Owner;
  readonly labels: readonly string[];
  /** Media that were processed without an error; absent until the job has ended, and when it was cancelled. */
  readonly mediaSucceeded?: number;
  /** For each medium what to ask for to get it; of a job that is told alone. */
  readonly mediaHrefs?: readonly (string | null)[];
  /** Of a job that is told alone, the oldest first. */
  readonly runs?: readonly JobRun[];
  /** Attempts that failed, once there is one. */
  readonly callbackAttempts?: Attempts;
  readonly archiveAttempts?: Attempts;
  /** Why nothing of it runs; absent when something does, and when it has ended. */
  readonly waitingFor?: WaitingFor;
  /** Absent while nothing is known. */
  readonly remaining?: RemainingTime;
}

export interface JobRun {
  readonly run: number;
  readonly what: PastRun['what'];
  readonly jobStatus: BatchJobStatus;
  readonly startDate: string;
  readonly endDate: string | null;
  /** Media of the request that had failed at its end. */
  readonly mediaFailed?: number;
  readonly jobProperties?: Properties;
}

/** What changes while a job is under way, for those who watch it. */
export interface JobProgressEvent {
  readonly jobId: string;
  readonly jobStatus: BatchJobStatus;
  readonly jobProgress: number;
  readonly terminal: boolean;
  readonly stage: JobSnapshot['stage']['name'];
  /** The task that is under way. */
  readonly task: { readonly name: string; readonly number: number; readonly of: number } | null;
  readonly waitingFor: WaitingFor | null;
  readonly remaining: RemainingTime | null;
}

export interface Attempts {
  readonly attempts: number;
  readonly lastError: string | null;
  /** ISO 8601; null: none is planned. */
  readonly nextAttempt: string | null;
}

/** The members of a job that the specification lists. */
export function listedJob({
  externalId: _,
  owner: _o,
  labels: _l,
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

/** The recorded runs of a job, with the current or last one. */
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

/** Failed attempts of a delivery; empty when none has failed. */
export function attemptsOf(
  name: 'callbackAttempts' | 'archiveAttempts',
  delivery: Delivery | null,
): { readonly [N in typeof name]?: Attempts } {
  if (delivery === null || delivery.attempts === 0) return {};
  const { attempts, lastError, nextAttempt } = delivery;
  const next = nextAttempt === null ? null : localIso(nextAttempt);
  return { [name]: { attempts, lastError, nextAttempt: next } };
}
