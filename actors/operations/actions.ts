/** The actions of operations on jobs, one entry for each. */
import { changeLabels, MAX_LABELS } from '../../domain/labels.ts';
import type { ArchiveChecks } from '../batch-job/completion/archive-checks.ts';
import { labelsOf } from '../batch-job/state/record.ts';
import { isTerminal, type BatchJobStatus } from '../batch-job/state/status.ts';
import type { StoredJob } from '../batch-job/state/stored-job.ts';
import type { JobCommand, JobReply } from '../batch-job/state/commands.ts';
import type { JobService } from '../job-service/job-service.ts';
import type { Family } from '../runtime/system.ts';
import type { Action, Initiator, PendingJob, Refusal } from './state.ts';

export interface ActionDeps {
  readonly jobService: Pick<JobService, 'remove' | 'resubmit' | 'retry' | 'change'>;
  readonly jobs: Family<JobCommand, JobReply>;
  readonly archiveChecks: Pick<ArchiveChecks, 'repost'>;
}

export type Reason = Omit<Refusal, 'jobId'>;
/** `busy`: not possible now, but later. */
export type Acted = 'done' | Reason | { readonly busy: string };

interface Act<A extends Action> {
  readonly action: A;
  readonly job: StoredJob;
  readonly by: Initiator;
  readonly stopped: AbortSignal;
}

interface Entry<A extends Action> {
  /** Why the action cannot be applied to the job. Undefined if it can. */
  refusal(job: StoredJob, action: A): Reason | undefined;
  /** True if the action was applied to the job since it was in state `before`. */
  isDone(job: StoredJob | undefined, before: PendingJob): boolean;
  act(what: Act<A>, deps: ActionDeps): Promise<Acted>;
}

const MESSAGE_LENGTH = 500;

export const NO_SUCH_JOB: Reason = { reason: 'NO_SUCH_JOB', message: 'There is no such job.' };
const NOT_ENDED: Reason = { reason: 'NOT_ENDED', message: 'The job has not ended.' };
const HAS_ENDED: Reason = { reason: 'HAS_ENDED', message: 'The job has ended already.' };
const CANCELLING: Reason = { reason: 'CANCELLING', message: 'The job is being cancelled already.' };
const FINISHING: Reason = {
  reason: 'FINISHING',
  message: 'The job writes its document already, so it cannot be cancelled.',
};
const NOTHING_FAILED: Reason = {
  reason: 'NOTHING_FAILED',
  message: 'Nothing of the job failed, so there is nothing to retry.',
};
const NOT_KEPT: Reason = {
  reason: 'NOT_KEPT',
  message:
    'The results of the job were not kept, so it cannot be retried. Resubmit it to run everything again.',
};
const TOO_MANY_LABELS: Reason = {
  reason: 'TOO_MANY_LABELS',
  message: `The job would have more than ${MAX_LABELS} labels.`,
};

const statusOf = ({ snapshot }: StoredJob) => snapshot.status;
const unlessEnded = (job: StoredJob) => (isTerminal(statusOf(job)) ? undefined : NOT_ENDED);
const hasSucceeded = (status: BatchJobStatus) => status === 'COMPLETE' || status === 'COMPLETE_WITH_WARNINGS';
const hasNewRun = (job: StoredJob | undefined, { run }: PendingJob) =>
  job !== undefined && job.snapshot.run > run;
const isStopped = (status: BatchJobStatus) => status === 'CANCELLING' || status === 'CANCELLED';
/** Applying the action twice does no harm. */
const never = () => false;

type Table = { readonly [T in Action['type']]: Entry<Extract<Action, { readonly type: T }>> };

const resubmit: Table['resubmit'] = {
  refusal: unlessEnded,
  isDone: hasNewRun,
  async act({ action, job: { record, snapshot } }, { jobService }) {
    const reply = await jobService.resubmit(record.number, action.priority, { lastRun: snapshot.run });
    if (reply.kind === 'overloaded') return { busy: reply.message };
    return reply.kind === 'done' ? 'done' : reasonOf(reply, NOT_ENDED);
  },
};

const retry: Table['retry'] = {
  refusal(job) {
    if (job.snapshot.retryable === true) return unlessEnded(job);
    return unlessEnded(job) ?? (hasSucceeded(statusOf(job)) ? NOTHING_FAILED : NOT_KEPT);
  },
  isDone: hasNewRun,
  async act({ action: { what, jobProperties }, job: { record, snapshot }, by }, { jobService }) {
    const request = { what, ...(jobProperties === undefined ? {} : { jobProperties }) };
    const retried = await jobService.retry(record.number, request, { by: by.name, lastRun: snapshot.run });
    switch (retried.kind) {
      case 'retried':
        return 'done';
      case 'overloaded':
        return { busy: retried.message };
      case 'unknown':
        return NO_SUCH_JOB;
      case 'live':
        return NOT_ENDED;
      case 'nothing':
        return { reason: 'NOTHING_TO_RETRY', message: retried.message.slice(0, MESSAGE_LENGTH) };
      case 'refused':
        return { reason: 'INVALID_PROPERTIES', message: retried.message.slice(0, MESSAGE_LENGTH) };
    }
  },
};

const cancel: Table['cancel'] = {
  refusal(job) {
    const status = statusOf(job);
    if (status === 'CANCELLING') return CANCELLING;
    return isTerminal(status) ? HAS_ENDED : undefined;
  },
  isDone: (job, { status }) =>
    job !== undefined && !isTerminal(status) && status !== 'CANCELLING' && isStopped(statusOf(job)),
  async act({ job }, { jobs }) {
    const reply = await jobs.ask(String(job.record.number), { type: 'cancel' });
    if (reply.kind === 'done') return 'done';
    return reasonOf(reply, isTerminal(reply.status as BatchJobStatus) ? HAS_ENDED : FINISHING);
  },
};

const remove: Table['delete'] = {
  refusal: unlessEnded,
  isDone: (job, { run }) => job === undefined && run > 0,
  async act({ job, by }, { jobService }) {
    const outcome = await jobService.remove(job.record.number, by.name);
    if (outcome === 'removed') return 'done';
    return outcome === 'unknown' ? NO_SUCH_JOB : NOT_ENDED;
  },
};

const priority: Table['priority'] = {
  refusal: (job) => (isTerminal(statusOf(job)) ? HAS_ENDED : undefined),
  isDone: never,
  async act({ action, job }, { jobService }) {
    const reply = await jobService.change(job.record.number, { priority: action.priority });
    return reply.kind === 'done' ? 'done' : reasonOf(reply, HAS_ENDED);
  },
};

const label: Table['label'] = {
  refusal: ({ record, snapshot }, action) =>
    changeLabels(labelsOf(record, snapshot), action).length > MAX_LABELS ? TOO_MANY_LABELS : undefined,
  isDone: never,
  async act({ action: { add, remove: gone }, job }, { jobService }) {
    const reply = await jobService.change(job.record.number, { labels: { add, remove: gone } });
    return reply.kind === 'done' ? 'done' : reasonOf(reply, TOO_MANY_LABELS);
  },
};

const archiverepost: Table['archiverepost'] = {
  refusal: unlessEnded,
  isDone: never,
  async act({ job, stopped }, { archiveChecks }) {
    const failure = await archiveChecks.repost(job.record.number, stopped);
    return failure === undefined
      ? 'done'
      : { reason: 'NOT_POSTED', message: failure.slice(0, MESSAGE_LENGTH) };
  },
};
const TABLE: Table = { resubmit, retry, cancel, delete: remove, priority, label, archiverepost };

/** The entry of an action. The table ensures that an entry gets only its own action. */
export const entryOf = (action: Action): Entry<Action> => TABLE[action.type];

const reasonOf = ({ reason }: { readonly reason: string }, otherwise: Reason): Reason =>
  reason === 'NO_SUCH_JOB' ? NO_SUCH_JOB : otherwise;
