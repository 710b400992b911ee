/** What the actions at work on a live stream have in common: names of tracks, the activity of the segment, what the newest frame shows. */
import { randomBytes } from 'node:crypto';
import type { ReportedDetection } from '../../../domain/types.ts';
import type { StreamEvent } from '../../../protocol/streams.ts';
import type { LiveZones } from './live-zones.ts';

export interface LiveSceneDeps {
  event(event: StreamEvent, urgent?: boolean): void;
  /** When a frame came: milliseconds since the epoch. */
  at(frame: number): number;
  /** Absent: nobody asked what happens in zones. */
  readonly zones?: Pick<LiveZones, 'see' | 'ended'> | undefined;
}

/** A detection of the newest frame, for the picture of viewers. */
export interface ShownDetection {
  readonly detection: ReportedDetection;
  /** Number of its track. */
  readonly track: number;
}

export class LiveScene {
  readonly deps: LiveSceneDeps;
  /** A component that is started anew does not use the names of the one before it. */
  readonly #prefix = randomBytes(6).toString('base64url');
  #names = 0;
  #numbers = 0;
  #isActive = false;
  #shown: { frame: number; readonly detections: ShownDetection[] } = { frame: -1, detections: [] };

  constructor(deps: LiveSceneDeps) {
    this.deps = deps;
  }

  /** The segment that is open has a track. */
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

  /** What was found in a frame. */
  shownIn(frame: number): readonly ShownDetection[] {
    return this.#shown.frame === frame ? this.#shown.detections : [];
  }

  tellActivity(frame: number): void {
    if (this.#isActive) return;
    this.#isActive = true;
    this.deps.event({ type: 'activity', at: this.deps.at(frame), frame }, true);
  }

  /** Another segment begins. */
  border(): void {
    this.#isActive = false;
  }
}
