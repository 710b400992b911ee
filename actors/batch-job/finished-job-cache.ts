import type { JobEffect } from './state/effects.ts';
import type { JobState } from './state/state.ts';
import { isTerminal } from './state/status.ts';

type End = Pick<JobState, 'status' | 'run' | 'endedBy'>;

/**
 * Runs that this server has ended and not reported yet. If several servers decide the same end, the server whose commit the store
 * accepted reports it. The reply to that commit may be lost; this server then reports the end when it loads the job again.
 */
export class FinishedJobCache {
  readonly #server: string;
  readonly #runs = new Map<number, number>();

  constructor(server: string) {
    this.#server = server;
  }

  add(job: number, { run }: End, effects: readonly JobEffect[]): void {
    if (effects.some(({ type }) => type === 'ended')) this.#runs.set(job, run);
  }

  /** True if a commit of this server has ended the job, and the end is not reported yet. */
  isPending(job: number, { status, run, endedBy }: End): boolean {
    const decided = this.#runs.get(job);
    if (decided === undefined || !isTerminal(status)) return false;
    const isOwn = decided === run && endedBy === this.#server;
    // Another server has ended the job and reported it.
    if (!isOwn) this.#runs.delete(job);
    return isOwn;
  }

  /** Marks the end as reported. Returns false if it is already reported, or another server reports it. */
  take(job: number, end: End): boolean {
    return this.isPending(job, end) && this.#runs.delete(job);
  }
}
