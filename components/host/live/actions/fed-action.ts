/** An action on the tracks of earlier tasks in a live stream. The detector is called for each track, or once for all tracks. */
import type { FrameTransform } from '../../../../media/picture/transform.ts';
import { booleanOf } from '../../../../domain/properties/properties.ts';
import { triggerMatches, type FeedForwardType, type Trigger } from '../../../../domain/properties/trigger.ts';
import { fedSoFar } from '../../../../domain/tracks/fed-detections.ts';
import type { Detection, Properties } from '../../../../domain/types.ts';
import type { FedTrack } from '../../../../protocol/detection-work.ts';
import { boxAround, viewsOf, withMargin } from '../../views.ts';
import type { DetectorCall } from './detector-call.ts';
import type { ActionParts, LiveAction } from './live-action.ts';
import type { LiveFrame } from '../source.ts';
import type { Sighting, TaskFindings } from './task-findings.ts';

/** Tracks of an earlier task for this action, unless a task in between has consumed them. */
export interface FedFrom {
  readonly task: number;
  readonly findings: TaskFindings;
  readonly consumedBy: readonly Trigger[];
}

export interface FedParts extends ActionParts {
  readonly type: FeedForwardType;
  readonly sources: readonly FedFrom[];
  readonly trigger: Trigger | null;
  /** Size of the stream's pictures. */
  readonly size: { readonly width: number; readonly height: number };
}

/** A track that is fed. */
interface Fed {
  readonly source: FedFrom;
  readonly liveId: string;
  isAmongBest(detection: Detection): boolean;
  /** Box around all detections so far. */
  around: Detection | undefined;
}

/** Name of the shared call for tracks that are fed together. */
const TOGETHER = '';

export class FedTracks implements LiveAction {
  readonly #parts: FedParts;
  readonly #together: boolean;
  readonly #fed = new Map<string, Fed>();
  readonly #calls = new Map<string, FedCall>();

  constructor(parts: FedParts) {
    this.#parts = parts;
    this.#together = booleanOf(parts.action.properties, 'FEED_FORWARD_ALL_TRACKS');
  }

  async look(frame: LiveFrame): Promise<boolean> {
    await this.#endOver();
    const tracks = this.#parts.sources.flatMap((source) =>
      source.findings.in(frame.index).flatMap((sighting) => this.#choose(source, sighting)),
    );
    let isLooked = false;
    for (const [name, together] of this.#together ? [[TOGETHER, tracks] as const] : byName(tracks)) {
      const view = this.#viewOf(together, frame);
      if (view === undefined) continue;
      isLooked = true;
      await this.#callOf(name, together, frame).look(view.apply(frame), view);
    }
    return isLooked;
  }

  async endSegment(): Promise<void> {
    if (this.#parts.detector.followsStreams !== true) await this.#endCalls();
  }

  async end(): Promise<void> {
    await this.#endCalls();
    this.#fed.clear();
  }

  async #endCalls(): Promise<void> {
    for (const name of [...this.#calls.keys()]) await this.#endCall(name);
  }

  /** Ends the calls of tracks that have ended, so that their results are reported. */
  async #endOver(): Promise<void> {
    for (const [liveId, { source }] of this.#fed) {
      if (source.findings.isOpen(liveId)) continue;
      this.#fed.delete(liveId);
      await this.#endCall(liveId);
    }
  }

  async #endCall(name: string): Promise<void> {
    const { call } = this.#calls.get(name) ?? {};
    if (call === undefined) return;
    await call.end();
    this.#parts.leave(call);
    this.#calls.delete(name);
  }

  /** Returns the track if it is for this task and the detection is selected. */
  #choose(source: FedFrom, { liveId, found }: Sighting): readonly NamedTrack[] {
    const { trigger, action } = this.#parts;
    const isTaken = source.consumedBy.some((other) => triggerMatches(other, found.properties));
    if (isTaken || (trigger !== null && !triggerMatches(trigger, found.properties))) return [];
    const fed = this.#fed.get(liveId) ?? {
      ...{ source, liveId, around: undefined },
      isAmongBest: fedSoFar(action.properties),
    };
    this.#fed.set(liveId, fed);
    const detection = found.detections[0]!;
    if (!fed.isAmongBest(detection)) return [];
    const track = { ...found, task: source.task, line: 0 };
    const placed = { ...track, detections: [this.#place(fed, detection)] };
    return [{ liveId, detection, track, placed }];
  }

  #place(fed: Fed, detection: Detection): Detection {
    const { type, detector } = this.#parts;
    if (type === 'REGION') return withMargin(detection, detector.fedMargin ?? 0);
    if (type === 'SUPERSET_REGION')
      fed.around = {
        ...detection,
        ...boxAround([...(fed.around === undefined ? [] : [fed.around]), detection]),
      };
    return fed.around ?? detection;
  }

  /** Returns the view of the frame by the rules of batch jobs; undefined if nothing of it is processed. */
  #viewOf(tracks: readonly NamedTrack[], { index }: LiveFrame): FrameTransform | undefined {
    const { type, action, size } = this.#parts;
    const properties: Properties = action.properties;
    if (tracks.length === 0) return undefined;
    const views = viewsOf(
      tracks.map(({ placed }) => placed),
      type,
      { properties, metadata: {}, size },
    );
    return views.frames.includes(index) ? views.of(index) : undefined;
  }

  #callOf(name: string, tracks: readonly NamedTrack[], { index }: LiveFrame): DetectorCall {
    const known = this.#calls.get(name);
    const { liveId, detection, track } = tracks[0]!;
    if (known?.call.isOver === false) {
      known.newest[0] = detection;
      return known.call;
    }
    if (known !== undefined) this.#parts.leave(known.call);
    const newest: [Detection] = [detection];
    const source = { ...this.#parts.size, start: index };
    const call = this.#together
      ? this.#parts.call(source, { allFed: tracks.map((one) => one.track) })
      : this.#parts.call(source, { fed: { ...track, detections: newest }, isFedOpen: true }, liveId);
    this.#calls.set(name, { call, newest });
    return call;
  }
}

interface FedCall {
  readonly call: DetectorCall;
  /** The newest detection of the fed track, which the detector sees. */
  readonly newest: [Detection];
}

/** A fed track with its detection in the newest frame, and the same with the box that is processed. */
interface NamedTrack {
  readonly liveId: string;
  readonly detection: Detection;
  readonly track: FedTrack;
  readonly placed: FedTrack;
}

const byName = (tracks: readonly NamedTrack[]) => tracks.map((one) => [one.liveId, [one]] as const);
