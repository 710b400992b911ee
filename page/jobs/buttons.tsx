import { send } from '../kit/api.ts';
import { countText } from '../kit/format.ts';
import { Risky } from '../kit/parts.tsx';
import type { JobInfo, ListedJob } from './types.ts';

/** What can be done to a job in the state in which it is. */
export function JobButtons({
  job: { jobId, terminal, jobStatus },
  onChange,
  onGone,
}: {
  readonly job: Pick<JobInfo, 'jobId' | 'terminal' | 'jobStatus'>;
  /** Told when the job has begun again. */
  readonly onChange?: () => void;
  /** Told when the job is no more. */
  readonly onGone?: () => void;
}) {
  const path = pathOf(jobId);
  if (!terminal)
    return (
      <Risky
        ask={`Cancel ${jobId}? What it has found until now is kept.`}
        act={() => send('POST', `${path}/cancel`)}
      >
        {jobStatus === 'CANCELLING' ? 'Cancelling …' : 'Cancel'}
      </Risky>
    );
  return (
    <>
      {jobStatus === 'ERROR' && (
        <Risky
          ask={`Run what failed in ${jobId} again? All other results stay.`}
          act={async () => {
            await send('POST', `${path}/retry`, { what: 'FAILED_SUB_JOBS' });
            onChange?.();
          }}
        >
          Retry failed work
        </Risky>
      )}
      <Risky
        ask={`Run ${jobId} again from the start? What it found before is replaced.`}
        act={async () => {
          await send('POST', `${path}/resubmit`);
          onChange?.();
        }}
      >
        Run again
      </Risky>
      <Risky
        ask={`Delete ${jobId} with everything that it has made?`}
        act={async () => {
          await send('DELETE', path);
          onGone?.();
        }}
      >
        Delete
      </Risky>
    </>
  );
}

const pathOf = (jobId: string) => `rest/jobs/${encodeURIComponent(jobId)}`;

/** What can be done to several of the jobs that are shown; for one there is its own button. */
export function ManyButtons({ jobs }: { readonly jobs: readonly ListedJob[] }) {
  const failed = jobs.filter(({ jobStatus }) => jobStatus === 'ERROR');
  const live = jobs.filter(({ terminal, jobStatus }) => !terminal && jobStatus !== 'CANCELLING');
  if (failed.length < 2 && live.length < 2) return null;
  return (
    <p class="actions">
      {failed.length > 1 && (
        <Risky
          ask={`Run ${countText(failed.length, 'job')} again from the start, of those that are shown and have failed? What they found before is replaced.`}
          act={() => each(failed, 'resubmit')}
        >
          Run {failed.length} failed again
        </Risky>
      )}
      {live.length > 1 && (
        <Risky
          ask={`Cancel the ${countText(live.length, 'job')} that are shown and in progress? Their results so far are kept.`}
          act={() => each(live, 'cancel')}
        >
          Cancel {live.length} in progress
        </Risky>
      )}
    </p>
  );
}

/** One after the other; those that are refused are told in the end, and hold up no others. */
async function each(jobs: readonly ListedJob[], what: 'resubmit' | 'cancel'): Promise<void> {
  const refused: string[] = [];
  for (const { jobId } of jobs)
    await send('POST', `${pathOf(jobId)}/${what}`).catch((error: unknown) =>
      refused.push((error as Error).message),
    );
  if (refused.length > 0)
    throw new Error(`${countText(refused.length, 'job')} of ${jobs.length}: ${refused[0]}`);
}
