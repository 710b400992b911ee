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

/** A creation that a client may repeat: the user, the key and a hash of the request. */
export interface Repeatable {
  readonly user: string;
  /** The client's Idempotency-Key. */
  readonly key: string;
  /** Hash of the request body. Another body under the same key is an error of the client. */
  readonly requestHash: string;
}

const KIND = 'idempotency-key';
/** Index of keys by the time of their first use. */
const KEYS = 'idempotency-keys';
const SCHEMA = 1;

interface Kept {
  readonly jobNumber: number;
  readonly requestHash: string;
}

/** The job of an Idempotency-Key. */
export interface Repeat {
  readonly jobNumber: number;
  /** The answer to the first request. Absent if it is unknown whether that request got one. */
  readonly answer?: Accepted;
}

/**
 * Jobs by Idempotency-Key. The key is reserved before the job is stored, so that a repeated request always finds it. The answer is stored,
 * too. So a job that was deleted meanwhile is not created a second time.
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

  /** Reserves the key for a job. Returns the job number of the key, which is another one if another request was first. */
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

  /** Stores the answer. Every repeated request gets it from now on. */
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

  /** Deletes keys that were first used before `before`. */
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
