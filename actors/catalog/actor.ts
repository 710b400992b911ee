import type { Logger } from '../../config/logger.ts';
import type { Owner, Store } from '../../store/store.ts';
import { loadDurable } from '../runtime/durable.ts';
import type { DurableKind } from '../runtime/durable-kind.ts';
import { NewerSchema } from '../runtime/load-actor.ts';
import { DeliveryError } from '../basics/errors.ts';
import { commandsOf, decide } from '../runtime/machine.ts';
import { DEFAULT_INTENSITY } from '../runtime/supervision.ts';
import type { ActorKind, Family } from '../runtime/system.ts';
import type { CatalogCommand } from './commands.ts';
import type { Descriptor } from './descriptors/descriptor.ts';
import { CATALOG_SCHEMA, catalogSnapshotSchema, restore, toSnapshot } from './snapshot.ts';
import type { CatalogState } from './state.ts';
import { CATALOG_MACHINE, type CatalogLimits, type CatalogReply, type CatalogTypes } from './transitions.ts';

/** Kind and id of the one catalog. */
export const CATALOG = 'catalog';

export interface CatalogDeps {
  readonly store: Store;
  readonly owner: Owner;
  readonly logger: Logger;
  readonly limits: CatalogLimits;
  /** Publishes a state to all readers of the catalog. */
  publish(state: CatalogState): void;
  /** Offers waiting work again. */
  announce(): void;
}

interface CatalogRecord {
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
}

/** Changes of the catalog go through this actor; readers use the last published state. */
export function catalogKind(deps: CatalogDeps): ActorKind<CatalogCommand, CatalogReply> {
  const durable = durableCatalog(deps);
  return {
    name: CATALOG,
    accepts: commandsOf(CATALOG_MACHINE),
    mailbox: 1_000,
    intensity: DEFAULT_INTENSITY,
    load: (id) => loadDurable(durable, deps.store, deps.owner, id),
  };
}

function durableCatalog(deps: CatalogDeps): DurableKind<CatalogRecord, CatalogTypes> {
  return {
    kind: CATALOG,
    schema: CATALOG_SCHEMA,
    rowsOf: () => '',
    restore(_, body, rows) {
      catalogSnapshotSchema.parse(body);
      return restore(rows);
    },
    snapshot: (_, state) => toSnapshot(state),
    decide: (_, state, { command }) => decide(CATALOG_MACHINE, state, command, deps.limits),
    newRecord: (createdAt) => ({ createdAt }),
    recover: () => [{ type: 'publish' }],
    perform(_, state, effects) {
      for (const effect of effects) {
        if (effect.type === 'publish') deps.publish(state);
        else if (effect.type === 'announce') deps.announce();
        else deps.logger.error(effect.facts, effect.message);
      }
      return Promise.resolve();
    },
  };
}

/**
 * Loads the catalog at the start of a server and updates the managed components to the installed ones. If the catalog cannot be read,
 * it moves to quarantine and the server starts with an empty one.
 * @param besides true if other servers may have more components installed
 */
export async function openCatalog(
  catalog: Family<CatalogCommand, CatalogReply>,
  descriptors: readonly Descriptor[],
  logger: Logger,
  besides = false,
): Promise<void> {
  const open = () => catalog.ask(CATALOG, { type: 'install', descriptors, besides });
  try {
    await open();
  } catch (error) {
    const cause = error instanceof DeliveryError ? error.cause : error;
    if (cause instanceof NewerSchema) throw cause;
    logger.error({ err: cause }, 'the catalog could not be loaded; trying once more');
    await open();
  }
}
