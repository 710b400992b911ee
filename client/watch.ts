import type { JobEvent, JobInfo, JobProgress } from './answers.ts';
import { ClientError, reasonOf, RefusedError, UnreachableError } from './errors.ts';
import { pause } from './pause.ts';
import { jobPath, type RestClient } from './rest-client.ts';
import { serverEvents, type ServerEvent } from './server-events.ts';

/** The server gives a sign of life every 15 s; without one for so long the stream is taken for dead. */
const SILENCE_MS = 45_000;
const LOOK_MS = 1_000;

export interface Watcher {
  readonly onEvent: (job: JobProgress) => void;
  /** Ends the watching, not the job. */
  readonly signal: AbortSignal;
}

/**
 * Watches a job by its events until it has ended, or by a request every second when no events come (too many watchers,
 * or a proxy that buffers).
 * @throws ClientError when `signal` aborts, or the service is gone
 */
export async function watchJob(client: RestClient, jobId: string, watcher: Watcher): Promise<JobInfo> {
  try {
    for (;;) {
      await seeEvents(client, jobId, watcher);
      if (watcher.signal.aborted)
        throw new ClientError(`Job ${jobId} continues; this command has stopped watching it.`, {
          begun: true,
        });
      const job = await client.job(jobId);
      watcher.onEvent(job);
      if (job.terminal) return job;
      await pause(LOOK_MS, watcher.signal);
    }
  } catch (error) {
    if (error instanceof UnreachableError) throw new UnreachableError(client.url, `job ${jobId}`);
    if (error instanceof ClientError) throw error;
    throw new ClientError(`Job ${jobId} may still be running. ${reasonOf(error)}`, { begun: true });
  }
}

/** Until the job has ended, or the stream has. */
async function seeEvents(client: RestClient, jobId: string, { onEvent, signal }: Watcher): Promise<void> {
  for await (const job of jobEvents(client, jobId, signal)) {
    onEvent(job);
    if (job.terminal) return;
  }
}

/**
 * What changes in a job, from its present state until its end, until `signal` aborts or the stream is interrupted.
 * @throws RefusedError, UnreachableError
 */
export async function* jobEvents(
  client: RestClient,
  jobId: string,
  signal: AbortSignal,
): AsyncGenerator<JobEvent> {
  for await (const { event, data } of eventsOf(client, `${jobPath(jobId)}/events`, signal))
    if (event === 'job') yield JSON.parse(data) as JobEvent;
}

/**
 * The events that come from `path` until `signal` aborts, or the stream ends or is interrupted.
 * @throws RefusedError, UnreachableError
 */
export async function* eventsOf(
  client: RestClient,
  path: string,
  signal: AbortSignal,
): AsyncGenerator<ServerEvent> {
  try {
    const headers = { accept: 'text/event-stream' };
    const answer = await client.ask(
      { method: 'GET', path, headers, streamed: true, impatient: true, answerMs: SILENCE_MS },
      signal,
    );
    if (answer.stream !== undefined) yield* serverEvents(answer.stream);
  } catch (error) {
    // what broke off is looked for by the next request; a token that is not good stays so
    if (error instanceof RefusedError || error instanceof UnreachableError) throw error;
  }
}
