import type { Colour } from '../../domain/text/colours.ts';
import type { SearchCounts } from '../../store/search.ts';

/** Maximum number of media counted: those of most tracks. */
const MOST_MEDIA = 30;

export interface CountedTrack {
  readonly type: string;
  readonly class: string | null;
  readonly colour: Colour | null;
  readonly uri: string;
}

/** Returns the counts of tracks. `isPart`: true if there are more tracks. */
export function countsOf(tracks: readonly CountedTrack[], isPart: boolean): SearchCounts {
  return {
    tracks: tracks.length,
    isPart,
    findings: countBy(tracks, ({ type, class: name }) => ({ type, class: name })),
    colours: countBy(tracks, ({ colour }) => (colour === null ? undefined : { colour })),
    media: countBy(tracks, ({ uri: mediaUri }) => ({ mediaUri })).slice(0, MOST_MEDIA),
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
