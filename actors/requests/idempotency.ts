import { createHash } from 'node:crypto';
import {
  allEntries,
  commitAfter,
  VersionConflict,
  type Owner,
  type Store,
  type StoredActor,
} from '../../store/store.ts';
import type { Accepted } from './submission.ts';

/** A creation that a client may repeat: who, under which key, and what exactly was asked. */
export interface Repeatable {
  readonly user: string;
  /** The client's Idempotency-Key. */
  readonly key: string;
  /** Of the request's body: another body under the same key is a mistake of the client. */
  readonly requestHash: string;
}

const KIND = 'idempotency-key';
/** Keys by the time of their first use. */
const KEYS = 'idempotency-keys';
const SCHEMA = 1;

interface Kept {
  readonly jobNumber: number;
  readonly requestHash: string;
}

/** What an Idempotency-Key stands for. */
export interface Repeat {
  readonly jobNumber: number;
  /** What the first request was answered; absent: nobody knows whether it came to an answer. */
  readonly answer?: Accepted;
}

/**
 * The job of an Idempotency-Key: reserved before the job is stored, so that a repeated request always finds it. The answer is stored, too:
 * a job that was deleted meanwhile is not created a second time under its id.
 */
export class Repeats {
  readonly #store: Store;
  readonly #owner: Owner;
  constructor(store: Store, owner: Owner) {
    this.#store = store;
    this.#owner = owner;
  }

  /** `conflict`: the key was used for another request. */
  async find(repeatable: Repeatable): Promise<Repeat | 'conflict' | undefined> {
    const stored = await this.#load(idOf(repeatable));
    if (stored === undefined) return undefined;
    const { jobNumber, requestHash } = stored.record as Kept;
    if (requestHash !== repeatable.requestHash) return 'conflict';
    return { jobNumber, ...(stored.snapshot.body as Pick<Repeat, 'answer'>) };
  }

  /** Reserves the key for a job; answers the number that it stands for, which is another's when that one came first. */
  async reserve(repeatable: Repeatable, jobNumber: number, at: number): Promise<number | 'conflict'> {
    const kept: Kept = { jobNumber, requestHash: repeatable.requestHash };
    try {
      await this.#store.commit({
        actor: { kind: KIND, id: idOf(repeatable) },
        expected: 0,
        owner: this.#owner,
        snapshot: { schema: SCHEMA, body: {} },
        record: kept,
        index: { [KEYS]: at },
        synced: true,
      });
      return jobNumber;
    } catch (error) {
      if (!(error instanceof VersionConflict)) throw error;
      const first = await this.find(repeatable);
      if (first === undefined) return this.reserve(repeatable, jobNumber, at);
      return first === 'conflict' ? first : first.jobNumber;
    }
  }

  /** Every repeated request is answered so from now on. */
  async keep(repeatable: Repeatable, answer: Accepted): Promise<void> {
    const id = idOf(repeatable);
    const stored = await this.#load(id);
    if (stored === undefined) return;
    await this.#store.commit({
      actor: { kind: KIND, id },
      ...commitAfter(stored),
      owner: this.#owner,
      snapshot: { schema: SCHEMA, body: { answer } },
    });
  }

  /** Forgets keys that were first used before `before`. */
  async forget(before: number): Promise<void> {
    for await (const { id, score } of allEntries(this.#store, KEYS)) {
      if (score >= before) return;
      const stored = await this.#load(id);
      if (stored === undefined) continue;
      const actor = { kind: KIND, id };
      await this.#store
        .commit({ actor, ...commitAfter(stored), owner: this.#owner, snapshot: null })
        .catch(() => undefined);
    }
  }

  #load(id: string): Promise<StoredActor | undefined> {
    return this.#store.load({ kind: KIND, id });
  }
}

const idOf = ({ user, key }: Repeatable) =>
  createHash('sha256')
    .update(JSON.stringify([user, key]))
    .digest('hex');
