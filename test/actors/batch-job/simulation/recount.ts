/** Recomputes indexes and counters from the jobs themselves. */
import type { JobRecord } from '../../../../actors/batch-job/state/record.ts';
import type { JobState } from '../../../../actors/batch-job/state/state.ts';
import { isTerminal } from '../../../../actors/batch-job/state/status.ts';
import type { Commit } from '../../../../store/store.ts';

export interface CountedJob {
  readonly record: JobRecord;
  readonly state: Pick<
    JobState,
    | 'status'
    | 'priority'
    | 'startedAt'
    | 'endedAt'
    | 'removed'
    | 'unindexed'
    | 'retryable'
    | 'causes'
    | 'waitingTurn'
    | 'labels'
    | 'externalId'
  >;
}

export interface Books {
  /** Entries of each index: scores by job. */
  readonly indexes: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly counters: Readonly<Record<string, number>>;
}

export function recount(jobs: readonly CountedJob[]): Books {
  const ledger = new Ledger();
  for (const { record, state } of jobs) {
    const { number, plan, owner } = record;
    const { externalId = record.externalId, labels = record.labels ?? [] } = state;
    const { status, priority, startedAt, endedAt, removed, unindexed } = state;
    const { retryable, causes = [], waitingTurn } = state;
    const enter = (index: string, score: number) => ledger.enter(number, { [index]: score });
    const user = owner === undefined ? undefined : encodeURIComponent(owner.user);
    /** Indexes for the list of jobs exist once more for each owner. */
    const enterOwned = (index: string, score: number) => {
      enter(index, score);
      if (user !== undefined) enter(`user:${user}/${index}`, score);
    };
    /** Counted in total and per owner. The owners here have no group. */
    const addOwn = (start: string, name: string, by: number) => {
      if (user !== undefined) ledger.add({ [`${start}user:${user}//${name}`]: by });
    };
    if (removed) {
      enter('removed-jobs', number);
      continue;
    }
    enterOwned('batch-jobs', number);
    enter(`jobs-of-status/${status}`, number);
    enter(`jobs-of-pipeline/${plan.name}`, number);
    enterOwned('started-jobs', startedAt);
    if (externalId !== null) enter(`jobs-of-external-id/${externalId}`, number);
    for (const label of labels) enter(`jobs-of-label/${label}`, number);
    if (unindexed) enter('unindexed-jobs', endedAt!);
    if (retryable === true) enter('retryable-jobs', number);
    if (isTerminal(status)) enterOwned('ended-jobs', endedAt!);
    else enterOwned('live-jobs', number);
    if (status === 'INITIALIZED')
      for (const index of ['waiting-jobs', `waiting-jobs-of/${owner?.user ?? ''}`])
        enter(index, (9 - priority) * 1e12 + (waitingTurn ?? number));
    for (const { group, component, code, pattern, count, last } of causes) {
      const key = JSON.stringify([component, code, pattern]);
      enterOwned(`jobs-of-failure/${group}`, last);
      ledger.add({ [`failures/${key}`]: count });
      addOwn('@failures:', `count/${key}`, count);
      addOwn('@failures:', `jobs/${key}`, 1);
    }
    ledger.add({ [`jobs/${plan.name}/${status}`]: 1 });
    addOwn('@', `${plan.name}/${status}`, 1);
    if (status !== 'COMPLETE') continue;
    enterOwned(`job-ms/${plan.name}`, endedAt! - startedAt);
    ledger.add({ [`job-ms/${plan.name}`]: endedAt! - startedAt });
    addOwn('@', `${plan.name}/ms`, endedAt! - startedAt);
  }
  return ledger.books;
}

/** Indexes and counters as a store keeps them. */
export class Ledger {
  readonly #indexes = new Map<string, Map<string, number>>();
  readonly #counters = new Map<string, number>();

  take(number: number, { index, counters }: Pick<Commit, 'index' | 'counters'>): void {
    this.enter(number, index ?? {});
    this.add(counters ?? {});
  }

  enter(number: number, index: NonNullable<Commit['index']>): void {
    for (const [name, score] of Object.entries(index)) {
      const entries = this.#indexes.get(name) ?? new Map<string, number>();
      if (score === null) entries.delete(String(number));
      else entries.set(String(number), score);
      if (entries.size === 0) this.#indexes.delete(name);
      else this.#indexes.set(name, entries);
    }
  }

  add(counters: NonNullable<Commit['counters']>): void {
    for (const [name, by] of Object.entries(counters)) {
      const value = (this.#counters.get(name) ?? 0) + by;
      if (value === 0) this.#counters.delete(name);
      else this.#counters.set(name, value);
    }
  }

  get books(): Books {
    const indexes = [...this.#indexes].map(([name, entries]) => [name, Object.fromEntries(entries)] as const);
    return { indexes: Object.fromEntries(indexes), counters: Object.fromEntries(this.#counters) };
  }
}
