/** Counts the findings in a medium, by type and class. */
import type { ViewedFinding } from '../../domain/tracks/viewing.ts';
import type { FoundTrack } from '../document/findings.ts';

/** Maximum number of listed types and classes. */
const MOST = 20;
/** Maximum number of characters of a class. */
const LONGEST_CLASS = 200;

export class Findings {
  readonly #byName = new Map<string, ViewedFinding>();

  add({ type, trackProperties, exemplar }: FoundTrack): void {
    const name = trackProperties['CLASSIFICATION'] ?? exemplar?.detectionProperties['CLASSIFICATION'] ?? null;
    const found = name === null || name === '' ? null : name.slice(0, LONGEST_CLASS);
    const key = JSON.stringify([type, found]);
    const tracks = (this.#byName.get(key)?.tracks ?? 0) + 1;
    this.#byName.set(key, { type, class: found, tracks });
  }

  /** Findings with the most tracks first. */
  list(): readonly ViewedFinding[] {
    return [...this.#byName.values()].toSorted((a, b) => b.tracks - a.tracks).slice(0, MOST);
  }
}
