import type { Logger } from '../../config/logger.ts';
import { mediaFolder, outputFolder, spoolFolder } from '../../output/layout.ts';
import { removeFolder } from '../../output/spool.ts';
import type { Owner, Row, Store } from '../../store/store.ts';
import type { Clock } from '../runtime/clock.ts';
import { loadDurable, type DurableKind } from '../runtime/durable.ts';
import type { ActorKind, Envelope } from '../runtime/system.ts';
import { JOB_COMMANDS, type JobCommand, type JobReply } from './commands.ts';
import type { JobEffect } from './effects.ts';
import { runPrefix, type JobSettings } from './planning.ts';
import type { JobRecord } from './record.ts';
import { JOB_SCHEMA, jobSnapshotSchema, restore, toSnapshot } from './snapshot.ts';
import { isTerminal } from './status.ts';
import type { JobState, SubJobRow } from './state.ts';
import { decide, recover } from './transitions.ts';

export const BATCH_JOB = 'batch-job';
/** Jobs that are not terminal, by number: what a start has to look at. */
export const LIVE_JOBS = 'live-jobs';
/** Jobs that wait for admission, by priority and number. */
export const WAITING_JOBS = 'waiting-jobs';
/** Higher priority first, then lower number. */
export const waitingScore = (priority: number, jobNumber: number) => (9 - priority) * 1e12 + jobNumber;
/** All batch jobs by number. */
export const ALL_JOBS = 'batch-jobs';

export interface JobParts {
  readonly store: Store;
  readonly owner: Owner;
  readonly settings: JobSettings;
  readonly logger: Logger;
  readonly mailbox: number;
  readonly intensity: ActorKind<JobCommand, JobReply>['intensity'];
  readonly idleMs: number;
  readonly clock: Clock;
  /** Hands rows to the dispatcher. */
  offer(record: JobRecord, state: JobState, rows: readonly SubJobRow[]): void;
  cancelWork(record: JobRecord, rows: readonly SubJobRow[]): void;
  ended(jobNumber: number): void;
}

export function batchJobKind(parts: JobParts): ActorKind<JobCommand, JobReply> {
  const durable = durableJob(parts);
  return {
    name: BATCH_JOB,
    accepts: JOB_COMMANDS,
    mailbox: parts.mailbox,
    intensity: parts.intensity,
    idleMs: parts.idleMs,
    load: (id) => loadDurable(durable, parts.store, parts.owner, id),
    escalated: (id, error) => endPoisoned(parts, id, error),
  };
}

function durableJob(parts: JobParts): DurableKind<JobRecord, JobState, JobCommand, JobReply, JobEffect> {
  return {
    kind: BATCH_JOB,
    schema: JOB_SCHEMA,
    upcasters: {},
    rowsOf(body) {
      const { status, run } = jobSnapshotSchema.parse(body);
      return isTerminal(status) ? undefined : runPrefix(run);
    },
    restore: (record, body, rows) =>
      restore(
        record,
        jobSnapshotSchema.parse(body),
        rows.map((row: Row) => row.body as SubJobRow),
      ),
    snapshot: toSnapshot,
    decide: (record, state, envelope) => toDecision(record, state, envelope, parts.settings),
    recover,
    perform: (record, state, effects) => perform(parts, record, state, effects),
  };
}

function toDecision(
  record: JobRecord | undefined,
  state: JobState | undefined,
  { command, at }: Envelope<JobCommand>,
  settings: JobSettings,
) {
  const created = command.type === 'accept' && record === undefined ? command.record : undefined;
  const known = record ?? created;
  if (known === undefined)
    return { reply: { kind: 'refused', reason: 'NO_SUCH_JOB', status: 'UNKNOWN' } as const };
  const { reply, change } = decide(state, command, { record: known, at, settings });
  if (change === undefined) return { reply };
  if (change.silent === true) return { reply, effects: change.effects };
  return {
    reply,
    effects: change.effects,
    change: {
      state: change.state,
      putRows: change.rows.map((row) => ({ key: row.key, body: row })),
      index: indexOf(known, change.state),
      ...(change.removed === undefined ? {} : { removeRows: change.removed }),
      ...(change.synced === undefined ? {} : { synced: change.synced }),
      ...(created === undefined ? {} : { record: created }),
    },
  };
}

function indexOf(record: JobRecord, { status, priority }: Pick<JobState, 'status' | 'priority'>) {
  return {
    [ALL_JOBS]: record.number,
    [LIVE_JOBS]: isTerminal(status) ? null : record.number,
    [WAITING_JOBS]: status === 'INITIALIZED' ? waitingScore(priority, record.number) : null,
  };
}

async function perform(
  parts: JobParts,
  record: JobRecord,
  state: JobState,
  effects: readonly JobEffect[],
): Promise<void> {
  for (const effect of effects)
    switch (effect.type) {
      case 'offer':
        parts.offer(record, state, effect.rows);
        break;
      case 'cancelWork':
        parts.cancelWork(record, effect.rows);
        break;
      case 'removeFiles':
        await removeFiles(parts, record, effect.run, effect.document);
        break;
      case 'ended':
        parts.ended(record.number);
        break;
      default:
        assertNever(effect);
    }
}

/** Spool and fetched media of a run that has ended; with `document` its outputs too. A failure leaves files for the next start. */
async function removeFiles(
  { settings, logger }: JobParts,
  { jobId }: JobRecord,
  run: number,
  document: boolean,
): Promise<void> {
  const folders = [spoolFolder(settings.dataDir, jobId, run), mediaFolder(settings.dataDir, jobId)];
  if (document) folders.push(outputFolder(settings.dataDir, jobId));
  for (const folder of folders)
    await removeFolder(folder).catch((error: unknown) =>
      logger.warn({ err: error, folder }, 'could not remove files of an ended job'),
    );
}

/** A job whose actor fails again and again ends ERROR by the smallest commit there is, so that it harms nobody else. */
async function endPoisoned(parts: JobParts, id: string, error: unknown): Promise<void> {
  const { store, owner, logger } = parts;
  const actor = { kind: BATCH_JOB, id };
  const stored = await store.load(actor);
  // What a newer version stored is not ours to end: that version finds it again as it was.
  if (stored === undefined || stored.snapshot.schema > JOB_SCHEMA) return;
  const { state, seen } = stored.snapshot.body as { state: unknown; seen: unknown };
  const snapshot = jobSnapshotSchema.parse(state);
  if (isTerminal(snapshot.status)) return;
  const record = stored.record as JobRecord;
  const message = `The job was ended because it failed again and again: ${error instanceof Error ? error.message : String(error)}`;
  const ended = {
    ...snapshot,
    status: 'ERROR' as const,
    stage: { name: 'ENDED' as const },
    endedAt: snapshot.endedAt ?? parts.clock.now(),
    hasDocument: false,
    progress: 100,
    issues: [...snapshot.issues, { severity: 'error' as const, code: 'OTHER' as const, message }],
  };
  await store.commit({
    actor,
    expected: stored.version,
    owner,
    snapshot: { schema: JOB_SCHEMA, body: { state: ended, seen } },
    removeRows: [''],
    index: indexOf(record, ended),
  });
  logger.error({ jobId: record.jobId, err: error }, 'ended a job that failed again and again');
  parts.ended(record.number);
  await removeFiles(parts, record, snapshot.run, false);
}

function assertNever(value: never): never {
  throw new Error(`Unexpected: ${JSON.stringify(value)}`);
}
