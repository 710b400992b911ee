import type { Store } from '../../../store/store.ts';
import type { Clock } from '../../basics/clock.ts';
import { groupId, mergeCauses, type FailureCause, type FailureKey } from './causes.ts';
import { countsOf, FAILURE_COUNTERS, type FailureCount } from './failure-counters.ts';

/** Maximum number of groups with their own pattern. Failures with other messages share a group by component and code. */
export const MAX_FAILURE_GROUPS = 200;
/** Maximum number of all groups. Every other failure is in one last group. */
const MAX_ALL_GROUPS = 2 * MAX_FAILURE_GROUPS;
/** Placeholder for all components, codes or messages. */
const ANY = '*';
const LAST: FailureKey = { component: ANY, code: ANY, pattern: ANY };
/** Time after which the groups are read again, to find changes by other servers and by retention. */
const READ_MS = 60_000;

/** Limits the number of failure groups, even if there are many different messages. */
export class FailureGroups {
  readonly #store: Pick<Store, 'counters'>;
  readonly #clock: Clock;
  #known = new Set<string>();
  #readAt = -Infinity;

  constructor(store: Pick<Store, 'counters'>, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Returns the causes of a job in existing groups, or in new groups while there is room. */
  limitCauses(causes: readonly FailureCause[]): readonly FailureCause[] {
    this.#readSoon();
    const limited = causes.map((cause) => this.#limitCause(cause));
    return limited.every((cause, n) => cause === causes[n]) ? causes : mergeCauses(limited);
  }

  #limitCause(cause: FailureCause): FailureCause {
    if (this.#has(cause.group, MAX_FAILURE_GROUPS)) return cause;
    const { component, code } = cause;
    const shared = { component, code, pattern: ANY };
    const key = this.#has(groupId(shared), MAX_ALL_GROUPS) ? shared : LAST;
    return { ...cause, ...key, group: groupId(key) };
  }

  #has(group: string, most: number): boolean {
    if (this.#known.size < most) this.#known.add(group);
    return this.#known.has(group);
  }

  #readSoon(): void {
    const now = this.#clock.steady();
    if (now - this.#readAt < READ_MS) return;
    this.#readAt = now;
    void this.#read().catch(() => (this.#readAt = -Infinity));
  }

  async #read(): Promise<void> {
    const groups = await failureCounts(this.#store);
    this.#known = new Set(groups.map(({ group }) => group));
  }
}

/** Returns all groups. */
export const failureCounts = async (store: Pick<Store, 'counters'>): Promise<readonly FailureCount[]> =>
  countsOf(await store.counters(FAILURE_COUNTERS), FAILURE_COUNTERS);
