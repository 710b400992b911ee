import type { FetchLimits } from '../../protocol/media-work.ts';
import { isStreamQueue } from '../../protocol/streams.ts';
import { TRANSFER_QUEUES } from '../../protocol/transfers.ts';
import { isViewKind, VIEW_QUEUES, type Assignment } from '../../protocol/worker-protocol.ts';
import type { MovedStart } from '../../results/moved-files.ts';
import type { Lease } from '../../store/ledger.ts';
import type { ArrivalRate } from '../basics/arrival-rate.ts';
import type { FrameService } from '../frames/frame-service.ts';
import type { PendingClaims } from '../dispatcher/pending-claims.ts';
import { assignmentOf, UnreadableSubJob } from './leases/assignments.ts';
import { leaseInput } from './leases/lease-input.ts';
import { Intake, type IntakeDeps } from './results/intake.ts';
import type { StreamGateway } from './streams/streams.ts';
import { claimTransfers } from './transfer-claims.ts';

export interface WorkerGatewayDeps extends Omit<IntakeDeps, 'streams'> {
  readonly streams: StreamGateway;
  readonly frames: FrameService;
  readonly pendingClaims: PendingClaims;
  readonly arrivalRate: Pick<ArrivalRate, 'over'>;
  readonly fetchLimits: FetchLimits;
  readonly movedFiles: readonly MovedStart[];
  /** True if the host of this worker has been silent for long. `askedMs`: milliseconds since the claim of the worker. */
  isSilent(worker: string, askedMs: number): boolean;
  /** True if the processes of a service may do the work of a queue now. Other services may not serve a registered component. */
  mayServe(service: string, queue: string): boolean;
  /** Returns the queues from which a worker may get work. An operator may have paused some, or may drain its service. */
  openQueues(queues: readonly string[], worker: string): readonly string[];
  /** Called if the process of this worker has nothing to do. */
  rest(worker: string): void;
  /** Returns a token of the service, or undefined if there is none. */
  bearer(): Promise<string | undefined>;
}

export interface Claim {
  readonly queues: readonly string[];
  readonly max: number;
  readonly waitMs: number;
  readonly worker: string;
  /** The service that started the process. Undefined if no node has started it. */
  readonly service?: string;
  /** The component outlives this server. */
  readonly lasting: boolean;
  /** The component works on sub-jobs one after the other: see the ledger's `Claim`. */
  readonly inTurn?: boolean;
}

export interface Claimed {
  readonly work: readonly Assignment[];
  /** True if transfers wait for a slot, which may become free at another server. */
  readonly waits?: boolean;
  /** Gives the leases back. Called if the answer did not reach the component. */
  giveBack(): void;
}

/** Number of sub-jobs in a claim of a component that needs about 50 ms for each. */
const MANY = 8;

/** Interval of checks for slots that became free at another server. */
const SLOT_LOOK_MS = 1_000;

const NOTHING: Claimed = { work: [], giveBack() {} };

/** Handles claims of components, between the worker protocol, the dispatcher and the jobs. Its intake handles answers. */
export class WorkerGateway {
  readonly #deps: WorkerGatewayDeps;
  /** Handles answers to sub-jobs. */
  readonly intake: Intake;
  #closed = false;
  /** True if the last claim for media work got frames. */
  #gaveFrames = false;

  constructor(deps: WorkerGatewayDeps) {
    this.#deps = deps;
    this.intake = new Intake({
      ...deps,
      streams: { acceptFailure: (lease, failure) => deps.streams.intake.acceptFailure(lease, failure) },
    });
  }

  /** Prevents all further claims. */
  close(): void {
    this.#closed = true;
  }

  /**
   * Waits for work up to `waitMs`. A disconnected component (`gone`) gets none. While many jobs arrive, they are accepted first, so that a
   * component that takes many sub-jobs gets more of them together.
   */
  async claim(claim: Claim, gone: AbortSignal): Promise<Claimed> {
    const { clock, pendingClaims, isSilent, arrivalRate } = this.#deps;
    const began = clock.steady();
    const until = began + claim.waitMs;
    const queues = this.#open(claim);
    const waiter = pendingClaims.join(queues);
    try {
      for (;;) {
        if (claim.max >= MANY) await arrivalRate.over();
        // A live component claims again, and gets work then.
        if (gone.aborted || isSilent(claim.worker, clock.steady() - began)) return NOTHING;
        // The worker may have been woken for work of a queue that it no longer serves. When it leaves, it wakes the next one.
        if (this.#open(claim).length < queues.length) return this.#inVain(claim);
        // Offers after this call wake the wait below.
        waiter.look();
        const claimed = await this.#claimLeases({ ...claim, queues });
        if (gone.aborted) {
          claimed.giveBack();
          return NOTHING;
        }
        if (claimed.work.length > 0) return claimed;
        const left = until - clock.steady();
        if (left <= 0) return this.#inVain(claim);
        await waiter.wait(claimed.waits === true ? Math.min(left, SLOT_LOOK_MS) : left, gone);
      }
    } finally {
      waiter.leave();
    }
  }

  /**
   * Ends a stream process without work. Each stream has a process, which is ordered to end with its stream. The order is lost if this
   * server or the node is down at that time. No order is sent if the stream was cancelled before the claim. Where a registered component
   * has the algorithm, processes of the installed one have nothing to do.
   */
  #inVain(claim: Claim): Claimed {
    if (this.#open(claim).every(isStreamQueue)) this.#deps.rest(claim.worker);
    return NOTHING;
  }

  /** Returns the queues of which the worker may get work now. The catalog may have changed while the worker waited. */
  #open({ queues, service }: Claim): readonly string[] {
    return service === undefined ? queues : queues.filter((queue) => this.#deps.mayServe(service, queue));
  }

  async #claimLeases({ waitMs: _, ...asked }: Claim): Promise<Claimed> {
    const claim = { ...asked, queues: this.#deps.openQueues(asked.queues, asked.worker) };
    if (this.#closed || claim.queues.length === 0) return NOTHING;
    const { work: ledger } = this.#deps.store;
    const { worker } = claim;
    const { leases, waits } = claim.queues.every((queue) => TRANSFER_QUEUES.includes(queue))
      ? await claimTransfers(ledger, claim)
      : { leases: await this.#leases(claim), waits: false };
    const giveBack = () => {
      for (const { token } of leases) void ledger.release(token, worker).catch(() => undefined);
    };
    try {
      return { work: await this.#assignments(leases, !claim.lasting), giveBack, waits };
    } catch (error) {
      // Without this, no component would work on them until their leases expire, and the claiming component would be ended.
      giveBack();
      throw error;
    }
  }

  /**
   * Claims leases. Frames have priority over the media work of all jobs. After each claim that got frames, the next claim gets work of
   * jobs, if there is any. So a client that requests frames without pause blocks no job.
   */
  async #leases(claim: Omit<Claim, 'waitMs'>): Promise<readonly Lease[]> {
    const { work: ledger } = this.#deps.store;
    const queues = claim.queues.filter((queue) => !VIEW_QUEUES.includes(queue));
    const hasFrames = queues.length < claim.queues.length;
    if (hasFrames && this.#gaveFrames) {
      const leases = await ledger.claim({ ...claim, queues });
      if (leases.length > 0) {
        this.#gaveFrames = false;
        return leases;
      }
    }
    const leases = await ledger.claim(claim);
    if (hasFrames) this.#gaveFrames = leases.some(({ item }) => isViewKind(item.kind));
    return leases;
  }

  /** Returns the lines for a document, or the tracks that a sub-job is fed. Returns undefined if the lease is lost or needs no input. */
  input(token: string, worker: string): Promise<AsyncIterable<string | Uint8Array> | undefined> {
    return leaseInput(this.#deps, token, worker);
  }

  heartbeat(
    token: string,
    worker: string,
    done: number,
    total: number,
  ): Promise<'on' | 'cancelled' | 'lost'> {
    return this.#deps.store.work.beat(token, worker, done, total);
  }

  async #assignments(leases: readonly Lease[], besideServer: boolean): Promise<readonly Assignment[]> {
    const work: Assignment[] = [];
    for (const lease of leases) {
      const assignment = await this.#assignmentOf(lease, besideServer);
      if (assignment === undefined) continue;
      const { id, token, attempt } = assignment;
      const { kind, queue } = lease.item;
      this.#deps.logger.debug(
        { subJob: id, kind, queue, token, attempt, worker: lease.worker },
        'handed out a sub-job',
      );
      work.push(assignment);
    }
    return work;
  }

  /** Returns undefined if the work cannot be done. */
  async #assignmentOf(lease: Lease, besideServer: boolean): Promise<Assignment | undefined> {
    try {
      const assignment = await this.#readAssignment(lease, besideServer);
      if (assignment === undefined) await this.intake.settlement.end(lease.token);
      return assignment;
    } catch (error) {
      if (error instanceof UnreadableSubJob) return this.#unreadable(lease, error);
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      // The file is lost for good (a restored backup has no spool), so the next claim would fail as well.
      await this.intake.settlement.toJob(lease, {
        type: 'workFailed',
        key: lease.item.key,
        token: lease.token,
        code: 'LOCAL_STORAGE',
        message: 'The results that this sub-job needs were deleted from the server. Resubmit the job.',
        ms: 0,
      });
      return undefined;
    }
  }

  async #readAssignment(lease: Lease, besideServer: boolean): Promise<Assignment | undefined> {
    const { kind } = lease.item;
    if (kind === 'STREAM') return this.#deps.streams.assignment(lease);
    if (isViewKind(kind)) return this.#deps.frames.assignment(lease);
    return assignmentOf(this.#deps, lease, besideServer);
  }

  /**
   * Reports an unreadable sub-job to its job. The sub-job fails, or the unreadable job goes into quarantine. The claim still returns its
   * other sub-jobs.
   */
  async #unreadable(lease: Lease, err: UnreadableSubJob): Promise<undefined> {
    const { token, item } = lease;
    this.#deps.logger.error({ err, subJob: item.id }, 'a sub-job cannot be handed out');
    const message = `${err.message} Resubmit the job.`;
    await this.intake.settlement
      .toJob(lease, { type: 'workFailed', key: item.key, token, code: 'OTHER', message, ms: 0 })
      .catch(() => this.intake.settlement.end(token));
    return undefined;
  }
}
