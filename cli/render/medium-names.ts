/** The media of a document: their names, and the medium from which each was extracted. */
import { placeName } from '../terminal/names.ts';
import type { MediumSummary } from './summary.ts';

/** Returns names by the ids of media. `known`: names that users gave to the media of some URIs. */
export const namesOf = (
  media: readonly MediumSummary[],
  known: ReadonlyMap<string, string> = new Map(),
): ReadonlyMap<number, string> =>
  new Map(media.map((medium) => [medium.mediaId, placeName(known.get(medium.path) ?? medium.path)]));

interface Member {
  readonly medium: MediumSummary;
  readonly depth: number;
}

/** Returns each medium before those extracted from it. A document lists media in the order of their creation. */
export function asFamilies(media: readonly MediumSummary[]): readonly Member[] {
  const children = new Map<number, MediumSummary[]>();
  const named: MediumSummary[] = [];
  for (const medium of media) {
    (children.get(medium.parentMediaId) ?? named).push(medium);
    if (!children.has(medium.mediaId)) children.set(medium.mediaId, []);
  }
  const family = (medium: MediumSummary, depth: number): readonly Member[] => [
    { medium, depth },
    ...(children.get(medium.mediaId) ?? []).flatMap((child) => family(child, depth + 1)),
  ];
  return named.flatMap((medium) => family(medium, 0));
}
