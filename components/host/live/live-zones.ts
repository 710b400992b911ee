/**
 * Reports events in the zones of a live stream, frame by frame and with pictures. Each message contains the state after its events. If this
 * component fails, another one continues from that state.
 */
import { ZoneWatch } from '../../../domain/zones/watch.ts';
import type { Properties, ReportedDetection } from '../../../domain/types.ts';
import type { ZoneEvent } from '../../../domain/zones/types.ts';
import type { StreamEvent, WatchedEvent, ZoneWork } from '../../../protocol/streams.ts';
import type { LiveFrame } from './source.ts';
import { TrackPictures, type TrackPicture } from './track-pictures.ts';

export interface LiveZonesDeps {
  readonly work: ZoneWork;
  event(event: StreamEvent, urgent: boolean): void;
}

/** Interval in milliseconds of the stream at which the state is stored while tracks are in zones. */
const KEEP_MS = 2_000;
/** Maximum number of events per message. Each can have a picture. */
const MOST_EVENTS = 50;

interface Pending {
  readonly event: ZoneEvent;
  /** Name that the detector uses. The event has the name of an earlier component if its track continues one. */
  readonly track: string | undefined;
}

export class LiveZones {
  readonly #deps: LiveZonesDeps;
  readonly #watch: ZoneWatch;
  #seq: number;
  readonly #pictures = new TrackPictures();
  #pending: Pending[] = [];
  /** Tracks that have ended since the last report. */
  #over: string[] = [];
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
    const events = this.#watch.see(seen, size);
    this.#pictures.see(track, { frame, at, box, hasEvent: events.length > 0 });
    this.#add(events, track);
  }

  /** Zones and lines that an open track touched, as properties. */
  propertiesOf(track: string): Properties {
    return this.#watch.propertiesOf(track);
  }

  ended(track: string): void {
    this.#over.push(track);
    this.#add(this.#watch.end(track), track);
  }

  #add(events: readonly ZoneEvent[], track?: string): void {
    for (const event of events) this.#pending.push({ event, track });
  }

  /** Reports pending events after a processed frame, or at the end (without a frame). The frame's pixels are copied before it returns. */
  flush(frame?: LiveFrame, at = this.#now.at): void {
    if (frame !== undefined) {
      this.#now = { frame: frame.index, at };
      this.#pictures.take(frame);
      this.#add(this.#watch.pass(at));
    }
    const isDue = this.#watch.isBusy && Math.abs(at - this.#keptAt) >= KEEP_MS;
    if (this.#pending.length > 0 || isDue) this.#report(at);
    for (const track of this.#over.splice(0)) this.#pictures.drop(track);
  }

  /** Resolves when all events are reported. */
  settle(): Promise<void> {
    return this.#sending;
  }

  #report(at: number): void {
    this.#keptAt = at;
    const events = this.#pending;
    this.#pending = [];
    for (let from = 0; from === 0 || from < events.length; from += MOST_EVENTS)
      this.#send(events.slice(from, from + MOST_EVENTS), at);
  }

  #send(events: readonly Pending[], at: number): void {
    const { state } = this.#watch;
    const seq = ++this.#seq;
    const pictures = events.map(({ track }) => (track === undefined ? undefined : this.#pictures.of(track)));
    this.#sending = this.#sending.then(async () => {
      const told = await Promise.all(events.map(({ event }, index) => withPicture(event, pictures[index])));
      this.#deps.event({ type: 'zones', at, seq, events: told, state }, events.length > 0);
    });
  }
}

async function withPicture(event: ZoneEvent, picture: TrackPicture | undefined): Promise<WatchedEvent> {
  const jpeg = await picture?.jpeg;
  if (picture === undefined || jpeg === undefined) return event;
  const { frame: cropFrame, at: cropAt } = picture;
  const crop = jpeg.toString('base64');
  return cropFrame === event.frame ? { ...event, crop } : { ...event, crop, cropFrame, cropAt };
}
