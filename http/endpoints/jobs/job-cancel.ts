import type { SingleJobInfo } from '../../../actors/views/jobs/job-info.ts';
import type { BatchJobStatus } from '../../../actors/batch-job/state/status.ts';

/** Reasons why a job in a given state cannot be cancelled. The text follows "Job <id>". */
const REASONS: Partial<Record<BatchJobStatus, string>> = {
  COMPLETE: 'has already completed, so it cannot be cancelled.',
  COMPLETE_WITH_WARNINGS: 'has already completed, so it cannot be cancelled.',
  ERROR: 'has already ended with errors, so it cannot be cancelled.',
  CANCELLED: 'has already been cancelled.',
  CANCELLED_BY_SHUTDOWN: 'has already been cancelled by a shutdown of the server.',
  CANCELLING: 'is already being cancelled.',
};
/** All detections are complete. Only the document or its upload is pending. */
const FINISHING = 'is already writing its document, so it cannot be cancelled.';

/** Returns the message for a job that was not cancelled. For an unknown job, it is the message of the reference system. */
export function whyNotCancelled(id: number, job: SingleJobInfo | undefined): string {
  if (job === undefined)
    return `Failed to cancel the job with id '${id}'. No job has this id. GET /rest/jobs lists all jobs.`;
  return `Job ${job.jobId} ${REASONS[job.jobStatus] ?? FINISHING}`;
}
