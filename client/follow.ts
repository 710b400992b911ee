import type { JobInfo } from './answers.ts';
import { ClientError, reasonOf, RefusedError, UnreachableError } from './errors.ts';
import { pause } from './pause.ts';
import type { RestClient } from './rest-client.ts';

const LOOK_MS = 200;

/**
 * Polls a job until it has ended. When `signal` aborts, cancels the job and still waits for its end.
 * @throws UnreachableError when the service has stopped; the job resumes with the service
 */
export async function follow(
  client: RestClient,
  jobId: string,
  { onEvent, signal }: { readonly onEvent: (job: JobInfo) => void; readonly signal: AbortSignal },
): Promise<JobInfo> {
  try {
    let cancelled = false;
    for (;;) {
      const job = await client.job(jobId);
      onEvent(job);
      if (job.terminal) return job;
      if (signal.aborted && !cancelled) {
        cancelled = true;
        await client.cancel(jobId).catch(unlessEnded);
      }
      await pause(LOOK_MS, cancelled ? undefined : signal);
    }
  } catch (error) {
    if (error instanceof UnreachableError) throw new UnreachableError(client.url, `job ${jobId}`);
    throw new ClientError(`Job ${jobId} may still be running. ${reasonOf(error)}`, { begun: true });
  }
}

/** Ignores the refusal of a cancel if the job has just ended. The next poll reads its final state. */
function unlessEnded(error: unknown): void {
  if (!(error instanceof RefusedError && error.status === 400)) throw error;
}
