/** Reports a part of a live stream to the work ledger and the job. */
import { LOST, type StreamOutcome } from '../../../protocol/answer-outcome.ts';
import type { Lease } from '../../../store/ledger.ts';
import type { Store } from '../../../store/store.ts';
import type { Family } from '../../runtime/system.ts';
import type { StreamingJobCommand } from '../../streaming-job/commands.ts';
import type { StreamingJobReply } from '../../streaming-job/context.ts';
import type { LiveStreams } from '../../streaming-job/live.ts';
import { STREAMING_JOB } from '../../streaming-job/state.ts';

/** `repeated`: the message changes nothing. `stale`: another component watches the stream. */
export type StreamReply = 'done' | 'repeated' | 'stale';

export interface StreamSettlementDeps {
  readonly store: Store;
  readonly streamingJobs: Family<StreamingJobCommand, StreamingJobReply>;
  readonly live: LiveStreams;
}

export class StreamSettlement {
  readonly #deps: StreamSettlementDeps;

  constructor(deps: StreamSettlementDeps) {
    this.#deps = deps;
  }

  /** Returns the lease of a stream. The token of another sub-job is invalid. */
  async hold(token: string, worker: string): Promise<{ readonly lease: Lease } | StreamOutcome> {
    const lease = await this.#deps.store.work.look(token, worker);
    if (lease === 'settled') return { kind: 'accepted', go: 'on' };
    return lease === 'lost' || lease.item.actor.kind !== STREAMING_JOB ? LOST : { lease };
  }

  async ask(lease: Lease, command: StreamingJobCommand): Promise<StreamReply> {
    const reply = await this.#deps.streamingJobs.ask(lease.item.actor.id, command);
    if (reply.kind === 'done') return 'done';
    // A message that changes nothing in this state of the job is no fault of the component.
    return reply.reason === 'REPEATED' || reply.reason === 'WRONG_STATE' ? 'repeated' : 'stale';
  }

  reply(lease: Lease, reply: StreamReply): Promise<StreamOutcome> {
    return reply === 'stale' ? this.end(lease.token) : this.accept(lease);
  }

  /** Returns what the component should do next. */
  async accept({ token, worker, item }: Lease): Promise<StreamOutcome> {
    const now = await this.#deps.store.work.look(token, worker);
    const go = typeof now !== 'string' && now.cancelled ? 'cancelled' : 'on';
    const wantsFrame = this.#deps.live.wantsFrame(Number(item.actor.id));
    return { kind: 'accepted', go, ...(wantsFrame ? { wantsFrame } : {}) };
  }

  /** Rejects an invalid answer. The attempt is lost. */
  async garbage(token: string, reason: string): Promise<StreamOutcome> {
    await this.#deps.store.work.reject(token, `its answer was refused: ${reason}`);
    return { kind: 'garbage', reason };
  }

  /** Ends this lease. */
  async end(token: string): Promise<StreamOutcome> {
    await this.#deps.store.work.forget(token);
    return LOST;
  }
}

export const streamNumber = ({ item }: Lease) => Number(item.actor.id);
