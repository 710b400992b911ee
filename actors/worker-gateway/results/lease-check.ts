/** Checks whether a component may answer a sub-job, and the state of the sub-job. */
import {
  ACCEPTED,
  BROKEN,
  DIFFERS,
  LOST,
  WATCHES_A_STREAM,
  type AnswerOutcome,
} from '../../../protocol/answer-outcome.ts';
import type { FailureRequest } from '../../../protocol/coded-error.ts';
import { isViewKind } from '../../../protocol/worker-protocol.ts';
import type { Lease } from '../../../store/ledger.ts';
import type { Store } from '../../../store/store.ts';
import { rowOf } from '../leases/assignments.ts';
import { digestOf, type Held, type SentAnswer } from './sent-answer.ts';

export interface LeaseCheckDeps {
  readonly store: Store;
  /** Accepts failures of components that watch live streams. */
  readonly streams: { acceptFailure(lease: Lease, failure: FailureRequest): Promise<AnswerOutcome> };
  /** Accepts created frames. */
  readonly frames: { acceptAnswer(lease: Lease, failure?: FailureRequest): Promise<AnswerOutcome> };
}

export class LeaseCheck {
  readonly #deps: LeaseCheckDeps;

  constructor(deps: LeaseCheckDeps) {
    this.#deps = deps;
  }

  /**
   * Returns the lease and row of an answer. A repeated answer gets the reply of the first. Work on a live stream or a frame belongs to no
   * job.
   */
  async hold<A extends SentAnswer>(answer: A, worker: string): Promise<Held<A> | AnswerOutcome> {
    const { store, streams, frames } = this.#deps;
    const { token, failure } = answer;
    const lease = await store.work.look(token, worker);
    if (lease === 'settled') return this.#repeat(answer);
    if (lease === 'lost') return LOST;
    if (lease.item.kind === 'STREAM')
      return failure === undefined ? WATCHES_A_STREAM : streams.acceptFailure(lease, failure);
    if (isViewKind(lease.item.kind)) {
      answer.body?.resume();
      return frames.acceptAnswer(lease, failure);
    }
    const row = await rowOf(store, lease.item);
    if (row === undefined) return this.#end(token);
    // The answer is committed, but its lease has not ended yet, so this is a repeated answer.
    return row.token === token ? this.#repeat(answer) : { answer, lease, row };
  }

  /** Accepts a repeated answer only if it equals the first one. */
  async #repeat(answer: SentAnswer): Promise<AnswerOutcome> {
    const digest = await digestOf(answer);
    if (digest === undefined) return BROKEN;
    const first = await this.#deps.store.work.answerOf(answer.token);
    return (first ?? digest) === digest ? ACCEPTED : DIFFERS;
  }

  /** Ends a lease whose sub-job does not exist any more. */
  async #end(token: string): Promise<AnswerOutcome> {
    await this.#deps.store.work.forget(token);
    return LOST;
  }
}
