/** Failed sub-jobs by group: of all jobs, and of those of each owner. */
import { placesOf, type Owner, type Sight } from '../../../domain/job/owner.ts';
import type { Store } from '../../../store/store.ts';
import { seenCounters } from '../state/seen-counters.ts';
import { groupId, keyOf, keyText, type FailureCause, type FailureKey } from './causes.ts';

/** Counters: failed sub-jobs by group. */
const FAILURE_COUNTERS = 'failures/';
/** How those of an owner begin, before the scope. Behind it they say what is counted. */
const OWN = '@failures:';
const COUNT = 'count/';
const JOBS = 'jobs/';

export interface FailureCount extends FailureKey {
  readonly group: string;
  /** Failed sub-jobs of jobs that are stored. */
  readonly count: number;
}

/** Of a job with these causes. */
export function failureCounters(
  owner: Owner | undefined,
  causes: readonly FailureCause[],
): Readonly<Record<string, number>> {
  const places = placesOf(owner, OWN);
  return Object.fromEntries(
    causes.flatMap((cause) => {
      const [key, { count }] = [keyText(cause), cause];
      const own = places.flatMap((place) => [
        [place + COUNT + key, count] as const,
        [place + JOBS + key, 1] as const,
      ]);
      return [[FAILURE_COUNTERS + key, count] as const, ...own];
    }),
  );
}

/** All groups that there are. */
export async function failureCounts(store: Pick<Store, 'counters'>): Promise<readonly FailureCount[]> {
  return [...(await store.counters(FAILURE_COUNTERS))].flatMap(([name, count]) => {
    const key = keyOf(name.slice(FAILURE_COUNTERS.length));
    return key === undefined || count <= 0 ? [] : [{ group: groupId(key), ...key, count }];
  });
}

/** The groups of the jobs that somebody sees, with the number of these jobs. */
export async function failureCountsSeen(
  store: Pick<Store, 'counters'>,
  sight: Exclude<Sight, 'ALL'>,
): Promise<readonly (FailureCount & { readonly jobs: number })[]> {
  const sums = new Map<string, number>();
  for (const { name, value } of await seenCounters(store, OWN, sight))
    sums.set(name, (sums.get(name) ?? 0) + value);
  return [...sums].flatMap(([name, count]) => {
    const text = name.slice(COUNT.length);
    const key = name.startsWith(COUNT) ? keyOf(text) : undefined;
    if (key === undefined || count <= 0) return [];
    return [{ group: groupId(key), ...key, count, jobs: sums.get(JOBS + text) ?? 0 }];
  });
}
