import { send } from '../kit/api.ts';
import { Risky } from '../kit/parts.tsx';
import type { JobInfo } from './types.ts';

/** What can be done to a job in the state in which it is. */
export function JobButtons({
  job: { jobId, terminal, jobStatus },
  changed,
  gone,
}: {
  readonly job: Pick<JobInfo, 'jobId' | 'terminal' | 'jobStatus'>;
  /** Told when the job has begun again. */
  readonly changed?: () => void;
  /** Told when the job is no more. */
  readonly gone?: () => void;
}) {
  const path = `rest/jobs/${encodeURIComponent(jobId)}`;
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
      <Risky
        ask={`Run ${jobId} again from the start? What it found before is replaced.`}
        act={async () => {
          await send('POST', `${path}/resubmit`);
          changed?.();
        }}
      >
        Run again
      </Risky>
      <Risky
        ask={`Delete ${jobId} with everything that it has made?`}
        act={async () => {
          await send('DELETE', path);
          gone?.();
        }}
      >
        Delete
      </Risky>
    </>
  );
}
