import { createHash } from 'node:crypto';
import { allEntries, VersionConflict, type Owner, type Store } from '../../store/store.ts';

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

/** Which job an Idempotency-Key stands for: reserved before the job is stored, so that a repeated request finds it whatever happens. */
export class Repeats {
  readonly #store: Store;
  readonly #owner: Owner;
  constructor(store: Store, owner: Owner) {
    this.#store = store;
    this.#owner = owner;
  }

  /** The number of the job of this key; `conflict`: the key was used for another request. */
  async find(repeatable: Repeatable): Promise<number | 'conflict' | undefined> {
    const stored = await this.#store.load({ kind: KIND, id: idOf(repeatable) });
    if (stored === undefined) return undefined;
    const { jobNumber, requestHash } = stored.record as Kept;
    return requestHash === repeatable.requestHash ? jobNumber : 'conflict';
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
      return (await this.find(repeatable)) ?? this.reserve(repeatable, jobNumber, at);
    }
  }

  /** Forgets keys that were first used before `before`. */
  async forget(before: number): Promise<void> {
    for await (const { id, score } of allEntries(this.#store, KEYS)) {
      if (score >= before) return;
      const actor = { kind: KIND, id };
      await this.#store
        .commit({ actor, expected: 1, owner: this.#owner, snapshot: null })
        .catch(() => undefined);
    }
  }
}

const idOf = ({ user, key }: Repeatable) =>
  createHash('sha256')
    .update(JSON.stringify([user, key]))
    .digest('hex');
