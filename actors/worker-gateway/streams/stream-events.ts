/** Reports of components about a live stream, and the parts that the job receives. */
import type { StreamOutcome } from '../../../protocol/answer-outcome.ts';
import type { StreamCounts, StreamEvent, WatchedEvent } from '../../../protocol/streams.ts';
import type { Lease } from '../../../store/ledger.ts';
import type { LiveEvent } from '../../streaming-job/live.ts';
import type { StreamingJobCommand } from '../../streaming-job/commands.ts';
import { storedStream } from '../../streaming-job/stored-stream.ts';
import { infoOfEvent } from '../../streaming-job/zones/event-info.ts';
import type { StreamIntakeDeps } from './stream-intake-deps.ts';
import { streamNumber, type StreamSettlement } from './stream-settlement.ts';

type SeenOnly = Extract<StreamEvent, { type: 'reconnecting' | 'trackBegan' | 'trackEnded' }>;

/** True if only watchers of the job get the event. */
const isSeenOnly = (event: StreamEvent): event is SeenOnly =>
  event.type === 'reconnecting' || event.type === 'trackBegan' || event.type === 'trackEnded';

/** Clients get the start of a track before the commit of the activity that begins with it. */
const soonestFirst = (events: readonly StreamEvent[]): readonly StreamEvent[] => [
  ...events.filter(({ type }) => type !== 'activity'),
  ...events.filter(({ type }) => type === 'activity'),
];

/** Returns the command for the job. */
function commandOf(event: Exclude<StreamEvent, SeenOnly>, attempt: number): StreamingJobCommand {
  switch (event.type) {
    case 'opened': {
      const { width, height, fps } = event;
      return { type: 'opened', width, height, fps, attempt };
    }
    case 'stalled':
      return { type: 'stalled', cause: event.cause, attempt };
    case 'running':
      return { type: 'running', attempt };
    case 'warning':
      return { type: 'warned', message: event.message, attempt };
    case 'zones': {
      const { seq, events, state: watch } = event;
      return { type: 'zones', seq, events, watch, attempt };
    }
    case 'activity':
      return { type: 'activity', frame: event.frame, frameAt: event.at, attempt };
  }
}

type StreamEventDeps = Pick<StreamIntakeDeps, 'store' | 'live' | 'meter' | 'clock' | 'counters'>;

export class StreamEventIntake {
  readonly #deps: StreamEventDeps;
  readonly #settlement: StreamSettlement;

  constructor(deps: StreamEventDeps, settlement: StreamSettlement) {
    this.#deps = deps;
    this.#settlement = settlement;
  }

  async settle(
    lease: Lease,
    events: readonly StreamEvent[],
    counts: StreamCounts | undefined,
  ): Promise<StreamOutcome> {
    const { live, counters } = this.#deps;
    for (const event of soonestFirst(events))
      if ((await this.#tell(lease, event)) === 'stale') return this.#settlement.end(lease.token);
    if (counts !== undefined) {
      counters.addCounts(streamNumber(lease), lease.item.attempt, counts);
      live.tell(streamNumber(lease), { type: 'counts', counts });
    }
    return this.#settlement.accept(lease);
  }

  /** Sends the event to watchers, to the job, or to both. */
  async #tell(lease: Lease, event: StreamEvent): Promise<'stale' | undefined> {
    const number = streamNumber(lease);
    if (event.type === 'trackBegan' || event.type === 'activity') this.#measureDelay(event.at);
    if (isSeenOnly(event)) {
      this.#deps.live.tell(number, await this.#withNames(number, event));
      return undefined;
    }
    const reply = await this.#settlement.ask(lease, commandOf(event, lease.item.attempt));
    if (event.type === 'warning' && reply === 'done') this.#deps.live.tell(number, event);
    if (event.type === 'zones' && reply === 'done') await this.#showZoneEvents(number, event.events);
    return reply === 'stale' ? reply : undefined;
  }

  async #showZoneEvents(job: number, events: readonly WatchedEvent[]): Promise<void> {
    const source = (await storedStream(this.#deps.store, job))?.record;
    if (source === undefined) return;
    for (const one of events) this.#deps.live.tell(job, { type: 'zoneEvent', ...infoOfEvent(source, one) });
  }

  /** The clock of a component on another machine may be ahead of the server's clock. */
  #measureDelay(frameAt: number): void {
    const { meter, clock } = this.#deps;
    meter.eventCame(Math.max(0, clock.now() - frameAt) / 1_000);
  }

  /** Adds the task and action of a track, if there are several actions. Older components leave out the track type. */
  async #withNames(job: number, event: SeenOnly): Promise<LiveEvent> {
    if (event.type !== 'trackBegan') return event;
    const { action: place, ...track } = event;
    if (place === undefined && event.trackType !== undefined) return track;
    const record = (await storedStream(this.#deps.store, job))?.record;
    const action = record?.actions?.[place ?? 0];
    return {
      ...track,
      ...(record === undefined ? {} : { trackType: event.trackType ?? record.trackType }),
      ...(action === undefined ? {} : { task: action.taskName, action: action.name }),
    };
  }
}
