import type { JobEvent, JobInfo, JobProgress } from './answers.ts';
import { ClientError, reasonOf, RefusedError, UnreachableError } from './errors.ts';
import { pause } from './pause.ts';
import { jobPath, type RestClient } from './rest-client.ts';
import { serverEvents, type ServerEvent } from './server-events.ts';

/** Time until a silent stream counts as dead. The server sends a keep-alive comment every 15 s. */
const SILENCE_MS = 45_000;
const LOOK_MS = 1_000;

export interface Watcher {
  readonly onEvent: (job: JobProgress) => void;
  /** Ends the watch, but not the job. */
  readonly signal: AbortSignal;
}

/**
 * Watches a job by its events until it has ended. If no events arrive (too many watchers, or a proxy that buffers), polls every second.
 * @throws ClientError if `signal` aborts, or the service stops
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

/** Handles events until the job or the stream has ended. */
async function seeEvents(client: RestClient, jobId: string, { onEvent, signal }: Watcher): Promise<void> {
  for await (const job of jobEvents(client, jobId, signal)) {
    onEvent(job);
    if (job.terminal) return;
  }
}

/**
 * Yields the changes of a job, from its current state until its end, until `signal` aborts or the stream breaks.
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
 * Yields the events of `path` until `signal` aborts, or the stream ends or breaks.
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
    // the next request resumes after a broken connection; a refused token stays refused
    if (error instanceof RefusedError || error instanceof UnreachableError) throw error;
  }
}
