/** Shared state of a live stream's actions: track names, activity of the segment, and detections of the newest frame. */
import { randomBytes } from 'node:crypto';
import type { ReportedDetection } from '../../../domain/types.ts';
import type { StreamEvent } from '../../../protocol/streams.ts';
import type { LiveZones } from './live-zones.ts';

export interface LiveSceneDeps {
  event(event: StreamEvent, urgent?: boolean): void;
  /** Arrival time of a frame in milliseconds since the epoch. */
  at(frame: number): number;
  /** Zones; undefined if the stream has none. */
  readonly zones?: Pick<LiveZones, 'see' | 'ended' | 'propertiesOf'> | undefined;
}

/** A detection of the newest frame, for the viewers' picture. */
export interface ShownDetection {
  readonly detection: ReportedDetection;
  /** Number of its track. */
  readonly track: number;
}

export class LiveScene {
  readonly deps: LiveSceneDeps;
  /** Random prefix, so that a restarted component uses other names than before. */
  readonly #prefix = randomBytes(6).toString('base64url');
  #names = 0;
  #numbers = 0;
  #isActive = false;
  #shown: { frame: number; readonly detections: ShownDetection[] } = { frame: -1, detections: [] };

  constructor(deps: LiveSceneDeps) {
    this.deps = deps;
  }

  /** True if the open segment has a track. */
  get isActive(): boolean {
    return this.#isActive;
  }

  newName(): string {
    return `${this.#prefix}-${(this.#names++).toString(36)}`;
  }

  newNumber(): number {
    return this.#numbers++;
  }

  show(shown: ShownDetection): void {
    const { frame } = shown.detection;
    if (this.#shown.frame !== frame) this.#shown = { frame, detections: [] };
    this.#shown.detections.push(shown);
  }

  /** Returns the detections of a frame. */
  shownIn(frame: number): readonly ShownDetection[] {
    return this.#shown.frame === frame ? this.#shown.detections : [];
  }

  tellActivity(frame: number): void {
    if (this.#isActive) return;
    this.#isActive = true;
    this.deps.event({ type: 'activity', at: this.deps.at(frame), frame }, true);
  }

  /** Starts a new segment. */
  border(): void {
    this.#isActive = false;
  }
}
