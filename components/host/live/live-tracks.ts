/** The tracks of one detector call on a live stream: their names, and the events that are sent at once. */
import type { Properties, ReportedDetection, Track } from '../../../domain/types.ts';
import type { FoundDetection, FoundTrack, LiveJob, OpenTracks } from '../../sdk/detector.ts';
import type { LiveScene } from './live-scene.ts';

export interface LiveTracksDeps {
  readonly scene: LiveScene;
  readonly trackType: string;
  /** Index of the action; undefined if the stream has only one. */
  readonly action?: number | undefined;
  /** True if the tracks are only for later tasks (SUPPRESS_TRACKS). */
  readonly isHidden?: boolean;
  /** Receives the tracks for later tasks; undefined if no later task uses them. */
  readonly findings?: TrackFindings | undefined;
}

/** Receives the detections that count, for tasks that work on them. */
export interface TrackFindings {
  see(liveId: string, found: Track): void;
  end(liveId: string): void;
}

/** Maps detections to the stream's pictures, and decides which ones count. */
export interface LiveView {
  /** Size of the stream's pictures. */
  readonly size: { readonly width: number; readonly height: number };
  place(detection: FoundDetection): ReportedDetection;
  /** Returns the detection as a separate track; null if it does not count. */
  single(detection: ReportedDetection, type: string): Track | null;
}

/** Maximum number of stored detections of a track that does not count yet. */
const MOST_EARLY = 100;

interface EarlyDetection {
  readonly detection: ReportedDetection;
  readonly at: number;
}

interface Known {
  readonly number: number;
  /** First and last frame with a detection. */
  first: number;
  last: number;
  /** True if the start of the track was reported. */
  isReported: boolean;
  /** What zones say of an ended track. */
  zoneProperties?: Properties;
}

export class LiveTracks implements LiveJob {
  readonly #deps: LiveTracksDeps;
  readonly #known = new Map<string, Known>();
  /** Types of tracks that differ from the algorithm's type. */
  readonly #types = new Map<string, string>();
  /** Detections of tracks that do not count yet, for zones. */
  readonly #early = new Map<string, EarlyDetection[]>();
  /** Tracks that ended in this segment. Their last parts may still follow. */
  readonly #over = new Map<string, Known>();
  #view: LiveView | undefined;
  #open: OpenTracks | undefined;

  constructor(deps: LiveTracksDeps) {
    this.#deps = deps;
  }

  /** Starts a call of the detector. */
  begin(view: LiveView): void {
    this.#view = view;
  }

  newTrack(type?: string): string {
    const liveId = this.#deps.scene.newName();
    if (type !== undefined) this.#types.set(liveId, type);
    return liveId;
  }

  seen(liveId: string, found: FoundDetection, since = found.frame): void {
    const known = this.#knownAs(liveId, found.frame);
    known.last = found.frame;
    const view = this.#view;
    if (view === undefined) return;
    const { scene, findings, isHidden = false } = this.#deps;
    const detection = view.place(found);
    const type = this.#typeOf(liveId);
    const isNews = !known.isReported || !scene.isActive;
    const single = isNews || findings !== undefined ? view.single(detection, type) : null;
    if (single !== null) findings?.see(liveId, single);
    if (isHidden) return;
    scene.show({ detection, track: known.number });
    if (isNews && single !== null) this.#tell(liveId, known, detection, since);
    if (known.isReported) this.#showToZones(liveId, { detection, at: scene.deps.at(found.frame) }, view);
  }

  mayCount(liveId: string, found: FoundDetection): void {
    const view = this.#view;
    const { zones, at } = this.#deps.scene.deps;
    if (view === undefined || zones === undefined) return;
    const early = this.#early.get(liveId) ?? [];
    if (early.length < MOST_EARLY) early.push({ detection: view.place(found), at: at(found.frame) });
    this.#early.set(liveId, early);
  }

  /** Passes the detections to the zones in the form that a document has, because zones of a job on a file use the document. */
  #showToZones(liveId: string, now: EarlyDetection, view: LiveView): void {
    const { zones } = this.#deps.scene.deps;
    if (zones === undefined) return;
    const early = this.#early.get(liveId) ?? [];
    this.#early.delete(liveId);
    const type = this.#typeOf(liveId);
    for (const { detection, at } of [...early, now]) {
      const shaped = view.single(detection, type)?.detections[0];
      if (shaped === undefined) continue;
      const { x, y, width, height } = shaped;
      zones.see(liveId, type, { ...detection, x, y, width, height }, at, view.size);
    }
  }

  #tell(liveId: string, known: Known, detection: ReportedDetection, since: number): void {
    this.#deps.scene.tellActivity(since);
    if (!known.isReported) this.#tellBeginning(liveId, detection);
    known.isReported = true;
  }

  ended(liveId: string): void {
    const known = this.#known.get(liveId);
    this.#types.delete(liveId);
    this.#early.delete(liveId);
    this.#deps.findings?.end(liveId);
    if (known === undefined) return;
    this.#known.delete(liveId);
    this.#over.set(liveId, known);
    if (!known.isReported) return;
    const { last } = known;
    const { event, at, zones } = this.#deps.scene.deps;
    event({ type: 'trackEnded', at: at(last), liveId, frame: last });
    if (zones === undefined) return;
    known.zoneProperties = zones.propertiesOf(liveId);
    zones.ended(liveId);
  }

  follow(open: OpenTracks): void {
    this.#open = open;
  }

  cut(last: number): readonly FoundTrack[] {
    return this.#open?.cut(last) ?? [];
  }

  /** Ends the open tracks and returns their parts. */
  end(last: number): readonly FoundTrack[] {
    return this.#open?.end(last) ?? [];
  }

  /** Returns the first frame of the track that a part belongs to. */
  startOf({ liveId, startFrame, detections }: FoundTrack): number {
    const start = startFrame ?? detections[0]?.frame ?? 0;
    const known = liveId === undefined ? undefined : (this.#known.get(liveId) ?? this.#over.get(liveId));
    if (known === undefined) return start;
    known.first = Math.min(known.first, start);
    return known.first;
  }

  /** Returns the properties of a track by the zones and lines that it touched so far. */
  zoneProperties(liveId: string): Properties {
    return this.#over.get(liveId)?.zoneProperties ?? this.#deps.scene.deps.zones?.propertiesOf(liveId) ?? {};
  }

  /** Adds a complete track that the detector did not report before. */
  whole(
    liveId: string,
    { type, startFrame, detections }: Pick<FoundTrack, 'type' | 'startFrame' | 'detections'>,
  ): void {
    if (type !== undefined) this.#types.set(liveId, type);
    for (const detection of detections) this.seen(liveId, detection, startFrame ?? detections[0]?.frame);
    this.ended(liveId);
  }

  /** Starts a new segment. */
  border(): void {
    this.#over.clear();
  }

  /** Ends the tracks that the detector left open when it ended. */
  leave(): void {
    this.#open = undefined;
    for (const liveId of [...this.#known.keys()]) this.ended(liveId);
    this.#types.clear();
    this.#early.clear();
  }

  #typeOf(liveId: string): string {
    return this.#types.get(liveId) ?? this.#deps.trackType;
  }

  #knownAs(liveId: string, frame: number): Known {
    const known = this.#known.get(liveId) ?? {
      number: this.#deps.scene.newNumber(),
      first: frame,
      last: frame,
      isReported: false,
    };
    this.#known.set(liveId, known);
    return known;
  }

  #tellBeginning(liveId: string, detection: ReportedDetection): void {
    const { frame, x, y, width, height, confidence, properties } = detection;
    const { scene, action } = this.#deps;
    scene.deps.event({
      type: 'trackBegan',
      at: scene.deps.at(frame),
      liveId,
      trackType: this.#typeOf(liveId),
      ...(action === undefined ? {} : { action }),
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
