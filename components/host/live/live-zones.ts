/**
 * Reports events in the zones of a live stream, frame by frame and with pictures. Each message contains the state after its events. If this
 * component fails, another one continues from that state.
 */
import { ZoneWatch } from '../../../domain/zones/watch.ts';
import type { Properties, ReportedDetection } from '../../../domain/types.ts';
import type { ZoneEvent } from '../../../domain/zones/types.ts';
import type { StreamEvent, WatchedEvent, ZoneWork } from '../../../protocol/streams.ts';
import { cropOf } from './crops.ts';
import type { LiveFrame } from './source.ts';

export interface LiveZonesDeps {
  readonly work: ZoneWork;
  event(event: StreamEvent, urgent: boolean): void;
}

/** Interval in milliseconds of the stream at which the state is stored while tracks are in zones. */
const KEEP_MS = 2_000;
/** Maximum number of pictures per frame. */
const MOST_CROPS = 8;
/** Maximum number of events per message. */
const MOST_EVENTS = 200;

export class LiveZones {
  readonly #deps: LiveZonesDeps;
  readonly #watch: ZoneWatch;
  #seq: number;
  #pending: ZoneEvent[] = [];
  #keptAt = -Infinity;
  /** Number and time of the last frame. */
  #now = { frame: 0, at: 0 };
  #sending: Promise<void> = Promise.resolve();

  constructor(deps: LiveZonesDeps) {
    this.#deps = deps;
    const { plan, state, seq } = deps.work;
    this.#watch = new ZoneWatch(plan, state);
    this.#seq = seq;
  }

  see(
    track: string,
    type: string,
    { x, y, width, height, frame, confidence, properties }: ReportedDetection,
    at: number,
    size: { readonly width: number; readonly height: number },
  ): void {
    const classification = properties['CLASSIFICATION'];
    const box = { x, y, width, height };
    const seen = { track, type, classification, confidence, frame, at, box };
    this.#pending.push(...this.#watch.see(seen, size));
  }

  /** Zones and lines that an open track touched, as properties. */
  propertiesOf(track: string): Properties {
    return this.#watch.propertiesOf(track);
  }

  ended(track: string): void {
    this.#pending.push(...this.#watch.end(track));
  }

  /** Reports pending events after a processed frame, or at the end (without a frame). The frame's pixels are copied before it returns. */
  flush(frame?: LiveFrame, at = this.#now.at): void {
    if (frame !== undefined) this.#now = { frame: frame.index, at };
    if (frame !== undefined) this.#pending.push(...this.#watch.pass(at));
    const isDue = this.#watch.isBusy && Math.abs(at - this.#keptAt) >= KEEP_MS;
    if (this.#pending.length === 0 && !isDue) return;
    this.#keptAt = at;
    const events = this.#pending;
    this.#pending = [];
    for (let from = 0; from === 0 || from < events.length; from += MOST_EVENTS)
      this.#send(events.slice(from, from + MOST_EVENTS), frame, at);
  }

  /** Resolves when all events are reported. */
  settle(): Promise<void> {
    return this.#sending;
  }

  #send(events: readonly ZoneEvent[], frame: LiveFrame | undefined, at: number): void {
    const { state } = this.#watch;
    const seq = ++this.#seq;
    const crops = events.map((event, index) => this.#cropOf(event, index, frame));
    this.#sending = this.#sending.then(async () => {
      const told: readonly WatchedEvent[] = await Promise.all(
        events.map(async (event, index) => {
          const crop = await crops[index];
          return crop === undefined ? event : { ...event, crop };
        }),
      );
      this.#deps.event({ type: 'zones', at, seq, events: told, state }, events.length > 0);
    });
  }

  /** Returns a crop for events of the current frame. */
  #cropOf(event: ZoneEvent, index: number, frame: LiveFrame | undefined): Promise<string | undefined> {
    const isSeen = frame?.index === event.frame && index < MOST_CROPS;
    return isSeen ? cropOf(frame, event.box) : Promise.resolve(undefined);
  }
}
