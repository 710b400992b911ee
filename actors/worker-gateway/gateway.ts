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
  /** Whether nothing was heard of the host of this worker for long, which asked for work so many milliseconds ago. */
  isSilent(worker: string, askedMs: number): boolean;
  /** Whether the processes of a service may do the work of a queue now: that of a registered component is not for others. */
  mayServe(service: string, queue: string): boolean;
  /** The queues from which a worker may be given work: an operator may have paused some, or be draining its service. */
  openQueues(queues: readonly string[], worker: string): readonly string[];
  /** There is nothing to do for the process of this worker. */
  rest(worker: string): void;
  /** A token of the service; undefined when there is none to be had. */
  bearer(): Promise<string | undefined>;
}

export interface Claim {
  readonly queues: readonly string[];
  readonly max: number;
  readonly waitMs: number;
  readonly worker: string;
  /** The service that started the process; absent: no node has. */
  readonly service?: string;
  /** The component outlives this server. */
  readonly lasting: boolean;
  /** It works on them one after the other: see the ledger's `Claim`. */
  readonly inTurn?: boolean;
}

export interface Claimed {
  readonly work: readonly Assignment[];
  /** Transfers wait for a slot, which may become free at another server. */
  readonly waits?: boolean;
  /** To be called when the answer did not reach the component. */
  giveBack(): void;
}

/** Sub-jobs that a component asks for at a time when it does each within some 50 ms. */
const MANY = 8;

/** Time between two looks for slots that became free at another server. */
const SLOT_LOOK_MS = 1_000;

const NOTHING: Claimed = { work: [], giveBack() {} };

/** Where components claim work: between the worker protocol, the dispatcher and the jobs. Answers go to its intake. */
export class WorkerGateway {
  readonly #deps: WorkerGatewayDeps;
  /** Where answers to sub-jobs arrive. */
  readonly intake: Intake;
  #closed = false;
  /** The last claim for media work was given frames. */
  #gaveFrames = false;

  constructor(deps: WorkerGatewayDeps) {
    this.#deps = deps;
    this.intake = new Intake({
      ...deps,
      streams: { acceptFailure: (lease, failure) => deps.streams.intake.acceptFailure(lease, failure) },
    });
  }

  /** From now on nobody is given any more work. */
  close(): void {
    this.#closed = true;
  }

  /**
   * Waits for work up to `waitMs`; whoever hung up (`gone`) gets none. While many jobs come in, these are taken in first: there is more
   * work then to be handed out at a time, to those who take many.
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
        // Who is still there asks again, and is given work then.
        if (gone.aborted || isSilent(claim.worker, clock.steady() - began)) return NOTHING;
        // Who was woken for work that is not for him any more wakes the next one as he leaves.
        if (this.#open(claim).length < queues.length) return this.#inVain(claim);
        // What is offered while we look wakes us.
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
   * Each stream has a process of its own, which is told to end when its stream ends. That word is lost when this server or its node is
   * away just then, and nobody says it when the stream was cancelled before its process came for it. Where a registered component
   * has the algorithm, there is nothing to do for processes of the installed one.
   */
  #inVain(claim: Claim): Claimed {
    if (this.#open(claim).every(isStreamQueue)) this.#deps.rest(claim.worker);
    return NOTHING;
  }

  /** The queues that the worker may be given work of now: the catalog may have changed while it waited. */
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
      // Nobody would work on them until their leases run out, and whoever claimed them would be ended for that.
      giveBack();
      throw error;
    }
  }

  /**
   * Frames come before the media work of all jobs, whatever its priority. After each claim that was given frames the next one is given work
   * of jobs, if there is any: a client that asks for frames without pause keeps no job waiting for ever.
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

  /** The lines that a document is written from, or the tracks that a sub-job is fed; undefined when the lease is lost or needs none. */
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

  /** Undefined: nobody can do it. */
  async #assignmentOf(lease: Lease, besideServer: boolean): Promise<Assignment | undefined> {
    try {
      const assignment = await this.#readAssignment(lease, besideServer);
      if (assignment === undefined) await this.intake.settlement.end(lease.token);
      return assignment;
    } catch (error) {
      if (error instanceof UnreadableSubJob) return this.#unreadable(lease, error);
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      // It is gone for good (a restored backup has no spool): whoever came for it next would be turned away as well.
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

  /** Its job hears of it: it fails, or the job as a whole cannot be read and goes into quarantine. Others have their work all the same. */
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
