import type { StreamCounts, StreamEvent, TrackBegan } from '../protocol/streams.ts';
import type { StreamInfo, ZoneEvent } from './answers.ts';
import { ClientError, reasonOf, RefusedError, UnreachableError } from './errors.ts';
import { pause } from './pause.ts';
import type { RestClient } from './rest-client.ts';
import { eventsOf } from './watch.ts';

/** An event of a live stream. */
export type LiveEvent =
  | ({ readonly type: 'job' } & StreamInfo)
  | Extract<StreamEvent, { type: 'trackEnded' | 'reconnecting' | 'warning' }>
  | TrackBegan
  | ({ readonly type: 'zoneEvent' } & ZoneEvent)
  | {
      readonly type: 'segment';
      readonly at: number;
      readonly segment: number;
      readonly tracks: number;
      readonly detections: number;
    }
  | { readonly type: 'counts'; readonly counts: StreamCounts }
  /** Number of events that were dropped because this client read too slowly. */
  | { readonly type: 'missed'; readonly events: number };

export interface StreamWatcher {
  readonly onEvent: (event: LiveEvent) => void;
  /** Ends the watch, but not the job. */
  readonly signal: AbortSignal;
}

const LOOK_MS = 1_000;

export const streamPath = (id: string) => `/rest/streaming/jobs/${encodeURIComponent(id)}`;

/**
 * Watches a streaming job by its events until it has ended. If no events arrive, polls every second.
 * @throws ClientError if `signal` aborts, or the service stops
 */
export async function watchStream(
  client: RestClient,
  id: string,
  { onEvent, signal }: StreamWatcher,
): Promise<StreamInfo> {
  try {
    for (;;) {
      for await (const live of streamEvents(client, id, signal)) {
        onEvent(live);
        if (live.type === 'job' && hasEnded(live)) break;
      }
      if (signal.aborted)
        throw new ClientError(`Streaming job ${id} continues; this command has stopped watching it.`, {
          begun: true,
        });
      const job = await streamOf(client, id);
      onEvent({ ...job, type: 'job' });
      if (hasEnded(job)) return job;
      await pause(LOOK_MS, signal);
    }
  } catch (error) {
    if (error instanceof UnreachableError) throw new UnreachableError(client.url, `streaming job ${id}`);
    if (error instanceof ClientError) throw error;
    throw new ClientError(`Streaming job ${id} may still be running. ${reasonOf(error)}`, { begun: true });
  }
}

/** Yields the events of a stream, until it ends, `signal` aborts or the connection breaks. @throws RefusedError, UnreachableError */
export async function* streamEvents(
  client: RestClient,
  id: string,
  signal: AbortSignal,
): AsyncGenerator<LiveEvent> {
  for await (const { event, data } of eventsOf(client, `${streamPath(id)}/events`, signal))
    yield { ...(JSON.parse(data) as object), type: event } as LiveEvent;
}

/** Returns the state of a streaming job. @throws RefusedError */
export async function streamOf(client: RestClient, id: string): Promise<StreamInfo> {
  const answer = await client.ask({ method: 'GET', path: `${streamPath(id)}?details=true` });
  if (answer.status === 400) throw new RefusedError(400, unknownStream(id));
  return client.good(answer) as StreamInfo;
}

export const unknownStream = (id: string) =>
  `There is no streaming job ${id}. troupe streams list --all shows all.`;

const hasEnded = ({ endDate }: StreamInfo) => endDate !== null;

/** True if the stream ended normally or was cancelled. */
export const endedWell = ({ jobStatus }: StreamInfo) =>
  jobStatus === 'TERMINATED' || jobStatus === 'CANCELLED';
