import type { Owner, Store } from '../../store/store.ts';
import { loadDurable } from '../runtime/durable.ts';
import type { DurableKind } from '../runtime/durable-kind.ts';
import { commandsOf, decide } from '../runtime/machine.ts';
import { DEFAULT_INTENSITY } from '../runtime/supervision.ts';
import type { ActorKind } from '../runtime/system.ts';
import {
  ROW_PREFIX,
  rowKey,
  storedPause,
  type Pause,
  type PausesCommand,
  type PausesReply,
  type PausesTypes,
} from './model.ts';
import { applyPauses, PAUSES_MACHINE } from './transitions.ts';

/** Name of the only actor of this kind, and of the kind. */
export const PAUSES = 'pauses';
const SCHEMA = 1;

export interface PausesDeps {
  readonly store: Store;
  readonly owner: Owner;
  /** Makes exactly these pauses effective. */
  apply(pauses: readonly Pause[]): void;
}

/** The pauses of operators, for all servers of a store. */
export function pausesKind(deps: PausesDeps): ActorKind<PausesCommand, PausesReply> {
  const durable = durablePauses(deps);
  return {
    name: PAUSES,
    accepts: commandsOf(PAUSES_MACHINE),
    mailbox: 1_000,
    intensity: DEFAULT_INTENSITY,
    load: (id) => loadDurable(durable, deps.store, deps.owner, id),
  };
}

/** The whole state is in the rows. */
function durablePauses({ apply }: PausesDeps): DurableKind<object, PausesTypes> {
  return {
    kind: PAUSES,
    schema: SCHEMA,
    rowsOf: () => ROW_PREFIX,
    restore: (_record, _body, rows) => ({
      pauses: new Map(rows.map(({ body }) => storedPause.parse(body)).map((pause) => [rowKey(pause), pause])),
    }),
    snapshot: () => ({}),
    decide: (_, state, { command, at }) => decide(PAUSES_MACHINE, state, command, { at }),
    newRecord: () => ({}),
    recover: applyPauses,
    perform(_record, _state, effects) {
      for (const { pauses } of effects) apply(pauses);
      return Promise.resolve();
    },
  };
}
