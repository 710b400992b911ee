import { maskUri } from '../../domain/censor.ts';
import { isTerminal } from '../batch-job/status.ts';
import type { JobListQuery, TimeSpan } from './job-list.ts';
import type { StoredJob } from './stored-job.ts';

/** Of a URI; a data: URI may be as large as a request. */
const MAX_COMPARED = 8_192;

/** Whether a job is one of those that were asked for. The index that led to it may be a moment older or newer than the job. */
export function fitsJob({ record, snapshot }: StoredJob, query: JobListQuery): boolean {
  const { statuses, pipelineName, externalId, terminal, medium, started, ended } = query;
  const { status, startedAt, endedAt } = snapshot;
  const isEnded = isTerminal(status);
  return (
    (externalId === undefined || record.externalId === externalId) &&
    (statuses === undefined || statuses.includes(status)) &&
    (pipelineName === undefined || record.plan.name === pipelineName) &&
    (terminal === undefined || isEnded === terminal) &&
    isWithin(startedAt, started) &&
    (ended === undefined || (isEnded && isWithin(endedAt ?? startedAt, ended))) &&
    (medium === undefined || hasMedium(record.media, medium))
  );
}

const isWithin = (at: number, span: TimeSpan | undefined): boolean =>
  span === undefined || (at >= (span.from ?? -Infinity) && at < (span.to ?? Infinity));

/** Compares what clients are shown, so that nobody finds out a password letter by letter; names also as people read them. */
function hasMedium(media: readonly { readonly uri: string }[], part: string): boolean {
  const wanted = part.toLowerCase();
  return media.some(({ uri }) => {
    const shown = maskUri(uri.slice(0, MAX_COMPARED));
    return shown.toLowerCase().includes(wanted) || decoded(shown).toLowerCase().includes(wanted);
  });
}

function decoded(uri: string): string {
  try {
    return decodeURIComponent(uri);
  } catch {
    return uri; // A % that encodes nothing.
  }
}
