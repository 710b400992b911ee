/** Failed sub-jobs by group: of all jobs, and of those of each owner. */
import { placesOf, type Owner } from '../../../domain/users/owner.ts';
import { groupId, keyOf, keyText, type FailureCause, type FailureKey } from './causes.ts';

/** Counters: failed sub-jobs by group. */
export const FAILURE_COUNTERS = 'failures/';
/** Prefix of the counters of an owner. The scope and COUNT or JOBS follow. */
export const OWN_FAILURES = '@failures:';
const COUNT = 'count/';
const JOBS = 'jobs/';

export interface FailureCount extends FailureKey {
  readonly group: string;
  /** Number of failed sub-jobs of stored jobs. */
  readonly count: number;
}

/** Returns the counters of a job with these causes. */
export function failureCounters(
  owner: Owner | undefined,
  causes: readonly FailureCause[],
): Readonly<Record<string, number>> {
  const places = placesOf(owner, OWN_FAILURES);
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

/** Returns the groups in the summed counters of owners. */
export const ownFailureCounts = (
  sums: ReadonlyMap<string, number>,
): readonly (FailureCount & { readonly jobs: number })[] =>
  countsOf(sums, COUNT).map((group) => ({ ...group, jobs: sums.get(JOBS + keyText(group)) ?? 0 }));

/** Returns the groups in the counters whose names begin with `start`. */
export const countsOf = (counters: ReadonlyMap<string, number>, start: string): readonly FailureCount[] =>
  [...counters].flatMap(([name, count]) => {
    const key = name.startsWith(start) ? keyOf(name.slice(start.length)) : undefined;
    return key === undefined || count <= 0 ? [] : [{ group: groupId(key), ...key, count }];
  });
