import { ApiError } from '../kit/answer.ts';
import { get } from '../kit/api.ts';
import { countText, fileName } from '../kit/format.ts';
import { useLoaded } from '../kit/load.ts';
import type { JobInfo } from './types.ts';
import type { z } from 'zod';
import type { liveIssues } from '../../http/schemas/jobs/job-list.ts';
import { TEXT } from '../kit/text.ts';

type LiveIssues = z.output<typeof liveIssues>;
type Issue = LiveIssues['errors']['shown'][number];

const EVERY_MS = 5_000;

/** Problems of a running job so far. The problems of an ended job are shown with its media. */
export function Issues({ job: { jobId, terminal } }: { readonly job: JobInfo }) {
  const { value } = useLoaded(
    (signal) =>
      terminal
        ? Promise.resolve(undefined)
        : get<LiveIssues>(`rest/jobs/${encodeURIComponent(jobId)}/issues`, {}, signal).catch(whenEnded),
    [jobId, terminal],
    terminal ? undefined : EVERY_MS,
  );
  if (value === undefined) return null;
  return (
    <>
      <IssueList title={TEXT.jobs.error} of={value.errors} mood="bad" />
      <IssueList title={TEXT.jobs.warning} of={value.warnings} mood="warn" />
    </>
  );
}

/** Returns undefined if the job has ended since the last update. */
function whenEnded(error: unknown): undefined {
  if (error instanceof ApiError && error.status === 409) return undefined;
  throw error;
}

function IssueList({
  title,
  of: { shown, count },
  mood,
}: {
  readonly title: string;
  readonly of: { readonly shown: readonly Issue[]; readonly count: number };
  readonly mood: 'bad' | 'warn';
}) {
  if (count === 0) return null;
  return (
    <section class={`issues ${mood}`}>
      <h2>{countText(count, title)}</h2>
      <ul>
        {shown.map((issue, n) => (
          <li key={n}>
            {issue.mediaUri !== null && <strong>{fileName(issue.mediaUri)}: </strong>}
            {issue.message} <small>{`${issue.source} ${issue.code}`}</small>
          </li>
        ))}
      </ul>
      {count > shown.length && <p class="hint">{countText(count - shown.length, TEXT.common.more)}</p>}
    </section>
  );
}
