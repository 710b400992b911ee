import type { Logger } from '../../config/logger.ts';
import { commitAfter, type Owner, type Store } from '../../store/store.ts';
import type { Clock } from '../basics/clock.ts';
import { loadDurable } from '../runtime/durable.ts';
import type { DurableKind } from '../runtime/durable-kind.ts';
import { commandsOf, decide } from '../runtime/machine.ts';
import type { ActorKind } from '../runtime/system.ts';
import type { StreamingJobCommand } from './commands.ts';
import type { StreamingJobReply, StreamingJobRules, StreamingJobTypes } from './context.ts';
import type { StreamingJobEffect } from './effects.ts';
import { indexesOf } from './indexes.ts';
import { STREAMING_JOB, isEnded, type StreamingJobRecord, type StreamingJobState } from './state.ts';
import { recoverStreamingJob, STREAMING_JOB_MACHINE } from './transitions.ts';
import { streamItem } from './work.ts';

export interface StreamingJobDeps {
  readonly store: Store;
  readonly owner: Owner;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly mailbox: number;
  readonly intensity: ActorKind<StreamingJobCommand, StreamingJobReply>['intensity'];
  readonly idleMs: number;
  readonly rules: StreamingJobRules;
  /** Posts a health report of this job alone. */
  health(record: StreamingJobRecord, state: StreamingJobState): void;
  /** Posts the same report to the address for stalls. */
  onStall(record: StreamingJobRecord, state: StreamingJobState): void;
  /** Posts pending segment reports and moves them to their folder. */
  publish(record: StreamingJobRecord, state: StreamingJobState): Promise<void>;
  errorReport(record: StreamingJobRecord, state: StreamingJobState, message: string): Promise<void>;
  /** Informs watchers of the job about its state. */
  onChange(record: StreamingJobRecord, state: StreamingJobState): void;
  onEnd(record: StreamingJobRecord, state: StreamingJobState): void;
  /** Wakes the sender of notices for these destinations. */
  deliver(destinations: readonly string[]): void;
  /** Returns false if some files remain. */
  removeFiles(record: StreamingJobRecord): Promise<boolean>;
  tell(number: number, command: StreamingJobCommand): void;
}

/** The newest schema, and the schema that older servers can read, which know only one action. */
export const STREAMING_SCHEMA = 2;
const WITH_ONE_ACTION = 1;

const schemaOf = ({ hasActions }: StreamingJobState): number =>
  hasActions === undefined ? WITH_ONE_ACTION : STREAMING_SCHEMA;

export function streamingJobKind(deps: StreamingJobDeps): ActorKind<StreamingJobCommand, StreamingJobReply> {
  const durable = durableStreamingJob(deps);
  return {
    name: STREAMING_JOB,
    accepts: commandsOf(STREAMING_JOB_MACHINE),
    mailbox: deps.mailbox,
    intensity: deps.intensity,
    idleMs: deps.idleMs,
    load: (id) => loadDurable(durable, deps.store, deps.owner, id, undefined, deps.clock),
    onEscalation: (id, error) =>
      endPoisoned(deps, id, error).catch((err: unknown) =>
        deps.logger.error({ err, job: id }, 'could not end a streaming job that fails again and again'),
      ),
  };
}

function durableStreamingJob(deps: StreamingJobDeps): DurableKind<StreamingJobRecord, StreamingJobTypes> {
  return {
    kind: STREAMING_JOB,
    schema: STREAMING_SCHEMA,
    schemaOf,
    rowsOf: () => undefined,
    restore: (_, body) => body as StreamingJobState,
    snapshot: (_, state) => state,
    decide(known, state, { command, at }) {
      const record = known ?? (command.type === 'create' ? command.record : undefined);
      // Without a record there is no job, and no transition reads the record.
      const context = { at, record: record as StreamingJobRecord, rules: deps.rules };
      return decide(STREAMING_JOB_MACHINE, state, command, context);
    },
    recover: recoverStreamingJob,
    perform: (record, state, effects) => perform(deps, record, state, effects),
    status: ({ status }) => status,
  };
}

async function perform(
  deps: StreamingJobDeps,
  record: StreamingJobRecord,
  state: StreamingJobState,
  effects: readonly StreamingJobEffect[],
): Promise<void> {
  for (const effect of effects) if ((await carryOut(deps, record, state, effect)) === 'stop') return;
}

/** Returns `stop` if the next effects must not be performed now. */
async function carryOut(
  deps: StreamingJobDeps,
  record: StreamingJobRecord,
  state: StreamingJobState,
  effect: StreamingJobEffect,
): Promise<'stop' | void> {
  const { number } = record;
  switch (effect.type) {
    case 'offer':
      return deps.store.work.offer([streamItem(record, state)]);
    case 'withdraw':
      return deps.store.work.withdraw([streamItem(record, state)]);
    case 'retryAt': {
      const wait = Math.max(0, effect.at - deps.clock.now());
      deps.clock.after(wait, () => deps.tell(number, { type: 'retry', attempt: state.attempt }));
      return;
    }
    case 'health':
      return deps.health(record, state);
    case 'stallReport':
      return deps.onStall(record, state);
    case 'publish':
      return deps.publish(record, state);
    case 'errorReport':
      return deps.errorReport(record, state, effect.message);
    case 'changed':
      return deps.onChange(record, state);
    case 'deliver':
      return deps.deliver(effect.destinations);
    case 'ended':
      return deps.onEnd(record, state);
    case 'removeFiles':
      // A deleted job keeps its mark until its files are deleted. The next start tries again.
      return (await deps.removeFiles(record)) ? undefined : 'stop';
    case 'forget':
      return deps.tell(number, { type: 'forget' });
  }
}

/** Ends a job whose actor fails repeatedly with ERROR. The commit is minimal, so that the job does not affect others. */
async function endPoisoned(deps: StreamingJobDeps, id: string, error: unknown): Promise<void> {
  const { store, owner, clock } = deps;
  const actor = { kind: STREAMING_JOB, id };
  const stored = await store.load(actor);
  if (stored === undefined || stored.snapshot.schema > STREAMING_SCHEMA) return;
  const body = stored.snapshot.body as { readonly state: StreamingJobState; readonly seen: unknown };
  const record = stored.record as StreamingJobRecord;
  if (isEnded(body.state.status)) return;
  const reason = error instanceof Error ? error.message : String(error);
  const state: StreamingJobState = {
    ...body.state,
    status: 'ERROR',
    detail: `Unexpected error. The job was ended because it failed again and again: ${reason}`,
    endedAt: clock.now(),
    retryAt: null,
  };
  await store.commit({
    actor,
    ...commitAfter(stored),
    owner,
    snapshot: { schema: schemaOf(state), body: { ...body, state } },
    index: indexesOf(record, state),
    work: { clear: true },
  });
  deps.health(record, state);
  deps.onChange(record, state);
  deps.onEnd(record, state);
}
