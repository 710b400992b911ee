/** Findings of a task in a live stream, for later tasks. */
import type { Track } from '../../../../domain/types.ts';
import type { TrackFindings } from '../live-tracks.ts';

/** A detection of a track in the newest frame, as a separate track. */
export interface Sighting {
  readonly liveId: string;
  readonly found: Track;
}

export class TaskFindings implements TrackFindings {
  readonly #open = new Set<string>();
  /** The last frame with findings. */
  #last = -Infinity;
  #sightings: Sighting[] = [];

  see(liveId: string, found: Track): void {
    if (found.startFrame !== this.#last) this.#sightings = [];
    this.#last = found.startFrame;
    this.#open.add(liveId);
    this.#sightings.push({ liveId, found });
  }

  end(liveId: string): void {
    this.#open.delete(liveId);
  }

  isOpen(liveId: string): boolean {
    return this.#open.has(liveId);
  }

  in(frame: number): readonly Sighting[] {
    return this.#last === frame ? this.#sightings : [];
  }

  /** True if the frame is within a track, or at most `gap` frames after one. */
  reaches(frame: number, gap: number): boolean {
    return this.#open.size > 0 || frame - this.#last <= gap;
  }
}
