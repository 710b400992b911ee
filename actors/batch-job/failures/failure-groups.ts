import type { Store } from '../../../store/store.ts';
import type { Clock } from '../../basics/clock.ts';
import {
  FAILURE_COUNTERS,
  groupId,
  keyOf,
  mergeCauses,
  type FailureCause,
  type FailureKey,
} from './causes.ts';

/** Groups with a pattern of their own; failures with other messages share a group by component and code. */
export const MAX_FAILURE_GROUPS = 200;
/** Groups in all; every other failure is in one last group. */
const MAX_ALL_GROUPS = 2 * MAX_FAILURE_GROUPS;
/** Stands for all components, codes or messages. */
const ANY = '*';
const LAST: FailureKey = { component: ANY, code: ANY, pattern: ANY };
/** What other servers and retention have changed is seen after so long. */
const READ_MS = 60_000;

/** Keeps the number of groups of failures bounded, however many different messages there are. */
export class FailureGroups {
  readonly #store: Pick<Store, 'counters'>;
  readonly #clock: Clock;
  #known = new Set<string>();
  #readAt = -Infinity;

  constructor(store: Pick<Store, 'counters'>, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** The causes of a job in groups that there are, or for which there is room. */
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

export interface FailureCount extends FailureKey {
  readonly group: string;
  /** Failed sub-jobs of jobs that are stored. */
  readonly count: number;
}

/** All groups that there are. */
export async function failureCounts(store: Pick<Store, 'counters'>): Promise<readonly FailureCount[]> {
  return [...(await store.counters(FAILURE_COUNTERS))].flatMap(([name, count]) => {
    const key = keyOf(name.slice(FAILURE_COUNTERS.length));
    return key === undefined || count <= 0 ? [] : [{ group: groupId(key), ...key, count }];
  });
}
