/** The tracks of a live stream as its detector reports them: their names, and the events that are sent at once. */
import { randomBytes } from 'node:crypto';
import type { ReportedDetection } from '../../../domain/types.ts';
import type { StreamEvent } from '../../../protocol/streams.ts';
import type { FoundDetection, FoundTrack, LiveJob, OpenTracks } from '../../sdk/detector.ts';
import type { LiveZones } from './live-zones.ts';

export interface LiveTracksDeps {
  readonly trackType: string;
  event(event: StreamEvent, urgent?: boolean): void;
  /** When a frame came: milliseconds since the epoch. */
  at(frame: number): number;
  /** Absent: nobody asked what happens in zones. */
  readonly zones?: Pick<LiveZones, 'see' | 'ended'> | undefined;
}

/** How detections lie in the stream's pictures, and which of them count. It changes with the size of the pictures. */
export interface LiveView {
  /** Of the stream's pictures. */
  readonly size: { readonly width: number; readonly height: number };
  place(detection: FoundDetection): ReportedDetection;
  counts(detection: ReportedDetection): boolean;
}

/** A detection of the newest frame, for the picture that somebody looks at. */
export interface ShownDetection {
  readonly detection: ReportedDetection;
  /** Number of its track. */
  readonly track: number;
}

interface Known {
  readonly number: number;
  /** First and last frame with a detection. */
  first: number;
  last: number;
  /** Its beginning was told. */
  told: boolean;
}

export class LiveTracks implements LiveJob {
  readonly #deps: LiveTracksDeps;
  /** A component that is started anew does not use the names of the one before it. */
  readonly #prefix = randomBytes(6).toString('base64url');
  #names = 0;
  #numbers = 0;
  readonly #known = new Map<string, Known>();
  /** Of tracks that are of another type than the algorithm. */
  readonly #types = new Map<string, string>();
  /** Ended in this segment: their last parts may be still to come. */
  readonly #over = new Map<string, Known>();
  #view: LiveView | undefined;
  #open: OpenTracks | undefined;
  #isActive = false;
  #shown: { frame: number; readonly detections: ShownDetection[] } = { frame: -1, detections: [] };

  constructor(deps: LiveTracksDeps) {
    this.#deps = deps;
  }

  /** A detector begins. */
  begin(view: LiveView): void {
    this.#view = view;
  }

  newTrack(type?: string): string {
    const liveId = `${this.#prefix}-${(this.#names++).toString(36)}`;
    if (type !== undefined) this.#types.set(liveId, type);
    return liveId;
  }

  seen(liveId: string, found: FoundDetection, since = found.frame): void {
    const known = this.#knownAs(liveId, found.frame);
    known.last = found.frame;
    const view = this.#view;
    if (view === undefined) return;
    const detection = view.place(found);
    this.#show({ detection, track: known.number });
    if (!known.told || !this.#isActive) this.#tell(liveId, known, detection, since);
    const { zones, at, trackType } = this.#deps;
    const type = this.#types.get(liveId) ?? trackType;
    if (known.told) zones?.see(liveId, type, detection, at(found.frame), view.size);
  }

  #tell(liveId: string, known: Known, detection: ReportedDetection, since: number): void {
    if (this.#view?.counts(detection) !== true) return;
    this.#tellActivity(since);
    if (!known.told) this.#tellBeginning(liveId, detection);
    known.told = true;
  }

  ended(liveId: string): void {
    const known = this.#known.get(liveId);
    this.#types.delete(liveId);
    if (known === undefined) return;
    this.#known.delete(liveId);
    this.#over.set(liveId, known);
    if (!known.told) return;
    const { last } = known;
    this.#deps.event({ type: 'trackEnded', at: this.#deps.at(last), liveId, frame: last });
    this.#deps.zones?.ended(liveId);
  }

  follow(open: OpenTracks): void {
    this.#open = open;
  }

  cut(last: number): readonly FoundTrack[] {
    return this.#open?.cut(last) ?? [];
  }

  /** Parts of tracks that are still open, which end. */
  end(last: number): readonly FoundTrack[] {
    return this.#open?.end(last) ?? [];
  }

  /** The first frame of the track that a part belongs to. */
  startOf({ liveId, startFrame, detections }: FoundTrack): number {
    const start = startFrame ?? detections[0]?.frame ?? 0;
    const known = liveId === undefined ? undefined : (this.#known.get(liveId) ?? this.#over.get(liveId));
    if (known === undefined) return start;
    known.first = Math.min(known.first, start);
    return known.first;
  }

  /** A track that its detector answers as a whole, without having told of it before. */
  whole(
    liveId: string,
    { type, startFrame, detections }: Pick<FoundTrack, 'type' | 'startFrame' | 'detections'>,
  ): void {
    if (type !== undefined) this.#types.set(liveId, type);
    for (const detection of detections) this.seen(liveId, detection, startFrame ?? detections[0]?.frame);
    this.ended(liveId);
  }

  /** What was found in a frame. */
  shownIn(frame: number): readonly ShownDetection[] {
    return this.#shown.frame === frame ? this.#shown.detections : [];
  }

  /** Another segment begins. */
  border(): void {
    this.#over.clear();
    this.#isActive = false;
  }

  /** The detector has ended; whatever it forgot to close is over. */
  leave(): void {
    this.#open = undefined;
    for (const liveId of [...this.#known.keys()]) this.ended(liveId);
    this.#types.clear();
  }

  #knownAs(liveId: string, frame: number): Known {
    const known = this.#known.get(liveId) ?? {
      number: this.#numbers++,
      first: frame,
      last: frame,
      told: false,
    };
    this.#known.set(liveId, known);
    return known;
  }

  #show(shown: ShownDetection): void {
    const { frame } = shown.detection;
    if (this.#shown.frame !== frame) this.#shown = { frame, detections: [] };
    this.#shown.detections.push(shown);
  }

  #tellActivity(frame: number): void {
    if (this.#isActive) return;
    this.#isActive = true;
    this.#deps.event({ type: 'activity', at: this.#deps.at(frame), frame }, true);
  }

  #tellBeginning(liveId: string, detection: ReportedDetection): void {
    const { frame, x, y, width, height, confidence, properties } = detection;
    const at = this.#deps.at(frame);
    this.#deps.event({
      type: 'trackBegan',
      at,
      liveId,
      trackType: this.#types.get(liveId) ?? this.#deps.trackType,
      frame,
      x,
      y,
      width,
      height,
      confidence,
      properties,
    });
  }
}
