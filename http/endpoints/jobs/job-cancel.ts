import type { SingleJobInfo } from '../../../actors/views/jobs/job-info.ts';
import type { BatchJobStatus } from '../../../actors/batch-job/state/status.ts';

/** Why a job in this state cannot be cancelled; the words follow "Job <id>". */
const REASONS: Partial<Record<BatchJobStatus, string>> = {
  COMPLETE: 'has already completed, so it cannot be cancelled.',
  COMPLETE_WITH_WARNINGS: 'has already completed, so it cannot be cancelled.',
  ERROR: 'has already ended with errors, so it cannot be cancelled.',
  CANCELLED: 'has already been cancelled.',
  CANCELLED_BY_SHUTDOWN: 'has already been cancelled by a shutdown of the server.',
  CANCELLING: 'is already being cancelled.',
};
/** All detections are done: only the document or its upload is left. */
const FINISHING = 'is already writing its document, so it cannot be cancelled.';

/** The message for a job that was not cancelled; of an unknown job, it is that of the reference system. */
export function whyNotCancelled(id: number, job: SingleJobInfo | undefined): string {
  if (job === undefined)
    return `Failed to cancel the job with id '${id}'. No job has this id. GET /rest/jobs lists all jobs.`;
  return `Job ${job.jobId} ${REASONS[job.jobStatus] ?? FINISHING}`;
}
