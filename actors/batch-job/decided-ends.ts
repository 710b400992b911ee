import type { JobEffect } from './effects.ts';
import type { JobState } from './state.ts';
import { isTerminal } from './status.ts';

type End = Pick<JobState, 'run' | 'endedAt'>;

/**
 * Ends that this server has decided and not told of yet. A commit may be carried out though the store did not say so: when the job is
 * loaded then it has ended, and nobody but this server has it to tell of that.
 */
export class DecidedEnds {
  readonly #ends = new Map<number, End>();

  decided(job: number, { run, endedAt }: End, effects: readonly JobEffect[]): void {
    if (effects.some(({ type }) => type === 'ended')) this.#ends.set(job, { run, endedAt });
  }

  /** Whether a job that was loaded has ended as was decided here. */
  isOwed(job: number, { status, run, endedAt }: End & Pick<JobState, 'status'>): boolean {
    const end = this.#ends.get(job);
    if (end === undefined || !isTerminal(status)) return false;
    const isSame = end.run === run && end.endedAt === endedAt;
    // Another server has ended it, and has told of that.
    if (!isSame) this.#ends.delete(job);
    return isSame;
  }

  /** It is to be told of; false: it was. */
  take(job: number): boolean {
    return this.#ends.delete(job);
  }
}
