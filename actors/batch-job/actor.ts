import type { Row, Store } from '../../store/store.ts';
import { assertNever } from '../basics/assert-never.ts';
import { loadDurable } from '../runtime/durable.ts';
import type { DurableKind } from '../runtime/durable-kind.ts';
import { commandsOf, decide, type Decision } from '../runtime/machine.ts';
import type { Steps } from '../runtime/steps.ts';
import type { ActorKind, Envelope } from '../runtime/system.ts';
import { configHashAhead } from './completion/archive.ts';
import type { JobDeps } from './job-deps.ts';
import { FinishedJobCache } from './finished-job-cache.ts';
import { indexesOf, countersWithout } from './state/indexes.ts';
import type { JobCommand, JobReply } from './state/commands.ts';
import type { JobEffect } from './state/effects.ts';
import { BATCH_JOB, runPrefix } from './state/keys.ts';
import { planAhead } from './plan/plan-stages.ts';
import { destinationsOf } from './completion/notice-ids.ts';
import type { JobTypes } from './state/change.ts';
import { followRows } from './follow-job.ts';
import { restoreInSteps } from './life-cycle/fold.ts';
import { baseRunOf, type JobRecord } from './state/record.ts';
import { JOB_SCHEMA, jobSnapshotSchema, schemaOf, toSnapshot } from './state/snapshot.ts';
import { isTerminal } from './state/status.ts';
import type { JobState, SubJobRow } from './state/state.ts';
import { removeFiles, removeStrays, removeViews } from './completion/cleanup.ts';
import { recover } from './life-cycle/recovery.ts';
import { JOB_MACHINE } from './life-cycle/transitions.ts';
import { endPoisoned } from './poisoned-job.ts';
import { isInLedger, workChange, workItems } from './life-cycle/work-items.ts';

export function batchJobKind(deps: JobDeps): ActorKind<JobCommand, JobReply> {
  const ends = new FinishedJobCache(deps.owner.server);
  const durable = durableJob(deps, ends);
  return {
    name: BATCH_JOB,
    accepts: commandsOf(JOB_MACHINE),
    mailbox: deps.mailbox,
    intensity: deps.intensity,
    idleMs: deps.idleMs,
    load: (id, isNew) => {
      const owedEnd = (state: JobState) =>
        ends.isPending(Number(id), state) ? [{ type: 'ended' } as const] : [];
      const kind = {
        ...durable,
        recover: (state: JobState) => [
          ...ownDocument(deps.store, state),
          ...recover(state),
          ...owedEnd(state),
        ],
      };
      return loadDurable(kind, deps.store, deps.owner, id, deps.marks, deps.clock, isNew);
    },
    onEscalation: (id, error) =>
      endPoisoned(deps, id, error).catch((err: unknown) =>
        deps.logger.error({ err, job: id }, 'could not end a job that fails again and again'),
      ),
  };
}

/**
 * Looks for a finished document before other recovery, so that the run does not start again. A store that servers share may lose commits.
 */
const ownDocument = ({ shared }: Pick<Store, 'shared'>, { status, stage }: JobState): JobEffect[] =>
  shared && !isTerminal(status) && stage.name !== 'WAITING' ? [{ type: 'findDocument' }] : [];

function durableJob(deps: JobDeps, ends: FinishedJobCache): DurableKind<JobRecord, JobTypes> {
  return {
    kind: BATCH_JOB,
    schema: JOB_SCHEMA,
    schemaOf,
    common: ['plan', 'serverProperties'],
    rowsOf(body) {
      const job = jobSnapshotSchema.parse(body);
      return isTerminal(job.status) ? undefined : runPrefix(baseRunOf(job));
    },
    restore: (record, body, rows) =>
      restoreInSteps(
        record,
        jobSnapshotSchema.parse(body),
        rows.map((row: Row) => row.body as SubJobRow),
      ),
    follow: (record, state, body, rows) =>
      followRows(
        record,
        state,
        jobSnapshotSchema.parse(body),
        rows.map((row) => row.body as SubJobRow),
      ),
    countersWithout,
    snapshot: toSnapshot,
    ahead: workAhead,
    decide(record, state, envelope) {
      const decision = decideJob(record, state, envelope, deps);
      const { state: next, effects = [], record: created } = decision;
      const job = record ?? (created as JobRecord | undefined);
      if (job !== undefined && next !== undefined) ends.add(job.number, next, effects);
      return decision;
    },
    recover,
    perform: (record, state, effects) => perform(deps, ends, record, state, effects),
    status: ({ status }) => status,
  };
}

function workAhead(record: JobRecord, state: JobState): Steps<void> | undefined {
  const all = [configHashAhead(record, state), planAhead(record, state)].filter(
    (steps) => steps !== undefined,
  );
  return all.length === 0 ? undefined : oneAfterAnother(all);
}

function* oneAfterAnother(all: readonly Steps<void>[]): Steps<void> {
  for (const steps of all) yield* steps;
}

/** Returns the decision of the transition table, with its changes in the work ledger and in the indexes. */
function decideJob(
  known: JobRecord | undefined,
  state: JobState | undefined,
  { command, at }: Envelope<JobCommand>,
  { settings, failures }: Pick<JobDeps, 'settings' | 'failures'>,
): Decision<JobTypes> {
  const record = known ?? (command.type === 'accept' ? command.record : undefined);
  if (record === undefined) return { reply: { kind: 'refused', reason: 'NO_SUCH_JOB', status: 'UNKNOWN' } };
  const decision = decide(JOB_MACHINE, state, command, { record, at, settings });
  const { state: decided, effects = [], gone } = decision;
  if (decided === undefined) return decision;
  const next = withLimitedCauses(state, decided, failures);
  return {
    ...decision,
    state: next,
    effects: effects.filter((effect) => !isInLedger(effect)),
    work: workChange(record, state, next, decision),
    ...indexesOf(record, state, gone === true ? undefined : next),
  };
}

/** Limits the failure groups of a job, so that their number does not depend on one job. */
function withLimitedCauses(
  before: JobState | undefined,
  state: JobState,
  failures: JobDeps['failures'],
): JobState {
  const { causes } = state;
  if (causes === undefined || causes === before?.causes) return state;
  return { ...state, causes: failures.limitCauses(causes) };
}

async function perform(
  deps: JobDeps,
  ends: FinishedJobCache,
  record: JobRecord,
  state: JobState,
  effects: readonly JobEffect[],
): Promise<void> {
  for (const effect of effects)
    switch (effect.type) {
      case 'offer':
        await deps.store.work.offer(workItems(record, state, effect.rows));
        break;
      case 'cancelWork':
        await deps.store.work.withdraw(workItems(record, state, effect.rows));
        break;
      case 'offerLater':
        deps.timers.set(
          record.number,
          Math.min(...effect.rows.map(({ transfer }) => transfer?.notBefore ?? 0)),
        );
        break;
      case 'removeFiles':
        // A removed job keeps its mark until its files are deleted. The next start tries again.
        if (!(await removeRun(deps, record, state, effect)) && state.removed) return;
        break;
      case 'removeViews':
        await removeViews(deps, record, state);
        await deps.search.remove(record.number, effect.run);
        break;
      case 'removeStrays':
        await removeStrays(deps, record, state);
        break;
      case 'checkArchive':
        deps.checkArchive(record, state);
        break;
      case 'findDocument':
        await deps.findDocument(record, state);
        break;
      case 'index':
        deps.search.wake();
        break;
      case 'deliver':
        deps.deliver(effect.destinations);
        break;
      case 'ended':
        if (ends.take(record.number, state)) deps.onEnd(record, state);
        break;
      case 'deliverPending':
        deps.deliver(destinationsOf(record));
        break;
      case 'forget':
        deps.forget(record.number);
        break;
      default:
        assertNever(effect);
    }
}

/** Deletes the files first, because the search does not index a document that is missing. Returns false if something remains. */
async function removeRun(
  deps: JobDeps,
  record: JobRecord,
  state: JobState,
  { run, files }: Extract<JobEffect, { type: 'removeFiles' }>,
): Promise<boolean> {
  const gone = await removeFiles(deps, record, { run, removed: state.removed }, files);
  if (files !== 'ALL') return gone;
  // A retry uses the folders of an earlier run, so `run` may be smaller than the last run in the search.
  const last = state.removed ? state.run : state.run - 1;
  return (await deps.search.remove(record.number, last)) && gone;
}
