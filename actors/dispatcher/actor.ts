import { randomBytes } from 'node:crypto';
import type { Logger } from '../../config/logger.ts';
import type { WorkQueue } from '../../store/queue.ts';
import type { Clock } from '../runtime/clock.ts';
import { DEFAULT_INTENSITY } from '../runtime/supervision.ts';
import type { ActorKind, Behavior, Envelope } from '../runtime/system.ts';
import {
  DISPATCHER_COMMANDS,
  type DispatcherCommand,
  type DispatcherReply,
  type Lease,
  type Standing,
  type SubJob,
} from './commands.ts';
import { HeldLeases } from './held-leases.ts';
import {
  answered,
  arriving,
  beat,
  cancelled,
  postponed,
  expiryOf,
  expiryReason,
  newLease,
  type LeaseSettings,
} from './leases.ts';

export const DISPATCHER = 'dispatcher';

export interface DispatcherParts {
  readonly queue: WorkQueue<SubJob>;
  readonly settings: LeaseSettings;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly mailbox: number;
  /** Tells the job that a sub-job was lost (an attempt that counts). */
  lost(subJob: SubJob, token: string, reason: string): void;
  /** Tells the job that cancelled work is in nobody's hands any more. */
  dropped(jobId: string, keys: readonly string[]): void;
  /** Work waits in this queue while `busy` of its sub-jobs run: whoever claims there or can start components may want to know. */
  waiting(queue: string, length: number, busy: number): void;
  /** A component does not answer or does not stop: whoever started it ends it. */
  kill(worker: string, reason: string): void;
}

/** Leases whose answer was taken, to answer a repeated result as the first. */
const REMEMBERED = 1_000;
const TICK_MS = 250;
/** A tick that is later than this means that the server was held up. */
const STALL_MS = 1_000;
/** A sub-job that is given back more often than this costs an attempt. */
const MAX_RELEASES = 20;

/**
 * The dispatcher: hands sub-jobs to components under leases with three clocks and takes them back. It holds no truth: what
 * it knows is offered again by the jobs when it starts anew.
 */
export function dispatcherKind(parts: DispatcherParts): ActorKind<DispatcherCommand, DispatcherReply> {
  return {
    name: DISPATCHER,
    accepts: DISPATCHER_COMMANDS,
    mailbox: parts.mailbox,
    intensity: DEFAULT_INTENSITY,
    load: () => Promise.resolve(new Dispatcher(parts)),
  };
}

class Dispatcher implements Behavior<DispatcherCommand, DispatcherReply> {
  readonly #parts: DispatcherParts;
  readonly #leases = new HeldLeases();
  readonly #settled = new Set<string>();
  /** Since when sub-jobs wait, by id. */
  readonly #waiting = new Map<string, { readonly queue: string; readonly since: number }>();
  /** Workers that were ended because of one of their leases; the others are not to blame for it. */
  readonly #killed = new Set<string>();
  #draining = false;
  #turn = 0;

  constructor(parts: DispatcherParts) {
    this.#parts = parts;
  }

  async handle({ command }: Envelope<DispatcherCommand>): Promise<DispatcherReply> {
    const at = this.#parts.clock.steady();
    switch (command.type) {
      case 'offer':
        return this.#offer(command.subJobs);
      case 'cancel':
        return this.#cancel(command.subJobs, at);
      case 'claim':
        return this.#claim(command, at);
      case 'heartbeat':
        return this.#heartbeat(command, at);
      case 'lookUp':
        return this.#lookUp(command.token, command.worker);
      case 'arriving':
        return this.#arriving(command.token, command.whole, at);
      case 'settle':
        return this.#settle(command.token, command.refused === true);
      case 'release':
        return this.#release(command.token, command.worker);
      case 'reject':
        return this.#reject(command.token, command.reason);
      case 'workerGone':
        return this.#workerGone(command.worker, command.counted, command.reason);
      case 'unavailable':
        return this.#unavailable(command.queue, command.reason);
      case 'announce':
        await this.#announce();
        return { kind: 'done' };
      case 'tick':
        return this.#tick(at, command.stalledMs ?? 0);
      case 'report':
        return this.#report();
      case 'standing':
        return this.#standing(command.jobIds);
      case 'drain':
        this.#draining = true;
        return { kind: 'done' };
    }
  }

  async #offer(subJobs: readonly SubJob[]): Promise<DispatcherReply> {
    const free = subJobs.filter(({ id }) => this.#leases.ofSubJob(id) === undefined);
    await this.#parts.queue.offer(free);
    const since = this.#parts.clock.steady();
    for (const { id, queue } of free) if (!this.#waiting.has(id)) this.#waiting.set(id, { queue, since });
    await this.#announce(new Set(subJobs.map(({ queue }) => queue)));
    return { kind: 'done' };
  }

  async #announce(queues?: ReadonlySet<string>): Promise<void> {
    const lengths = await this.#parts.queue.lengths();
    for (const queue of queues ?? lengths.keys()) {
      const length = lengths.get(queue) ?? 0;
      if (length === 0) continue;
      this.#parts.waiting(queue, length, this.#leases.running(queue));
    }
  }

  /** What is queued (or unknown here) is dropped at once; what a component holds, when it lets go or is killed. */
  async #cancel(
    subJobs: readonly Pick<SubJob, 'id' | 'key' | 'jobId'>[],
    at: number,
  ): Promise<DispatcherReply> {
    const wanted = new Map(subJobs.map((subJob) => [subJob.id, subJob]));
    for (const { id } of subJobs) {
      const lease = this.#leases.ofSubJob(id);
      if (lease === undefined) continue;
      wanted.delete(id);
      this.#leases.set(cancelled(lease, at, this.#parts.settings));
    }
    await this.#parts.queue.remove([...wanted.keys()]);
    for (const id of wanted.keys()) this.#waiting.delete(id);
    const byJob = new Map<string, string[]>();
    for (const { jobId, key } of wanted.values()) byJob.set(jobId, [...(byJob.get(jobId) ?? []), key]);
    for (const [jobId, keys] of byJob) this.#parts.dropped(jobId, keys);
    return { kind: 'done' };
  }

  async #claim(
    { queues, max, worker }: Extract<DispatcherCommand, { type: 'claim' }>,
    at: number,
  ): Promise<DispatcherReply> {
    if (this.#draining) return { kind: 'claimed', leases: [] };
    // Who serves several queues begins with another one each time, so that none of them starves.
    const turn = this.#turn++ % queues.length;
    const inTurn = [...queues.slice(turn), ...queues.slice(0, turn)];
    const subJobs = await this.#parts.queue.take(inTurn, max);
    for (const { id } of subJobs) this.#waiting.delete(id);
    const leases = subJobs.map((subJob) => {
      return newLease(newToken(), subJob, worker, at, this.#parts.settings);
    });
    for (const lease of leases) this.#leases.set(lease);
    return { kind: 'claimed', leases };
  }

  #heartbeat(
    { token, worker, done, total }: Extract<DispatcherCommand, { type: 'heartbeat' }>,
    at: number,
  ): DispatcherReply {
    const lease = this.#held(token, worker);
    if (lease === undefined) return { kind: 'lost' };
    this.#leases.set(beat(lease, { done, total }, at, this.#parts.settings));
    return { kind: 'go', go: lease.cancelled ? 'cancelled' : 'on' };
  }

  #lookUp(token: string, worker: string): DispatcherReply {
    const lease = this.#held(token, worker);
    if (lease !== undefined) return { kind: 'lease', lease };
    return { kind: this.#settled.has(token) ? 'settled' : 'lost' };
  }

  #arriving(token: string, whole: boolean, at: number): DispatcherReply {
    const lease = this.#leases.get(token);
    if (lease === undefined) return { kind: 'lost' };
    this.#leases.set(whole ? answered(lease) : arriving(lease, at, this.#parts.settings));
    return { kind: 'done' };
  }

  #settle(token: string, refused: boolean): DispatcherReply {
    if (!this.#leases.delete(token)) return { kind: 'lost' };
    if (refused) return { kind: 'done' };
    this.#settled.add(token);
    if (this.#settled.size > REMEMBERED) this.#settled.delete(this.#settled.values().next().value!);
    return { kind: 'done' };
  }

  async #release(token: string, worker: string): Promise<DispatcherReply> {
    const lease = this.#held(token, worker);
    if (lease === undefined) return { kind: 'lost' };
    await this.#giveBack(lease);
    return { kind: 'done' };
  }

  #reject(token: string, reason: string): DispatcherReply {
    const lease = this.#leases.get(token);
    if (lease === undefined) return { kind: 'lost' };
    this.#lose(lease, reason);
    return { kind: 'done' };
  }

  async #workerGone(worker: string, counted: boolean, reason: string): Promise<DispatcherReply> {
    const killed = this.#killed.delete(worker);
    const ownDoing = counted && !killed;
    for (const lease of this.#leases.all)
      if (lease.worker === worker)
        if (ownDoing) this.#lose(lease, reason);
        else await this.#giveBack(lease);
    return { kind: 'done' };
  }

  /** Work that nobody can do is not kept waiting for ever: each item fails like one whose component died. */
  async #unavailable(queue: string, reason: string): Promise<DispatcherReply> {
    const waiting = (await this.#parts.queue.lengths()).get(queue) ?? 0;
    for (const subJob of await this.#parts.queue.take([queue], waiting)) {
      this.#waiting.delete(subJob.id);
      this.#parts.lost(subJob, '', reason);
    }
    return { kind: 'done' };
  }

  #tick(at: number, stalledMs: number): DispatcherReply {
    // Time in which this server stood still itself (or the machine slept) is nobody's silence.
    if (stalledMs > 0) for (const lease of this.#leases.all) this.#leases.set(postponed(lease, stalledMs));
    for (const lease of this.#leases.all) {
      const expiry = expiryOf(lease, at);
      if (expiry === null) continue;
      const reason = expiryReason(expiry, this.#parts.settings);
      this.#parts.logger.warn(
        { subJob: lease.subJob.id, worker: lease.worker, reason },
        'took a sub-job back',
      );
      this.#lose(lease, reason);
      this.#killed.add(lease.worker);
      this.#parts.kill(lease.worker, reason);
    }
    return { kind: 'done' };
  }

  #lose(lease: Lease, reason: string): void {
    this.#leases.delete(lease.token);
    if (lease.cancelled) this.#parts.dropped(lease.subJob.jobId, [lease.subJob.key]);
    else this.#parts.lost(lease.subJob, lease.token, reason);
  }

  async #giveBack(lease: Lease): Promise<void> {
    this.#leases.delete(lease.token);
    if (lease.cancelled) this.#parts.dropped(lease.subJob.jobId, [lease.subJob.key]);
    else if (lease.subJob.releases >= MAX_RELEASES)
      this.#parts.lost(lease.subJob, lease.token, `it was given back ${MAX_RELEASES} times`);
    else await this.#offer([{ ...lease.subJob, releases: lease.subJob.releases + 1 }]);
  }

  #held(token: string, worker: string): Lease | undefined {
    const lease = this.#leases.get(token);
    return lease?.worker === worker ? lease : undefined;
  }

  /** What runs now, what waits, and which jobs have anything here at all. */
  async #report(): Promise<DispatcherReply> {
    const leases = this.#leases.all;
    const jobs = new Set([...(await this.#parts.queue.jobs()), ...leases.map(({ subJob }) => subJob.jobId)]);
    return {
      kind: 'report',
      leases,
      jobs,
      waiting: await this.#parts.queue.lengths(),
      oldest: this.#oldest(),
    };
  }

  #oldest(): ReadonlyMap<string, number> {
    const now = this.#parts.clock.steady();
    const oldest = new Map<string, number>();
    for (const { queue, since } of this.#waiting.values())
      oldest.set(queue, Math.max(oldest.get(queue) ?? 0, now - since));
    return oldest;
  }

  async #standing(jobIds: readonly string[]): Promise<DispatcherReply> {
    const running = new Map<string, Lease[]>(jobIds.map((jobId) => [jobId, []]));
    for (const lease of this.#leases.all) running.get(lease.subJob.jobId)?.push(lease);
    const jobs = new Map<string, Standing>();
    for (const [jobId, leases] of running)
      jobs.set(jobId, { leases, ahead: await this.#parts.queue.ahead(jobId) });
    return { kind: 'standing', jobs };
  }
}

/** Not to be guessed, and never given twice, whatever the server forgets when it is killed: it is the fence of a lease. */
const newToken = () => randomBytes(16).toString('base64url');

/** Ticks the dispatcher until the answer is called; a tick that comes far too late says by how much. */
export function startTicking(clock: Clock, tick: (stalledMs: number) => void): () => void {
  let cancel = () => {};
  const next = () => {
    const due = clock.steady() + TICK_MS;
    cancel = clock.after(TICK_MS, () => {
      const late = clock.steady() - due;
      tick(late > STALL_MS ? late : 0);
      next();
    });
  };
  next();
  return () => cancel();
}
