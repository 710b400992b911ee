/** `troupe jobs show`: the state of a job and its problems. */
import type { JobInfo, LiveIssue, LiveIssues } from '../../../../client/answers.ts';
import type { Command } from 'commander';
import { factLines } from '../../../terminal/columns.ts';
import { namesOf } from '../../../render/medium-names.ts';
import { placeName } from '../../../terminal/names.ts';
import { detailsPath } from '../../../../client/rest-client.ts';
import { summarize, type DocumentSummary, type IssueSummary } from '../../../render/summary.ts';
import { issueLines } from '../../../render/tables.ts';
import type { Terminal } from '../../../terminal/terminal.ts';
import { askCommand, clientOf, momentText, fetchAndShow, type RestOptions } from '../command.ts';

const SHOWN_MEDIA = 20;
const SHOWN_ISSUES = 20;
const URI_LENGTH = 200;

export const unknownJob = (id: string) => `There is no job ${id}. troupe jobs list shows all.`;

export function showCommand(jobs: Command, terminal: Terminal): void {
  askCommand(jobs, 'show <ID>', 'show a job and its errors').action(
    async (id: string, options: RestOptions) => {
      const job = await fetchAndShow<JobInfo>(
        terminal,
        options,
        { method: 'GET', path: detailsPath(id) },
        { lines: jobLines, refusals: { 400: unknownJob(id) } },
      );
      if (options.json === true || !/ERROR|WARNING/.test(job.jobStatus)) return;
      for (const line of await problemLines(job, options, terminal)) terminal.print(line);
    },
  );
}

/** Returns the problems from the document, or from the service while the job is running. */
async function problemLines(
  { jobId, terminal: ended }: JobInfo,
  options: RestOptions,
  terminal: Terminal,
): Promise<readonly string[]> {
  const client = await clientOf(options, terminal);
  const live = ended ? undefined : await client.liveIssues(jobId);
  if (live !== undefined) return liveLines(live);
  const document = await client.document(jobId);
  if (document === undefined)
    return [
      '',
      ended
        ? 'Its errors and warnings are in its document, which is not on this server.'
        : 'Errors are shown when the job has ended.',
    ];
  const { media, errors, warnings } = await summarize(document);
  const names = namesOf(media);
  return ['', ...issueLines('error', first(errors), names), ...issueLines('warning', first(warnings), names)];
}

function liveLines({ errors, warnings }: LiveIssues): readonly string[] {
  const names = new Map<number, string>();
  for (const { mediaId, mediaUri } of [...errors.shown, ...warnings.shown])
    if (mediaId !== null && mediaUri !== null) names.set(mediaId, placeName(mediaUri));
  const lines = (kind: string, { shown: some, count }: LiveIssues['errors']) =>
    issueLines(kind, first({ shown: some.map(asIssue), count }), names);
  return ['', ...lines('error', errors), ...lines('warning', warnings)];
}

const asIssue = ({ mediaId, source, code, message }: LiveIssue): IssueSummary => ({
  ...(mediaId === null ? {} : { mediaId }),
  source,
  code,
  message,
});

const first = ({ shown: some, count }: DocumentSummary['errors']) => ({
  shown: some.slice(0, SHOWN_ISSUES),
  count,
});

function jobLines(job: JobInfo): readonly string[] {
  const { mediaUris, mediaSucceeded, waitingFor, remaining, runs = [] } = job;
  const uris = mediaUris.slice(0, SHOWN_MEDIA).map((uri) => placeName(uri, URI_LENGTH));
  const more = mediaUris.length - uris.length;
  return factLines({
    Job: job.jobId,
    Status: job.jobStatus,
    Progress: `${Math.floor(job.jobProgress)} %`,
    Remaining: remaining === undefined ? undefined : remainingText(remaining),
    Waiting: waitingFor?.reason,
    Queue: waitingFor?.queue,
    Priority: job.jobPriority,
    Pipeline: job.pipelineName,
    'External id': job.externalId,
    Owner: job.owner === undefined ? undefined : ownerText(job.owner),
    Labels: job.labels?.join(', ') || undefined,
    Started: momentText(job.startDate),
    Ended: momentText(job.endDate),
    Document: job.outputObjectPath,
    Callback: deliveryText(job.callbackStatus, job.callbackAttempts),
    Archive: deliveryText(job.archiveStatus, job.archiveAttempts),
    Succeeded:
      mediaSucceeded === undefined || mediaSucceeded === mediaUris.length
        ? undefined
        : `${mediaSucceeded} of ${mediaUris.length} media`,
    Runs: runs.length < 2 ? undefined : runs.map(runText),
    Media: more > 0 ? [...uris, `and ${more} more: --json has them all`] : uris,
  });
}

const remainingText = ({ seconds, atLeast }: NonNullable<JobInfo['remaining']>): string =>
  `${atLeast ? 'at least' : 'about'} ${seconds < 60 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`}`;

const ownerText = ({ user, group }: NonNullable<JobInfo['owner']>) =>
  group === undefined ? user : `${user} (${group})`;

const runText = ({ run, what, jobStatus }: NonNullable<JobInfo['runs']>[number]): string =>
  `${run}: ${what}, ${jobStatus}`;

function deliveryText(status: string, failed: JobInfo['callbackAttempts']): string {
  if (failed === undefined) return status;
  const next = failed.nextAttempt === null ? '' : `, the next at ${momentText(failed.nextAttempt)}`;
  // The status of a pending retry may already contain the reason.
  const why = status.startsWith('ERROR: ') ? '' : `: ${failed.lastError ?? 'no reason is known'}`;
  return `${status} (${failed.attempts} failed${next}${why})`;
}
