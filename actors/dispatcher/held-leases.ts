import type { Lease } from './commands.ts';

/** The leases that components hold, found by token and by sub-job and counted by queue: there may be thousands of each. */
export class HeldLeases {
  readonly #byToken = new Map<string, Lease>();
  readonly #tokens = new Map<string, string>();
  readonly #running = new Map<string, number>();

  get all(): readonly Lease[] {
    return [...this.#byToken.values()];
  }

  get(token: string): Lease | undefined {
    return this.#byToken.get(token);
  }

  ofSubJob(id: string): Lease | undefined {
    const token = this.#tokens.get(id);
    return token === undefined ? undefined : this.#byToken.get(token);
  }

  /** How many sub-jobs of this queue run. */
  running(queue: string): number {
    return this.#running.get(queue) ?? 0;
  }

  /** A new lease, or another state of one that is held. */
  set(lease: Lease): void {
    const { token, subJob } = lease;
    if (!this.#byToken.has(token)) this.#running.set(subJob.queue, this.running(subJob.queue) + 1);
    this.#byToken.set(token, lease);
    this.#tokens.set(subJob.id, token);
  }

  delete(token: string): boolean {
    const lease = this.#byToken.get(token);
    if (lease === undefined) return false;
    const { id, queue } = lease.subJob;
    this.#byToken.delete(token);
    if (this.#tokens.get(id) === token) this.#tokens.delete(id);
    const running = this.running(queue) - 1;
    if (running === 0) this.#running.delete(queue);
    else this.#running.set(queue, running);
    return true;
  }
}
