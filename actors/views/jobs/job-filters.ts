import { isSeen, type Sight } from '../../../domain/users/owner.ts';
import { isTerminal, type BatchJobStatus } from '../../batch-job/state/status.ts';
import { externalIdOf, labelsOf } from '../../batch-job/state/record.ts';
import { listedUri } from './listed-uri.ts';
import type { StoredJob } from '../../batch-job/state/stored-job.ts';
import { decodeText } from '../../../domain/decode-text.ts';

/** Milliseconds since the epoch, from the first to before the second. */
export interface TimeSpan {
  readonly from: number | undefined;
  readonly to: number | undefined;
}

export interface JobListQuery extends JobFilter {
  /** Jobs of a page at most. */
  readonly limit: number;
  /** Where the page before ended; a list that is ordered by a time needs the score. */
  readonly before: JobCursor | undefined;
  /** Whose jobs. */
  readonly sight: Sight;
}

/** Which jobs are meant: those that fit all that is given. */
export interface JobFilter {
  /** Any of these. */
  readonly statuses: readonly BatchJobStatus[] | undefined;
  readonly pipelineName: string | undefined;
  readonly externalId: string | undefined;
  /** All of these. */
  readonly labels: readonly string[] | undefined;
  readonly terminal: boolean | undefined;
  /** A part of the URI of a medium, in any case of letters. */
  readonly medium: string | undefined;
  /** Id of a group of failures. */
  readonly failure: string | undefined;
  readonly started: TimeSpan | undefined;
  readonly ended: TimeSpan | undefined;
}

export interface JobCursor {
  /** The time of a list that is ordered by one. */
  readonly score: number | undefined;
  readonly number: number;
}

/** Whether a job matches the filters. The index that led to it may be a moment older or newer than the job. */
export function fitsJob({ record, snapshot }: StoredJob, query: JobListQuery): boolean {
  const { statuses, pipelineName, externalId, labels, terminal, medium, failure } = query;
  const { started, ended, sight } = query;
  const { status, startedAt, endedAt, causes = [] } = snapshot;
  const isEnded = isTerminal(status);
  return (
    isSeen(record.owner, sight) &&
    (externalId === undefined || externalIdOf(record, snapshot) === externalId) &&
    (labels === undefined || hasAll(labelsOf(record, snapshot), labels)) &&
    (statuses === undefined || statuses.includes(status)) &&
    (pipelineName === undefined || record.plan.name === pipelineName) &&
    (terminal === undefined || isEnded === terminal) &&
    (failure === undefined || causes.some(({ group }) => group === failure)) &&
    isWithin(startedAt, started) &&
    (ended === undefined || (isEnded && isWithin(endedAt ?? startedAt, ended))) &&
    (medium === undefined || hasMedium(record.media, medium))
  );
}

const hasAll = (labels: readonly string[], wanted: readonly string[]) =>
  wanted.every((label) => labels.includes(label));

const isWithin = (at: number, span: TimeSpan | undefined): boolean =>
  span === undefined || (at >= (span.from ?? -Infinity) && at < (span.to ?? Infinity));

/** Compares what clients are shown, so that nobody finds out a password letter by letter; names also as people read them. */
function hasMedium(media: readonly { readonly uri: string }[], part: string): boolean {
  const wanted = part.toLowerCase();
  return media.some(({ uri }) => {
    const shown = listedUri(uri);
    return shown.toLowerCase().includes(wanted) || decodeText(shown).toLowerCase().includes(wanted);
  });
}
