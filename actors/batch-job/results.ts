import type { FinishSummary } from '../../components/sdk/protocol.ts';
import type { CheckedResult } from '../../output/check.ts';
import { objectKey, objectUri, resultsBucket } from '../../pipeline/buckets.ts';
import { timeOfFrame } from '../../pipeline/frame-times.ts';
import type { DetectionErrorCode, IssueCode, Range } from '../../pipeline/types.ts';
import { jobWide } from './in-force.ts';
import { errorText, stageIndex, withDerived, withFound, withNothingFed } from './planning.ts';
import type { JobIssue, JobState, MediumState, Prepared, SubJobRow, Unit } from './state.ts';
import { after } from './status.ts';
import type { Given } from './transitions.ts';
import { withUnit } from './units.ts';

export interface Failure {
  readonly code: DetectionErrorCode | IssueCode;
  readonly message: string;
  /** Frames of the tracks that the sub-job was fed. */
  readonly range?: Range | undefined;
}
export type Answer = (CheckedResult & { ok: true }) | Failure;

interface Taken {
  readonly state: JobState;
  readonly row: SubJobRow;
}

/** What an answer makes of the state, and of its row. */
export function take(state: JobState, row: SubJobRow, answer: Answer, given: Given): Taken {
  return 'ok' in answer ? takeResult(state, row, answer, given) : takeFailure(state, row, answer, given);
}

function takeResult(
  state: JobState,
  row: SubJobRow,
  result: CheckedResult & { ok: true },
  given: Given,
): Taken {
  switch (result.kind) {
    case 'PREPARE': {
      const { failure, facts } = result.prepared;
      if (failure !== undefined)
        return takeFailure(state, { ...withoutFile(row), known: facts }, failure, given);
      const prepared: Prepared = { ...result.prepared, file: row.file! };
      const media = state.media.set(row.medium, { ...state.media.get(row.medium)!, prepared });
      const counted = withUnit({ ...state, media }, row, pieceDone);
      return { state: warned(counted, prepared.warnings.length), row: { ...row, prepared } };
    }
    case 'FEED': {
      const { summary } = result;
      const fed = { ...summary, file: row.file! };
      const ready = withUnit(state, row, (unit) => ({ ...unit, feed: 'DONE', fed, pieces: summary.pieces }));
      const medium = ready.media.get(row.medium)!;
      const media =
        summary.pieces > 0 ? ready.media : ready.media.set(row.medium, withNothingFed(medium, row));
      return { state: { ...ready, media }, row: { ...row, feed: summary } };
    }
    case 'DETECT': {
      const { tracks, derived, warnings } = result;
      const counted = withUnit(state, row, (unit) => ({
        ...pieceDone(unit),
        derived: unit.derived + derived,
      }));
      return {
        state: warned(counted, warnings),
        row: { ...row, tracks, ...(derived > 0 ? { derived } : {}) },
      };
    }
    case 'FINISH':
      return finished(state, row, result.summary, given);
    case 'ARTIFACTS': {
      const { summary } = result;
      const medium = withFound(state.media.get(row.medium)!, row, summary);
      const errors = summary.errors?.length ?? 0;
      const failedIn = errors > 0 ? (medium.failedIn ?? stageIndex(state.stage)) : medium.failedIn;
      const media = state.media.set(row.medium, { ...medium, failedIn });
      const status = errors > 0 ? after(state.status, 'error') : state.status;
      return {
        state: warned(withError({ ...state, media, status }, summary.errors?.[0]), summary.warnings.length),
        row: { ...row, summary },
      };
    }
    case 'MARKUP': {
      const { markup } = result;
      return {
        state: warned(withUnit(state, row, pieceDone), markup.warnings.length),
        row: { ...row, markup },
      };
    }
    case 'DOCUMENT': {
      const counted = withUnit(state, row, pieceDone);
      return { state: { ...counted, hasDocument: true, documentHash: result.sha256 }, row };
    }
    case 'COPY': {
      const counted = withUnit(state, row, pieceDone);
      const outputUri = copiedUri(given, result.sha256);
      return { state: { ...counted, hasDocument: true, documentHash: result.sha256, outputUri }, row };
    }
    case 'UPLOAD': {
      const { uri, warnings } = result.upload;
      const counted = withUnit(state, row, pieceDone);
      // With a warning the bucket did not take it: the document stays where it is.
      const outputUri = warnings.length > 0 ? null : uri;
      const told = warnings.reduce((all, { message }) => notUploaded(all, message), counted);
      return { state: { ...told, outputUri }, row };
    }
  }
}

function finished(state: JobState, row: SubJobRow, summary: FinishSummary, given: Given): Taken {
  const { record, settings } = given;
  // Others may have derived media while this one was being finished.
  const room = settings.maxDerived - (state.media.size - record.media.length);
  if ((summary.derived?.length ?? 0) > Math.max(0, room)) {
    return takeFailure(state, withoutFile(row), tooManyDerived(settings.maxDerived), given);
  }
  const derivedAt = (summary.derived?.length ?? 0) > 0 ? state.media.size : undefined;
  const known = derivedAt === undefined ? row : { ...row, derivedAt };
  const found = state.media.set(row.medium, withFound(state.media.get(row.medium)!, row, summary));
  const media = withDerived(found, known, summary);
  const counted = withUnit({ ...state, media }, row, (unit) => ({ ...unit, finish: 'DONE' }));
  return { state: warned(counted, summary.warnings.length), row: { ...known, summary } };
}

/** An answer that arrived whole and tells of a failure. */
function withoutFile({ file: _, ...row }: SubJobRow): SubJobRow {
  return { ...row, state: 'FAILED' };
}

const tooManyDerived = (most: number): Failure => ({
  code: 'OTHER',
  message: `The job has more derivative media than MAX_DERIVATIVE_MEDIA allows (${most}).`,
});

function takeFailure(before: JobState, row: SubJobRow, failure: Failure, given: Given): Taken {
  // A document that stays here is a warning.
  const state = row.kind === 'UPLOAD' ? before : withError(before, failure);
  const failed = withUnit(state, row, (unit) => unitFailed(unit, row));
  switch (row.kind) {
    case 'DOCUMENT':
      return { state: withIssue(failed, 'error', 'OTHER', documentFailed(failure), 'fatal'), row };
    case 'UPLOAD':
      return { state: notUploaded(failed, failure.message), row };
    case 'COPY':
      return {
        state: withIssue(failed, 'error', 'ARCHIVE_BEFORE_JOB_CHECK', notCopied(failure), 'fatal'),
        row,
      };
    case 'MARKUP':
      // What was found stands though it could not be drawn: the medium has not failed.
      return {
        state: { ...failed, status: after(state.status, 'error') },
        row: { ...row, error: subJobError(row, state, { ...failure, code: 'MARKUP' }, given) },
      };
    case 'PREPARE':
    case 'FEED':
    case 'DETECT':
    case 'FINISH':
    case 'ARTIFACTS': {
      const medium = state.media.get(row.medium)!;
      const failedIn = medium.failedIn ?? stageIndex(state.stage);
      const media = state.media.set(row.medium, { ...medium, failedIn });
      const told: Failure = row.kind === 'ARTIFACTS' ? { ...failure, code: 'ARTIFACT_EXTRACTION' } : failure;
      return {
        state: { ...failed, media, status: after(state.status, 'error') },
        row: { ...row, error: subJobError(row, state, told, given) },
      };
    }
  }
}

const withError = (state: JobState, error: Pick<Failure, 'code' | 'message'> | undefined): JobState =>
  error === undefined ? state : { ...state, firstError: state.firstError ?? errorText(error) };

const documentFailed = ({ message }: Failure) => `Failed to create the output object due to: ${message}`;

const notCopied = ({ message }: Failure) =>
  `A matching job was found in the archive, but copying results from the old job failed due to: ${message}`;

/** Where the component has put the document: its key is made of its hash. */
function copiedUri({ record }: Given, sha256: string): string | null {
  const bucket = resultsBucket(jobWide(record));
  return bucket === null ? null : objectUri(bucket, objectKey(bucket.prefix, sha256));
}

const notUploaded = (state: JobState, message: string): JobState =>
  withIssue(
    state,
    'warning',
    'REMOTE_STORAGE_UPLOAD',
    `The detection document stays on the server: ${message}`,
    'warning',
  );

function withIssue(
  state: JobState,
  severity: JobIssue['severity'],
  code: JobIssue['code'],
  message: string,
  event: 'warning' | 'fatal',
): JobState {
  return {
    ...state,
    status: after(state.status, event),
    firstError: state.firstError ?? (severity === 'error' ? errorText({ code, message }) : null),
    issues: [...state.issues, { severity, code, message }],
  };
}

function unitFailed(unit: Unit, { kind }: SubJobRow): Unit {
  switch (kind) {
    case 'FEED':
      return { ...unit, feed: 'DONE', pieces: 0 };
    case 'FINISH':
      return { ...unit, finish: 'DONE' };
    case 'ARTIFACTS':
      return unit;
    case 'PREPARE':
    case 'DETECT':
    case 'MARKUP':
    case 'COPY':
    case 'DOCUMENT':
    case 'UPLOAD':
      return { ...unit, failed: unit.failed + 1 };
  }
}

const pieceDone = (unit: Unit): Unit => ({ ...unit, done: unit.done + 1 });

function subJobError(
  row: SubJobRow,
  state: JobState,
  { code, message, range = row.range }: Failure,
  given: Given,
): NonNullable<SubJobRow['error']> {
  const medium: MediumState = state.media.get(row.medium)!;
  const times = medium.prepared?.facts.frameTimes;
  const time = (frame: number) => (times === undefined || frame < 0 ? 0 : timeOfFrame(times, frame));
  const task = row.stage.name === 'TASK' ? given.record.plan.tasks[row.stage.index] : undefined;
  return {
    range,
    startTime: time(range.start),
    stopTime: time(range.stop),
    algorithm: task?.actions[row.action]?.algorithm.name ?? 'WORKFLOW_MANAGER',
    code,
    message,
  };
}

/** The time that a component spent on a sub-job counts for its action. */
export function withTime(state: JobState, row: SubJobRow, ms: number, { record }: Given): JobState {
  if (row.stage.name !== 'TASK' || (row.kind !== 'DETECT' && row.kind !== 'MARKUP')) return state;
  const before = record.plan.tasks.slice(0, row.stage.index);
  const at = before.reduce((sum, { actions }) => sum + actions.length, 0) + row.action;
  const timing = record.plan.tasks.flatMap(({ actions }) => actions).map((_, n) => state.timing[n] ?? 0);
  timing[at] = (timing[at] ?? 0) + Math.max(0, Math.round(ms));
  return { ...state, timing };
}

const warned = (state: JobState, warnings: number): JobState =>
  warnings === 0 ? state : { ...state, status: after(state.status, 'warning') };
