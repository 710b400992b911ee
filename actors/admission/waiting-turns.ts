import { weightOf, type UserShares } from '../../domain/users/user-shares.ts';
import type { Owner } from '../../domain/users/owner.ts';
import type { Store } from '../../store/store.ts';
import type { Clock } from '../basics/clock.ts';
import { WAITING_JOBS, waitingJobsOf, waitingScore } from '../batch-job/state/indexes.ts';

/** Time after it was given a turn during which a job may be missing in the indexes. */
const COMING_MS = 2_000;

/** A waiting job. */
interface Waiting {
  readonly priority: number;
  readonly owner?: Owner | undefined;
}

/**
 * Turns of jobs that wait for admission. At equal priority, each job of a user is one step after the user's last one, and never before
 * the first waiting job. The step is shorter for a higher weight. So users are admitted in turn.
 */
export class WaitingTurns {
  readonly #store: Store;
  readonly #shares: UserShares;
  readonly #clock: Clock;
  /** Last turns by user and priority. */
  readonly #recent = new Map<string, { readonly turn: number; readonly at: number }>();

  constructor({ store, shares, clock }: { store: Store; shares: UserShares; clock: Clock }) {
    this.#store = store;
    this.#shares = shares;
    this.#clock = clock;
  }

  /** Returns the turn of a job. Jobs with lower turns are admitted sooner. */
  async next({ priority, owner = { user: '' } }: Waiting): Promise<number> {
    if ((await this.#store.count(WAITING_JOBS)) === 0) return 0;
    const [first, last] = await Promise.all([
      this.#turnIn(WAITING_JOBS, priority, false),
      this.#turnIn(waitingJobsOf(owner.user), priority, true),
    ]);
    const key = `${priority} ${owner.user}`;
    const at = this.#clock.steady();
    for (const [name, recent] of this.#recent) if (at - recent.at > COMING_MS) this.#recent.delete(name);
    const step = 1 / weightOf(this.#shares, owner);
    const known = [last, this.#recent.get(key)?.turn].filter((turn) => turn !== undefined);
    const turn = Math.max(first ?? 0, ...known.map((one) => one + step));
    this.#recent.set(key, { turn, at });
    return turn;
  }

  /** Returns the first or last turn of a priority. */
  async #turnIn(index: string, priority: number, isLast: boolean): Promise<number | undefined> {
    const [from, to] = [waitingScore(priority, 0), waitingScore(priority - 1, 0)];
    const after = { score: isLast ? to : from, id: '' };
    const [entry] = await this.#store.list(index, { limit: 1, descending: isLast, after });
    return entry !== undefined && entry.score >= from && entry.score < to ? entry.score - from : undefined;
  }
}
