import type { Logger } from '../../config/logger.ts';
import type { Commit, Owner, Row, Store } from '../../store/store.ts';
import { assertNever } from '../basics/assert-never.ts';
import type { Clock } from '../basics/clock.ts';
import { loadDurable } from '../runtime/durable.ts';
import type { DurableKind } from '../runtime/durable-kind.ts';
import { commandsOf, decide } from '../runtime/machine.ts';
import { DEFAULT_INTENSITY } from '../runtime/supervision.ts';
import type { ActorKind } from '../runtime/system.ts';
import {
  ALL_OPERATIONS,
  ENDED_OPERATIONS,
  isEnded,
  LIVE_OPERATIONS,
  OPERATION,
  OPERATION_SCHEMA,
  operationSchema,
  type OperationCommand,
  type OperationRecord,
  type OperationReply,
  type OperationState,
  type OperationTypes,
} from './state.ts';
import { OPERATION_MACHINE, recoverOperation } from './transitions.ts';

export interface OperationDeps {
  readonly store: Store;
  readonly owner: Owner;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly idleMs: number;
  /** Asks the runner to run the operation, or to stop it. */
  drive(number: number): void;
  stop(number: number): void;
}

const MAILBOX = 1_000;

export function operationKind(deps: OperationDeps): ActorKind<OperationCommand, OperationReply> {
  const durable = durableOperation(deps);
  return {
    name: OPERATION,
    accepts: commandsOf(OPERATION_MACHINE),
    mailbox: MAILBOX,
    intensity: DEFAULT_INTENSITY,
    idleMs: deps.idleMs,
    load: (id) => loadDurable(durable, deps.store, deps.owner, id, undefined, deps.clock),
  };
}

function durableOperation(deps: OperationDeps): DurableKind<OperationRecord, OperationTypes> {
  return {
    kind: OPERATION,
    schema: OPERATION_SCHEMA,
    // The runner reads the numbers of jobs itself, one row at a time.
    rowsOf: () => undefined,
    restore: (_record, body, _rows: readonly Row[]) => operationSchema.parse(body),
    snapshot: (_record, state) => state,
    decide(record, state, { command, at }) {
      const decision = decide(OPERATION_MACHINE, state, command, { at });
      const number = record?.number ?? (command.type === 'start' ? command.record.number : 0);
      const { state: next, gone } = decision;
      return next === undefined || gone === true ? decision : { ...decision, index: indexOf(number, next) };
    },
    recover: recoverOperation,
    perform: (record, state, effects) => perform(deps, record, state, effects),
    status: ({ status }) => status,
  };
}

/** An operation whose job ids have not all arrived is in no index. */
function indexOf(number: number, { status, endedAt }: OperationState): NonNullable<Commit['index']> {
  if (isEnded(status))
    return { [LIVE_OPERATIONS]: null, [ALL_OPERATIONS]: number, [ENDED_OPERATIONS]: endedAt ?? 0 };
  return { [LIVE_OPERATIONS]: number, ...(status === 'RECEIVING' ? {} : { [ALL_OPERATIONS]: number }) };
}

function perform(
  { drive, stop, logger }: OperationDeps,
  { number, action, startedBy, dryRun }: OperationRecord,
  { status, matched, done, refused, message }: OperationState,
  effects: readonly OperationTypes['effect'][],
): Promise<void> {
  for (const { type } of effects)
    switch (type) {
      case 'drive':
        drive(number);
        break;
      case 'stop':
        stop(number);
        break;
      case 'ended':
        logger.info(
          {
            operation: number,
            action: action.type,
            by: startedBy.name,
            dryRun,
            status,
            matched,
            done,
            refused,
            reason: message,
          },
          'an operation has ended',
        );
        break;
      default:
        assertNever(type);
    }
  return Promise.resolve();
}
