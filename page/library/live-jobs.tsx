import { useState } from 'preact/hooks';
import { useEvents } from '../kit/events.ts';
import { countText, fileName } from '../kit/format.ts';
import { Icon } from '../kit/icons.tsx';
import { Connection, Progress } from '../kit/parts.tsx';
import { hrefOf } from '../kit/route.ts';
import type { JobsEvent, ListedJob } from '../jobs/types.ts';

/** Jobs that are shown; the others are on the page of jobs. */
const SHOWN = 12;

/** Jobs that are under way, as tiles. `onEnd` receives events when one of them has left the list. */
export function LiveJobs({ onEnd }: { readonly onEnd: () => void }) {
  const [jobs, setJobs] = useState<readonly ListedJob[]>([]);
  const watching = useEvents(
    'rest/jobs/events',
    { terminal: false, limit: SHOWN },
    {
      jobs: (data) => {
        const { jobs: changed, order } = data as JobsEvent;
        const byId = new Map([...jobs, ...changed].map((job) => [job.jobId, job]));
        if (jobs.some(({ jobId }) => !order.includes(jobId))) onEnd();
        setJobs(order.flatMap((id) => byId.get(id) ?? []));
      },
    },
  );
  return (
    <>
      <Connection {...watching} />
      {jobs.length > 0 && (
        <section class="group" aria-label="Running">
          <h2>Running</h2>
          <div class="grid">
            {jobs.map((job) => (
              <RunningTile key={job.jobId} job={job} />
            ))}
          </div>
        </section>
      )}
    </>
  );
}

function RunningTile({ job }: { readonly job: ListedJob }) {
  const { jobId, jobProgress, mediaUris, mediaCount, waitingFor } = job;
  return (
    <a class="tile running" href={hrefOf(['jobs', jobId])}>
      <span class="shot">
        <span class="placeholder">
          <Icon name="motion" size={32} />
          <Progress percent={jobProgress} label={jobId} />
        </span>
      </span>
      <span class="name">{fileName(mediaUris[0] ?? jobId)}</span>
      <span class="chips">
        {mediaCount > 1 && <span class="chip none">{countText(mediaCount, 'medium', 'media')}</span>}
        <span class="chip none">{waitingFor === undefined ? 'Running' : waitingFor.reason}</span>
      </span>
    </a>
  );
}
