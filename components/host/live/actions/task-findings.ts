/** What a task finds in a live stream, for tasks that work on it. */
import type { Track } from '../../../../domain/types.ts';
import type { TrackFindings } from '../live-tracks.ts';

/** A detection of a track in the newest frame, as a track of its own. */
export interface Sighting {
  readonly liveId: string;
  readonly found: Track;
}

export class TaskFindings implements TrackFindings {
  readonly #open = new Set<string>();
  /** The last frame in which something was found. */
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

  /** Whether a frame lies in a track, or so few frames behind one that both would be looked at together. */
  reaches(frame: number, gap: number): boolean {
    return this.#open.size > 0 || frame - this.#last <= gap;
  }
}
