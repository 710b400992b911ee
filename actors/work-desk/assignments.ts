import type { Assignment, FinishWork } from '../../components/sdk/protocol.ts';
import { allRows, type Store } from '../../store/store.ts';
import { BATCH_JOB } from '../batch-job/actor.ts';
import { unitPrefix } from '../batch-job/planning.ts';
import type { SubJobRow } from '../batch-job/state.ts';
import { queueOf } from '../batch-job/sub-jobs.ts';
import type { Lease } from '../dispatcher/commands.ts';

/** What a component is told of the sub-job it has claimed; undefined when the row is gone (the job ended meanwhile). */
export async function assignmentOf(
  store: Store,
  lease: Lease,
  heartbeatMs: number,
): Promise<Assignment | undefined> {
  const { subJob, token } = lease;
  const row = await rowOf(store, subJob.jobId, subJob.key);
  if (row === undefined || row.state !== 'QUEUED' || row.work === null) return undefined;
  const work = await workOf(store, subJob.jobId, row, row.work, token);
  const attempt = row.attempts + 1;
  return {
    token,
    id: row.id,
    kind: row.kind,
    algorithm: queueOf(row),
    attempt,
    heartbeatMs,
    work,
  } as Assignment;
}

export async function rowOf(store: Store, jobNumber: string, key: string): Promise<SubJobRow | undefined> {
  const [row] = await store.rows({ kind: BATCH_JOB, id: jobNumber }, { prefix: key, limit: 1 });
  return row?.key === key ? (row.body as SubJobRow) : undefined;
}

async function workOf(
  store: Store,
  jobNumber: string,
  row: SubJobRow,
  work: Assignment['work'],
  token: string,
): Promise<Assignment['work']> {
  if (row.kind === 'DOCUMENT') return { input: `/worker/v1/leases/${token}/input` };
  if (row.kind !== 'FINISH' || row.stage.name !== 'TASK') return work;
  const parts: { path: string; range: SubJobRow['range'] }[] = [];
  for await (const { body } of allRows(
    store,
    { kind: BATCH_JOB, id: jobNumber },
    `${unitPrefix(row.run, row.stage.index, row)}d`,
  )) {
    const piece = body as SubJobRow;
    if (piece.state === 'DONE' && piece.file !== undefined)
      parts.push({ path: piece.file, range: piece.range });
  }
  return { ...(work as FinishWork), parts };
}
