/** Paths of the fragments of a recording: a folder for each hour. A file name has all data for lists. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fragmentName, fragmentOf, type RecordedFragment } from '../../protocol/stream-fragments.ts';

export interface StoredFragment extends RecordedFragment {
  readonly path: string;
}

export const HOUR_MS = 3_600_000;
const ENDING = '.mp4';

export const hourOf = (at: number): number => Math.floor(at / HOUR_MS);

export function fragmentPath(folder: string, fragment: RecordedFragment): string {
  return join(folder, String(hourOf(fragment.at)), `${fragmentName(fragment)}${ENDING}`);
}

/** The hours with fragments, ascending. Empty if nothing is recorded. */
export async function recordedHours(folder: string): Promise<readonly number[]> {
  const names = await readdir(folder).catch(() => []);
  return names
    .filter((name) => /^\d{1,9}$/.test(name))
    .map(Number)
    .toSorted((a, b) => a - b);
}

/** Fragments in the order of recording. Incomplete files have another name. */
export async function fragmentsOfHour(folder: string, hour: number): Promise<readonly StoredFragment[]> {
  const inside = join(folder, String(hour));
  const names = await readdir(inside).catch(() => []);
  return names
    .flatMap((name) => {
      const fragment = name.endsWith(ENDING) ? fragmentOf(name.slice(0, -ENDING.length)) : undefined;
      return fragment === undefined ? [] : [{ ...fragment, path: join(inside, name) }];
    })
    .toSorted((a, b) => a.at - b.at || a.position - b.position);
}

/** End of the newest fragment in milliseconds since the epoch; -Infinity if there is none. */
export async function recordedUntil(folder: string): Promise<number> {
  for (const hour of (await recordedHours(folder)).toReversed()) {
    const fragments = await fragmentsOfHour(folder, hour);
    if (fragments.length > 0) return Math.max(...fragments.map(endOf));
  }
  return -Infinity;
}

/** Fragments that begin between `from` and `to`, in milliseconds since the epoch. */
export async function fragmentsBetween(
  folder: string,
  from: number,
  to: number,
): Promise<readonly StoredFragment[]> {
  const found: StoredFragment[] = [];
  for (const hour of await recordedHours(folder)) {
    if (hour < hourOf(from) || hour > hourOf(to)) continue;
    found.push(...(await fragmentsOfHour(folder, hour)));
  }
  return found.filter(({ at }) => at >= from && at <= to);
}

export const endOf = ({ at, durationMs }: RecordedFragment): number => at + durationMs;
