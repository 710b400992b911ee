import { isSeen, type Sight } from '../../../domain/users/owner.ts';
import { isTerminal, type BatchJobStatus } from '../../batch-job/state/status.ts';
import { externalIdOf, labelsOf } from '../../batch-job/state/record.ts';
import { listedUri } from './listed-uri.ts';
import type { StoredJob } from '../../batch-job/state/stored-job.ts';
import { decodeText } from '../../../domain/decode-text.ts';

/** Milliseconds since the epoch: start inclusive, end exclusive. */
export interface TimeSpan {
  readonly from: number | undefined;
  readonly to: number | undefined;
}

export interface JobListQuery extends JobFilter {
  /** Maximum number of jobs in a page. */
  readonly limit: number;
  /** End of the previous page. A list ordered by time needs the score. */
  readonly before: JobCursor | undefined;
  /** The users whose jobs the reader sees. */
  readonly sight: Sight;
}

/** Jobs that match all given conditions. */
export interface JobFilter {
  /** The job has any of these. */
  readonly statuses: readonly BatchJobStatus[] | undefined;
  readonly pipelineName: string | undefined;
  readonly externalId: string | undefined;
  /** The job has all of these. */
  readonly labels: readonly string[] | undefined;
  readonly terminal: boolean | undefined;
  /** A part of the URI of a medium, case-insensitive. */
  readonly medium: string | undefined;
  /** Id of a group of failures. */
  readonly failure: string | undefined;
  readonly started: TimeSpan | undefined;
  readonly ended: TimeSpan | undefined;
}

export interface JobCursor {
  /** The time, in a list that is ordered by time. */
  readonly score: number | undefined;
  readonly number: number;
}

/** True if a job matches the filters. The index entry may be a moment older or newer than the job. */
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

/** Compares the URI that clients see, so that a password cannot be guessed letter by letter. Decoded file names match, too. */
function hasMedium(media: readonly { readonly uri: string }[], part: string): boolean {
  const wanted = part.toLowerCase();
  return media.some(({ uri }) => {
    const shown = listedUri(uri);
    return shown.toLowerCase().includes(wanted) || decodeText(shown).toLowerCase().includes(wanted);
  });
}
