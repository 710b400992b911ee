import { weightOf, type UserShares } from '../../domain/users/user-shares.ts';
import type { Owner } from '../../domain/users/owner.ts';
import type { Store } from '../../store/store.ts';
import type { Clock } from '../basics/clock.ts';
import { WAITING_JOBS, waitingJobsOf, waitingScore } from '../batch-job/state/indexes.ts';

/** A job that was given a turn so recently may not be in the indexes yet. */
const COMING_MS = 2_000;

/** The job that waits. */
interface Waiting {
  readonly priority: number;
  readonly owner?: Owner | undefined;
}

/**
 * Turns of jobs that wait for admission. At equal priority a user's next job comes after the user's last one, by a step that is shorter
 * the higher the user's weight, and never before the first that waits: so users are admitted in turn.
 */
export class WaitingTurns {
  readonly #store: Store;
  readonly #shares: UserShares;
  readonly #clock: Clock;
  /** By user and priority. */
  readonly #recent = new Map<string, { readonly turn: number; readonly at: number }>();

  constructor({ store, shares, clock }: { store: Store; shares: UserShares; clock: Clock }) {
    this.#store = store;
    this.#shares = shares;
    this.#clock = clock;
  }

  /** The lower it is the sooner the job is admitted. */
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

  /** The first or last turn of a priority. */
  async #turnIn(index: string, priority: number, isLast: boolean): Promise<number | undefined> {
    const [from, to] = [waitingScore(priority, 0), waitingScore(priority - 1, 0)];
    const after = { score: isLast ? to : from, id: '' };
    const [entry] = await this.#store.list(index, { limit: 1, descending: isLast, after });
    return entry !== undefined && entry.score >= from && entry.score < to ? entry.score - from : undefined;
  }
}
