/** What is selected in a list, without a browser. */

/** Ids of what is listed, or all that match the filters of the list. */
export type Choice = ReadonlySet<string> | 'all';
export const NOTHING: ReadonlySet<string> = new Set();

/** Where something stands in a list. Several places may be of one thing, as media of one job. */
export interface Place {
  readonly key: string;
  readonly id: string;
}

/** Ids from one place to another, both included, in either direction. */
export function idsBetween(places: readonly Place[], from: string, to: string): readonly string[] {
  const [a, b] = [from, to].map((key) => places.findIndex((place) => place.key === key)) as [number, number];
  if (a === -1 || b === -1) return [];
  return places.slice(Math.min(a, b), Math.max(a, b) + 1).map(({ id }) => id);
}

/** With these, or without them. */
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
