import { send } from '../kit/api.ts';
import { Risky } from '../kit/parts.tsx';
import type { JobInfo } from './types.ts';

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
