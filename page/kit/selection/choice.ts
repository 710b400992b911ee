/** The selection in a list, without code for the browser. */

/** Ids of listed items, or all items that match the filters of the list. */
export type Choice = ReadonlySet<string> | 'all';
export const NOTHING: ReadonlySet<string> = new Set();

/** A place in a list. Several places may have the same id, such as the media of one job. */
export interface Place {
  readonly key: string;
  readonly id: string;
}

/** Returns the ids from one place to another, both included, in either direction. */
export function idsBetween(places: readonly Place[], from: string, to: string): readonly string[] {
  const [a, b] = [from, to].map((key) => places.findIndex((place) => place.key === key)) as [number, number];
  if (a === -1 || b === -1) return [];
  return places.slice(Math.min(a, b), Math.max(a, b) + 1).map(({ id }) => id);
}

/** Adds or removes ids. */
export function withIds(
  chosen: ReadonlySet<string>,
  ids: readonly string[],
  isOn: boolean,
): ReadonlySet<string> {
  const changed = new Set(chosen);
  for (const id of ids)
    if (isOn) changed.add(id);
    else changed.delete(id);
  return changed;
}
