import type { CopyHead, CopyMedium } from '../../protocol/bucket-work.ts';
import type {
  DocumentHead,
  DocumentIssue,
  DocumentMarkup,
  DocumentMedium,
  DocumentTiming,
  EffectiveProperties,
  IndexedMedium,
  SubJobError,
} from '../../protocol/document-work.ts';
import { archiveHash } from '../../domain/job/archive.ts';
import { wantsDetails } from '../../domain/properties/properties.ts';
import { MEDIA_TYPES, type Issue } from '../../domain/types.ts';
import { thumbnailsFolder } from '../../results/layout.ts';
import { allRows, type Store } from '../../store/store.ts';
import { BATCH_JOB, mediumPrefix } from '../batch-job/state/keys.ts';
import { componentVersions } from '../batch-job/log-facts.ts';
import { TimeSlices } from '../basics/time-slices.ts';
import { forAction, jobWide } from '../batch-job/plan/effective-properties.ts';
import { stageIndex } from '../batch-job/state/media.ts';
import {
  baseRunOf,
  externalIdOf,
  foldersOf,
  type JobRecord,
  type RequestedMedium,
} from '../batch-job/state/record.ts';
import { after } from '../batch-job/state/status.ts';
import type { Derived, SubJobRow } from '../batch-job/state/state.ts';
import { storedJob, type StoredJob } from '../batch-job/state/stored-job.ts';
import { indexedMediumOf } from './indexed-medium.ts';
import { allFinished, factsIn, outputsOf, type MediumRows } from './document-outputs.ts';

/** Returns the URI of a medium as clients see it. A long URI is stored in a file, which is read only if needed. */
type UriOf = (medium: RequestedMedium) => string | Promise<string>;

const SERVICE = 'WORKFLOW_MANAGER';

/** The input of the document: its head, then each medium, read from the store on demand. Files are named by their keys. */
export async function* documentInput(
  store: Store,
  jobNumber: number,
  uriOf: UriOf,
): AsyncGenerator<DocumentHead | DocumentMedium> {
  const job = await storedJob(store, jobNumber);
  if (job === undefined) return;
  yield headOf(job);
  const timeSlices = new TimeSlices();
  const derived: MediumRows[] = [];
  for (const [index, medium] of job.record.media.entries()) {
    if (timeSlices.due) await timeSlices.next();
    const rows = await rowsOf(store, job, index);
    const named = { index, medium, parentMediaId: -1, madeIn: -1, rows };
    derived.push(...derivedFrom(named));
    yield { ...documentMedium(job, named), path: await uriOf(medium) };
  }
  // In the order of creation, so that the place of a medium in the document is its place in the job.
  derived.sort(byIndex);
  for (let one = derived.shift(); one !== undefined; one = derived.shift()) {
    if (timeSlices.due) await timeSlices.next();
    const made = { ...one, rows: await rowsOf(store, job, one.index) };
    const further = derivedFrom(made);
    if (further.length > 0) {
      derived.push(...further);
      derived.sort(byIndex);
    }
    yield documentMedium(job, made);
  }
}

const byIndex = (a: MediumRows, b: MediumRows) => a.index - b.index;

/** The input that turns the document of an earlier job into one of this job: its head, then each medium by its hash in the archive. */
export async function* copyInput(
  store: Store,
  jobNumber: number,
  uriOf: UriOf,
): AsyncGenerator<CopyHead | CopyMedium> {
  const job = await storedJob(store, jobNumber);
  if (job === undefined) return;
  yield { jobId: job.record.jobId };
  const timeSlices = new TimeSlices();
  for (const [index, medium] of job.record.media.entries()) {
    if (timeSlices.due) await timeSlices.next();
    const facts = factsIn(await rowsOf(store, job, index)) ?? null;
    const sha256 = archiveHash({ ...medium, facts });
    if (sha256 !== null) yield { sha256, path: await uriOf(medium) };
  }
}

/** The sub-jobs of a medium, by its place in the job. */
export async function rowsOf(
  store: Store,
  { record, snapshot }: StoredJob,
  index: number,
): Promise<readonly SubJobRow[]> {
  const rows: SubJobRow[] = [];
  const actor = { kind: BATCH_JOB, id: String(record.number) };
  for await (const { body } of allRows(store, actor, mediumPrefix(baseRunOf(snapshot), index)))
    rows.push(body as SubJobRow);
  return rows;
}

/** The media that were derived from this one, without their rows. */
function derivedFrom({ medium, rows }: MediumRows): readonly MediumRows[] {
  return rows.flatMap(({ summary, derivedAt = 0, kind, stage }) =>
    (kind === 'FINISH' ? (summary?.derived ?? []) : []).map((one, n) => ({
      index: derivedAt + n,
      medium: asRequested(one, medium),
      parentMediaId: medium.mediaId,
      madeIn: stage.name === 'TASK' ? stage.index : -1,
      rows: [],
    })),
  );
}

export const asRequested = (
  { mediaId, uri }: Pick<Derived, 'mediaId' | 'uri'>,
  { properties }: RequestedMedium,
): RequestedMedium => ({ mediaId, uri, metadata: {}, properties, frameRanges: [], timeRanges: [] });

/** The head of the document of a running job, as far as it is known. */
export function headOf({ record, snapshot }: StoredJob): DocumentHead {
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
    externalJobId: externalIdOf(record, snapshot),
    timeStart: new Date(snapshot.startedAt).toISOString(),
    timeStop: new Date(snapshot.endedAt ?? snapshot.startedAt).toISOString(),
    status: after(snapshot.status, snapshot.cancelledBy === 'SHUTDOWN' ? 'shutdown' : 'complete'),
    algorithmProperties: record.algorithmProperties,
    jobProperties: record.jobProperties,
    environmentVariableProperties: record.environmentProperties,
    timing: timingOf(record, snapshot.timing),
    details: wantsDetails(jobWide(record))
      ? {
          effectiveProperties: effectiveOf(record),
          componentVersions: componentVersions(record, snapshot),
        }
      : null,
    ...(record.zones === undefined ? {} : { zones: record.zones }),
    errors: issues('error'),
    warnings: issues('warning'),
  };
}

const effectiveOf = (record: JobRecord): readonly EffectiveProperties[] =>
  record.plan.tasks
    .flatMap(({ actions }) => actions)
    .flatMap((action) =>
      MEDIA_TYPES.map((mediaType) => ({
        action: action.name,
        algorithm: action.algorithm.name,
        mediaType,
        properties: forAction(record, action, mediaType),
      })),
    );

function timingOf({ plan }: JobRecord, timing: readonly number[]): DocumentTiming {
  const actions = plan.tasks.flatMap((task) => task.actions);
  return {
    processingTime: timing.reduce((sum, ms) => sum + ms, 0),
    actions: actions.map(({ name }, n) => ({ name, processingTime: timing[n] ?? 0 })),
  };
}

export function documentMedium({ record, snapshot }: StoredJob, of: MediumRows): DocumentMedium {
  const { medium, rows } = of;
  const facts = factsIn(rows);
  const detectionErrors = detectionErrorsOf(record, rows);
  const errors = errorsOf(record, rows);
  if (medium.problem !== undefined) errors.push({ source: SERVICE, ...medium.problem });
  const drawn = errors.filter(({ source }) => source !== MARKUP);
  const failed = drawn.length > 0 || Object.keys(detectionErrors).length > 0;
  const failedStatus = Object.keys(detectionErrors).length > 0 ? 'INCOMPLETE' : 'ERROR';
  const cancelled = snapshot.cancelledBy !== null;
  const folder = foldersOf(record, snapshot);
  const named = of.parentMediaId < 0 ? medium : undefined;
  const indexed = indexedMediumOf({ named, mediaId: medium.mediaId, rows, folder });
  return {
    mediaId: medium.mediaId,
    parentMediaId: of.parentMediaId,
    path: medium.uri,
    facts: facts === undefined ? null : withoutTimes(facts),
    mediaProperties: medium.properties,
    frameRanges: medium.frameRanges,
    timeRanges: medium.timeRanges,
    status: failed ? failedStatus : cancelled && !allFinished(record, of) ? 'INCOMPLETE' : 'COMPLETE',
    errors,
    warnings: warningsOf(record, rows),
    detectionErrors,
    markup: markupOf(medium.mediaId, rows),
    selectorsOutputUri:
      rows.find(({ summary }) => summary?.selectorsOutputUri !== undefined)?.summary?.selectorsOutputUri ??
      null,
    outputs: outputsOf(record, of, cancelled),
    indexed,
    ...fetchedPlace(indexed, folder, of),
  };
}

/** Files of derivative media stay where they are. */
const fetchedPlace = (
  { file }: IndexedMedium,
  folder: string,
  { parentMediaId, index: place }: MediumRows,
): Pick<DocumentMedium, 'fetched'> =>
  file === undefined || parentMediaId >= 0
    ? {}
    : { fetched: { file, folder: thumbnailsFolder(folder), place } };

function withoutTimes({
  frameTimes: _,
  ...facts
}: NonNullable<SubJobRow['prepared']>['facts']): DocumentMedium['facts'] {
  return facts;
}

const actionOf = (record: JobRecord, row: SubJobRow) =>
  row.stage.name === 'TASK' ? record.plan.tasks[row.stage.index]?.actions[row.action] : undefined;

/** Source name for issues of the drawing component. They do not make a medium fail. */
const MARKUP = 'MARKUP';

/** Failures of steps other than detection. */
function errorsOf(record: JobRecord, rows: readonly SubJobRow[]): DocumentIssue[] {
  return rows.flatMap((row): DocumentIssue[] => {
    const inside = (row.summary?.errors ?? []).map((issue) => toDocumentIssue(issue, SERVICE));
    if (row.error === undefined || row.kind === 'DETECT') return inside;
    return [...inside, toDocumentIssue(row.error, sourceOf(record, row))];
  });
}

function sourceOf(record: JobRecord, row: SubJobRow): string {
  if (row.kind === 'MARKUP') return MARKUP;
  return row.kind === 'FINISH' ? (actionOf(record, row)?.algorithm.name ?? SERVICE) : SERVICE;
}

const toDocumentIssue = ({ code, message }: Issue, source: string): DocumentIssue => ({
  source,
  code,
  message,
});

function detectionErrorsOf(record: JobRecord, rows: readonly SubJobRow[]): Record<string, SubJobError[]> {
  const errors: Record<string, SubJobError[]> = {};
  for (const row of rows)
    if (row.error !== undefined && row.kind === 'DETECT')
      (errors[actionOf(record, row)?.name ?? SERVICE] ??= []).push(row.error);
  return errors;
}

function warningsOf(record: JobRecord, rows: readonly SubJobRow[]): DocumentIssue[] {
  const place = ({ stage, action }: SubJobRow) => `${stageIndex(stage)}.${action}`;
  const extracted = new Set(
    rows.flatMap((row) => (row.kind === 'ARTIFACTS' && row.summary ? [place(row)] : [])),
  );
  return rows.flatMap((row): DocumentIssue[] => {
    // The extraction of artifacts repeats the warnings of FINISH.
    const repeated = row.kind === 'FINISH' && extracted.has(place(row));
    const finished = repeated ? [] : (row.summary?.warnings ?? []);
    const source = actionOf(record, row)?.algorithm.name ?? SERVICE;
    return [
      ...[...(row.prepared?.warnings ?? []), ...finished].map((issue) => toDocumentIssue(issue, source)),
      ...(row.markup?.warnings ?? []).map((issue) => toDocumentIssue(issue, MARKUP)),
    ];
  });
}

function markupOf(mediaId: number, rows: readonly SubJobRow[]): DocumentMarkup | null {
  const row = rows.find(({ kind }) => kind === 'MARKUP');
  if (row === undefined) return null;
  const { markup, error } = row;
  if (markup === undefined)
    return { id: mediaId, path: '', status: 'FAILED', message: error?.message ?? null };
  const message = markup.warnings.map((warning) => warning.message).join(' ');
  return message === ''
    ? { id: mediaId, path: markup.uri, status: 'COMPLETE', message: null }
    : { id: mediaId, path: markup.uri, status: 'COMPLETE_WITH_WARNING', message };
}
