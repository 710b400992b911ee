import type { Colour } from '../../domain/text/colours.ts';
import type { SearchCounts } from '../../store/search.ts';

/** Maximum number of media counted: those of most tracks. */
const MOST_MEDIA = 30;
/** Limits of the confidence for which tracks are counted. */
const CONFIDENCES = [0.5, 0.75, 0.9];

export interface CountedTrack {
  readonly type: string;
  readonly class: string | null;
  readonly colour: Colour | null;
  readonly uri: string;
  readonly confidence: number;
  /** When the job ended, or when a live stream showed the track last. */
  readonly lastSeen: number;
}

/** Returns the counts of tracks. `isPart`: true if there are more tracks. `since`: times for which tracks are counted. */
export function countsOf(
  tracks: readonly CountedTrack[],
  { isPart, since }: { readonly isPart: boolean; readonly since: readonly number[] },
): SearchCounts {
  const countIf = (fits: (track: CountedTrack) => boolean) => tracks.filter(fits).length;
  return {
    tracks: tracks.length,
    isPart,
    findings: countBy(tracks, ({ type, class: name }) => ({ type, class: name })),
    colours: countBy(tracks, ({ colour }) => (colour === null ? undefined : { colour })),
    media: countBy(tracks, ({ uri: mediaUri }) => ({ mediaUri })).slice(0, MOST_MEDIA),
    confidences: CONFIDENCES.map((minConfidence) => ({
      minConfidence,
      tracks: countIf(({ confidence }) => confidence >= minConfidence),
    })),
    since: since.map((from) => ({ from, tracks: countIf(({ lastSeen }) => lastSeen >= from) })),
  };
}

/** Counts entries with the same key, largest count first. */
function countBy<T, K extends object>(
  of: readonly T[],
  keyOf: (one: T) => K | undefined,
): readonly (K & { readonly tracks: number })[] {
  const groups = new Map<string, K & { tracks: number }>();
  for (const one of of) {
    const key = keyOf(one);
    if (key === undefined) continue;
    const text = JSON.stringify(key);
    const group = groups.get(text);
    if (group === undefined) groups.set(text, { ...key, tracks: 1 });
    else group.tracks++;
  }
  return [...groups.values()].toSorted((a, b) => b.tracks - a.tracks);
}
