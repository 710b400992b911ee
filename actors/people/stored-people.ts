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
/** Another server may change people between two looks of this one, so often in a row. */
const MOST_TRIES = 100;
/** Between two tries, at most. */
const PAUSE_MS = 50;

/**
 * Stored people: one actor for all, so that each change is atomic and based on the newest state, whichever server makes it. It is in memory
 * from its first use on.
 */
export class StoredPeople {
  readonly #store: Store;
  readonly #writer: Owner;
  #state = new PeopleState();
  /** What the state shows; undefined: nothing was read yet. */
  #seen: Committed | undefined;
  /** One after the other. */
  #turns: Promise<unknown> = Promise.resolve();

  constructor(store: Store, writer: Owner) {
    this.#store = store;
    this.#writer = writer;
  }

  /** As they are now. The reader must not keep the state. */
  read<T>(look: (state: PeopleState) => T): Promise<T> {
    return this.#inTurn(async () => {
      await this.#refresh();
      return look(this.#state);
    });
  }

  /** Whether there was ever somebody; it does not read them all. */
  async isEmpty(): Promise<boolean> {
    return this.#seen === undefined && (await this.#store.load(ACTOR)) === undefined;
  }

  /** Makes a change of what is stored now, and answers what `make` has answered. It is called again when another server was faster. */
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
      // Whether it was written is not known, unless it was refused.
      if (!(error instanceof VersionConflict)) this.#seen = undefined;
      throw error;
    }
    for (const key of changes.removeRows) this.#state.set(key, undefined);
    for (const { key, body } of changes.putRows) this.#state.set(key, body);
    this.#seen = { version, commit: id };
  }

  /** Nobody else writes when no other server shares the store. */
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

  /** Until what was read is of one moment. */
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
