/** The end of a job that can no longer run. */
import { commitAfter } from '../../store/store.ts';
import { removeFiles } from './completion/cleanup.ts';
import { planFailureDeliveries } from './completion/notices.ts';
import type { JobDeps } from './job-deps.ts';
import { SERVER, withCause } from './failures/causes.ts';
import { indexesOf } from './state/indexes.ts';
import { errorText } from './state/issues.ts';
import { BATCH_JOB } from './state/keys.ts';
import { baseRunOf, type JobRecord } from './state/record.ts';
import { JOB_SCHEMA, jobSnapshotSchema, schemaOf } from './state/snapshot.ts';
import { isTerminal } from './state/status.ts';

/** Ends a job whose actor fails repeatedly with ERROR. The commit is minimal, so that the job does not affect others. */
export async function endPoisoned(deps: JobDeps, id: string, error: unknown): Promise<void> {
  const { store, owner, logger } = deps;
  const actor = { kind: BATCH_JOB, id };
  const stored = await store.load(actor);
  // A job that a newer version has stored stays unchanged for that version.
  if (stored === undefined || stored.snapshot.schema > JOB_SCHEMA) return;
  const { state, seen } = stored.snapshot.body as { state: unknown; seen: unknown };
  const snapshot = jobSnapshotSchema.parse(state);
  if (isTerminal(snapshot.status)) return;
  const record = stored.record as JobRecord;
  const at = deps.clock.now();
  const message = `The job was ended because it failed again and again: ${error instanceof Error ? error.message : String(error)}`;
  const ended = {
    ...snapshot,
    status: 'ERROR' as const,
    stage: { name: 'ENDED' as const },
    endedAt: snapshot.endedAt ?? at,
    hasDocument: false,
    progress: 100,
    firstError: snapshot.firstError ?? errorText({ code: 'OTHER', message }),
    causes: deps.failures.limitCauses(
      withCause(snapshot.causes, { component: SERVER, code: 'OTHER', message }, at),
    ),
    issues: [...snapshot.issues, { severity: 'error' as const, code: 'OTHER' as const, message }],
  };
  const { deliveries, notices } = planFailureDeliveries(record, ended, deps.settings, at);
  await store.commit({
    actor,
    ...commitAfter(stored),
    owner,
    snapshot: { schema: schemaOf(ended), body: { state: { ...ended, ...deliveries }, seen } },
    removeRows: [''],
    work: { clear: true },
    outbox: { put: notices },
    ...indexesOf(record, snapshot, { ...ended, ...deliveries }),
  });
  logger.error({ jobId: record.jobId, err: error }, 'ended a job that failed again and again');
  deps.onEnd(record, ended);
  deps.deliver(notices.map(({ destination }) => destination));
  await removeFiles(deps, record, { run: baseRunOf(snapshot), removed: snapshot.removed }, 'WORK');
}
