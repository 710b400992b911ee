import {
  changesSince,
  commitAfter,
  newCommitId,
  rowsOfCommit,
  VersionConflict,
  type Committed,
  type Owner,
  type Store,
} from '../../store/store.ts';
import { TimeSlices } from '../basics/time-slices.ts';
import { Draft, PeopleState, type RowChanges } from './state.ts';

const ACTOR = { kind: 'people', id: 'all' } as const;
const SCHEMA = 1;
/** Number of attempts. Each attempt fails if another server changes people at the same time. */
const MOST_TRIES = 100;
/** Maximum pause between two attempts. */
const PAUSE_MS = 50;

/**
 * Stored people: one actor for all, so that each change is atomic and based on the newest state, whichever server makes it. The state stays
 * in memory after its first use.
 */
export class StoredPeople {
  readonly #store: Store;
  readonly #writer: Owner;
  #state = new PeopleState();
  /** The commit that the state reflects. Undefined if nothing was read yet. */
  #seen: Committed | undefined;
  /** Serializes reads and changes. */
  #turns: Promise<unknown> = Promise.resolve();

  constructor(store: Store, writer: Owner) {
    this.#store = store;
    this.#writer = writer;
  }

  /** Reads the current state. The reader must not keep it. */
  read<T>(look: (state: PeopleState) => T): Promise<T> {
    return this.#inTurn(async () => {
      await this.#refresh();
      return look(this.#state);
    });
  }

  /** True if no face was ever grouped. It does not load the people. */
  async isEmpty(): Promise<boolean> {
    return this.#seen === undefined && (await this.#store.load(ACTOR)) === undefined;
  }

  /** Changes the stored state and returns the result of `make`. If another server was faster, `make` is called again. */
  change<T>(make: (draft: Draft) => T | Promise<T>): Promise<T> {
    return this.#inTurn(async () => {
      for (let tries = 1; ; tries++) {
        await this.#refresh();
        try {
          return await this.#attempt(make);
        } catch (error) {
          if (!(error instanceof VersionConflict) || tries === MOST_TRIES) throw error;
          await pause(Math.random() * PAUSE_MS);
        }
      }
    });
  }

  async #attempt<T>(make: (draft: Draft) => T | Promise<T>): Promise<T> {
    const draft = new Draft(this.#state);
    let made: T;
    let changes: RowChanges;
    try {
      made = await make(draft);
    } finally {
      changes = draft.end();
    }
    if (changes.putRows.length + changes.removeRows.length > 0) await this.#commit(changes);
    return made;
  }

  async #commit(changes: RowChanges): Promise<void> {
    const id = newCommitId();
    const isNew = this.#seen!.version === 0;
    let version: number;
    try {
      version = await this.#store.commit({
        ...{ actor: ACTOR, ...commitAfter(this.#seen), id, owner: this.#writer },
        ...(isNew ? { record: {} } : {}),
        snapshot: { schema: SCHEMA, body: {} },
        ...changes,
        synced: true,
      });
    } catch (error) {
      // Unless the commit was refused, it may or may not have been written.
      if (!(error instanceof VersionConflict)) this.#seen = undefined;
      throw error;
    }
    for (const key of changes.removeRows) this.#state.set(key, undefined);
    for (const { key, body } of changes.putRows) this.#state.set(key, body);
    this.#seen = { version, commit: id };
  }

  /** Reads the changes of other servers. Does nothing more if no other server shares the store. */
  async #refresh(): Promise<void> {
    if (this.#seen === undefined) return this.#load();
    if (!this.#store.shared) return;
    if (this.#seen.version === 0) return this.#load();
    const since = await changesSince(this.#store, ACTOR, this.#seen);
    if (since === 'nothing') return;
    if (since === 'unknown') return this.#load();
    for (const { key, body } of since.rows) this.#state.set(key, body);
    this.#seen = { version: since.version, commit: since.commit };
  }

  /** Repeats until all parts were read at the same version. */
  async #load(): Promise<void> {
    for (;;) {
      const { version, commit, snapshot } = (await this.#store.load(ACTOR)) ?? NOBODY;
      if (snapshot.schema > SCHEMA)
        throw new Error(`People are stored by a newer version of Troupe (schema ${snapshot.schema}).`);
      const seen = { version, commit };
      const rows = await rowsOfCommit(this.#store, ACTOR, '', seen);
      if (rows === undefined) continue;
      const state = new PeopleState();
      await new TimeSlices().map(rows, ({ key, body }) => state.set(key, body));
      this.#state = state;
      this.#seen = seen;
      return;
    }
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#turns.then(work);
    this.#turns = turn.catch(() => undefined);
    return turn;
  }
}

const NOBODY = { version: 0, commit: '', snapshot: { schema: 0 } };

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
