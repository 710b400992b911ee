import type {
  DocumentHead,
  DocumentIssue,
  DocumentMedium,
  DocumentOutput,
  SubJobError,
} from '../../components/sdk/protocol.ts';
import { allRows, type Store } from '../../store/store.ts';
import { BATCH_JOB } from '../batch-job/actor.ts';
import { mediumPrefix } from '../batch-job/planning.ts';
import type { JobRecord } from '../batch-job/record.ts';
import { after } from '../batch-job/status.ts';
import type { SubJobRow } from '../batch-job/state.ts';
import { storedJob, type StoredJob } from '../views/jobs.ts';

const SERVICE = 'WORKFLOW_MANAGER';

/** What the document is written from: its head, then medium by medium, read from the store as they are asked for. */
export async function* documentInput(
  store: Store,
  jobNumber: number,
): AsyncGenerator<DocumentHead | DocumentMedium> {
  const job = await storedJob(store, jobNumber);
  if (job === undefined) return;
  yield headOf(job);
  for (const index of job.record.media.keys()) yield await mediumOf(store, job, index);
}

function headOf({ record, snapshot }: StoredJob): DocumentHead {
  const { plan } = record;
  const issues = (severity: 'error' | 'warning') =>
    snapshot.issues
      .filter((issue) => issue.severity === severity)
      .map(({ code, message }): DocumentIssue => ({ source: SERVICE, code, message }));
  return {
    jobId: record.jobId,
    objectId: snapshot.objectId,
    pipeline: {
      name: plan.name,
      description: plan.description,
      tasks: plan.tasks.map(({ actionType, name, description, actions }) => ({
        actionType,
        name,
        description,
        actions: actions.map((action) => ({
          algorithm: action.algorithm.name,
          name: action.name,
          description: action.description,
          properties: action.properties,
        })),
      })),
    },
    priority: snapshot.priority,
    siteId: record.siteId,
    externalJobId: record.externalId,
    timeStart: new Date(snapshot.startedAt).toISOString(),
    timeStop: new Date(snapshot.endedAt ?? snapshot.startedAt).toISOString(),
    status: after(snapshot.status, snapshot.cancelledBy === 'SHUTDOWN' ? 'shutdown' : 'complete'),
    algorithmProperties: record.algorithmProperties,
    jobProperties: record.jobProperties,
    environmentVariableProperties: record.environmentProperties,
    errors: issues('error'),
    warnings: issues('warning'),
  };
}

async function mediumOf(
  store: Store,
  { record, snapshot }: StoredJob,
  index: number,
): Promise<DocumentMedium> {
  const medium = record.media[index]!;
  const rows: SubJobRow[] = [];
  const actor = { kind: BATCH_JOB, id: String(record.number) };
  for await (const { body } of allRows(store, actor, mediumPrefix(snapshot.run, index)))
    rows.push(body as SubJobRow);
  const facts = rows.find(({ prepared }) => prepared !== undefined)?.prepared?.facts;
  const detectionErrors = detectionErrorsOf(record, rows);
  const errors = errorsOf(record, rows);
  if (medium.problem !== undefined) errors.push({ source: SERVICE, ...medium.problem });
  const failed = errors.length > 0 || Object.keys(detectionErrors).length > 0;
  const failedStatus = Object.keys(detectionErrors).length > 0 ? 'INCOMPLETE' : 'ERROR';
  const cancelled = snapshot.cancelledBy !== null;
  return {
    mediaId: medium.mediaId,
    path: medium.uri,
    facts: facts === undefined ? null : withoutTimes(facts),
    mediaProperties: medium.properties,
    frameRanges: medium.frameRanges,
    timeRanges: medium.timeRanges,
    status: failed ? failedStatus : cancelled && !allFinished(record, rows) ? 'INCOMPLETE' : 'COMPLETE',
    errors,
    warnings: warningsOf(record, rows),
    detectionErrors,
    outputs: outputsOf(record, rows, cancelled),
  };
}

/** Whether every action came to its end on a medium. */
function allFinished({ plan }: JobRecord, rows: readonly SubJobRow[]): boolean {
  const actions = plan.tasks.reduce((sum, task) => sum + task.actions.length, 0);
  return rows.filter(({ kind, state }) => kind === 'FINISH' && state === 'DONE').length === actions;
}

function withoutTimes({
  frameTimes: _,
  ...facts
}: NonNullable<SubJobRow['prepared']>['facts']): DocumentMedium['facts'] {
  return facts;
}

const actionOf = (record: JobRecord, row: SubJobRow) =>
  row.stage.name === 'TASK' ? record.plan.tasks[row.stage.index]?.actions[row.action] : undefined;

/** Failures that are not a detector's: preparation and finishing. */
function errorsOf(record: JobRecord, rows: readonly SubJobRow[]): DocumentIssue[] {
  return rows.flatMap((row) => {
    if (row.error === undefined || row.kind === 'DETECT') return [];
    const { code, message } = row.error;
    return [
      {
        source: row.kind === 'FINISH' ? (actionOf(record, row)?.algorithm.name ?? SERVICE) : SERVICE,
        code,
        message,
      },
    ];
  });
}

function detectionErrorsOf(record: JobRecord, rows: readonly SubJobRow[]): Record<string, SubJobError[]> {
  const errors: Record<string, SubJobError[]> = {};
  for (const row of rows)
    if (row.error !== undefined && row.kind === 'DETECT')
      (errors[actionOf(record, row)?.name ?? SERVICE] ??= []).push(row.error);
  return errors;
}

function warningsOf(record: JobRecord, rows: readonly SubJobRow[]): DocumentIssue[] {
  return rows.flatMap((row) => {
    const source = actionOf(record, row)?.algorithm.name ?? SERVICE;
    return [...(row.prepared?.warnings ?? []), ...(row.summary?.warnings ?? [])].map(({ code, message }) => ({
      source,
      code,
      message,
    }));
  });
}

/** An entry for every action that ran, or would have run had the task before it found anything. */
function outputsOf(record: JobRecord, rows: readonly SubJobRow[], cancelled: boolean): DocumentOutput[] {
  const prepared = rows.some((row) => row.prepared !== undefined);
  let stopped = cancelled || !prepared;
  return record.plan.tasks.flatMap((task, taskIndex) => {
    const mine = rows.filter(({ stage }) => stage.name === 'TASK' && stage.index === taskIndex);
    const outputs = task.actions.flatMap((action, actionIndex): DocumentOutput[] => {
      const ran = mine.filter((row) => row.action === actionIndex);
      if (ran.length === 0 && stopped) return [];
      const finish = ran.find((row) => row.kind === 'FINISH' && row.state === 'DONE');
      const entry = { action: action.name, algorithm: action.algorithm.name };
      if (finish?.file === undefined) return [{ ...entry, tracks: null, types: {} }];
      return [{ ...entry, tracks: finish.file, types: finish.summary?.types ?? {} }];
    });
    if (mine.some(({ state }) => state === 'FAILED')) stopped = true;
    return outputs;
  });
}
