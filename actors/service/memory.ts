import { z } from 'zod';
import type { Logger } from '../../config/logger.ts';
import { VersionConflict, type ActorKey, type Owner, type Store } from '../../store/store.ts';
import { memoryOf, NEW_SERVICE, fromMemory, type ServiceMemory, type ServiceState } from './state.ts';

const SCHEMA = 1;
const memorySchema = z.object({ restartCount: z.int().nonnegative(), stopped: z.boolean() });

/** The stored state of a service. Best effort: if it cannot be stored, the service still runs. */
export interface KeptMemory {
  /** The initial state of a service. */
  load(): Promise<ServiceState>;
  keep(state: ServiceState): Promise<void>;
}
export type MemoryOf = (service: string) => KeptMemory;

/** The state of a service that survives a restart of the server. If it cannot be stored, the service still runs. */
export class StoredMemory implements KeptMemory {
  readonly #store: Store;
  readonly #owner: Owner;
  readonly #actor: ActorKey;
  readonly #logger: Logger;
  #version = 0;
  #kept: ServiceMemory = memoryOf(NEW_SERVICE);

  constructor(store: Store, owner: Owner, actor: ActorKey, logger: Logger) {
    this.#store = store;
    this.#owner = owner;
    this.#actor = actor;
    this.#logger = logger;
  }

  /** The initial state of a service. */
  async load(): Promise<ServiceState> {
    try {
      const stored = await this.#store.load(this.#actor);
      this.#version = stored?.version ?? 0;
      if (stored !== undefined && stored.snapshot.schema <= SCHEMA)
        this.#kept = memorySchema.parse(stored.snapshot.body);
    } catch (error) {
      this.#logger.warn(
        { err: error, service: this.#actor.id },
        'the stored state of a service cannot be read',
      );
    }
    return fromMemory(this.#kept);
  }

  async keep(state: ServiceState): Promise<void> {
    const wanted = memoryOf(state);
    if (wanted.restartCount === this.#kept.restartCount && wanted.stopped === this.#kept.stopped) return;
    try {
      await this.#commit(wanted).catch(async (error: unknown) => {
        if (!(error instanceof VersionConflict)) throw error;
        // A store that has lost its last commits has an earlier version, or none.
        this.#version = (await this.#store.load(this.#actor))?.version ?? 0;
        await this.#commit(wanted);
      });
      this.#kept = wanted;
    } catch (error) {
      this.#logger.warn({ err: error, service: this.#actor.id }, 'the state of a service cannot be stored');
    }
  }

  async #commit(wanted: ServiceMemory): Promise<void> {
    this.#version = await this.#store.commit({
      actor: this.#actor,
      expected: this.#version,
      owner: this.#owner,
      snapshot: { schema: SCHEMA, body: wanted },
      ...(this.#version === 0 ? { record: { service: this.#actor.id } } : {}),
    });
  }
}
