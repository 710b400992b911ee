import type { Logger } from '../../config/logger.ts';
import type { Owner, Store } from '../../store/store.ts';
import { loadDurable, NewerSchema, type DurableKind } from '../runtime/durable.ts';
import { DeliveryError } from '../runtime/errors.ts';
import { DEFAULT_INTENSITY } from '../runtime/supervision.ts';
import type { ActorKind, Envelope, Family } from '../runtime/system.ts';
import { CATALOG_COMMANDS, type CatalogCommand, type CatalogReply } from './commands.ts';
import type { Descriptor } from './descriptor.ts';
import type { CatalogEffect } from './effects.ts';
import { CATALOG_SCHEMA, catalogSnapshotSchema, restore, toSnapshot } from './snapshot.ts';
import { EMPTY_CATALOG, rowChanges, type CatalogState } from './state.ts';
import { decide, type CatalogLimits } from './transitions.ts';

/** Kind and id of the one catalog. */
export const CATALOG = 'catalog';

export interface CatalogDeps {
  readonly store: Store;
  readonly owner: Owner;
  readonly logger: Logger;
  readonly mailbox: number;
  readonly limits: CatalogLimits;
  /** Shows a state to all who look names up. */
  publish(state: CatalogState): void;
}

interface CatalogRecord {
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
}

/** Who changes the catalog asks this actor; who reads it looks at what was published last. */
export function catalogKind(deps: CatalogDeps): ActorKind<CatalogCommand, CatalogReply> {
  const durable = durableCatalog(deps);
  return {
    name: CATALOG,
    accepts: CATALOG_COMMANDS,
    mailbox: deps.mailbox,
    intensity: DEFAULT_INTENSITY,
    load: (id) => loadDurable(durable, deps.store, deps.owner, id),
  };
}

function durableCatalog(
  deps: CatalogDeps,
): DurableKind<CatalogRecord, CatalogState, CatalogCommand, CatalogReply, CatalogEffect> {
  return {
    kind: CATALOG,
    schema: CATALOG_SCHEMA,
    upcasters: {},
    rowsOf: () => '',
    restore(_, body, rows) {
      catalogSnapshotSchema.parse(body);
      return restore(rows);
    },
    snapshot: (_, state) => toSnapshot(state),
    decide: (record, state, envelope) => toDecision(record, state ?? EMPTY_CATALOG, envelope, deps.limits),
    recover: () => [{ type: 'publish' }],
    perform(_, state, effects) {
      for (const effect of effects) {
        if (effect.type === 'publish') deps.publish(state);
        else deps.logger.error(effect.facts, effect.message);
      }
      return Promise.resolve();
    },
  };
}

/** What a client was told is stored survives the loss of power. */
function toDecision(
  record: CatalogRecord | undefined,
  before: CatalogState,
  { command, at }: Envelope<CatalogCommand>,
  limits: CatalogLimits,
) {
  const { reply, state, effects = [] } = decide(before, command, limits);
  // Also without a change: the state may have been loaded anew for this very command.
  const all: readonly CatalogEffect[] = [{ type: 'publish' }, ...effects];
  if (state === undefined) return { reply, effects: all };
  return {
    reply,
    effects: all,
    change: {
      state,
      ...rowChanges(before, state),
      synced: true,
      ...(record === undefined ? { record: { createdAt: at } } : {}),
    },
  };
}

/**
 * At the start of a server, before it answers anybody: loads the catalog and brings the managed components into line with
 * what is installed. A catalog that cannot be read is in quarantine after the first attempt; the server then starts with an empty one.
 */
export async function openCatalog(
  catalog: Family<CatalogCommand, CatalogReply>,
  descriptors: readonly Descriptor[],
  logger: Logger,
): Promise<void> {
  const open = () => catalog.ask(CATALOG, { type: 'install', descriptors });
  try {
    await open();
  } catch (error) {
    const cause = error instanceof DeliveryError ? error.cause : error;
    if (cause instanceof NewerSchema) throw cause;
    logger.error({ err: cause }, 'the catalog could not be loaded; trying once more');
    await open();
  }
}
