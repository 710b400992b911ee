import { useState } from 'preact/hooks';
import { useEvents } from '../kit/events.ts';
import { countText, fileName, leftText } from '../kit/format.ts';
import { Icon } from '../kit/icons.tsx';
import { Connection, Progress } from '../kit/parts.tsx';
import { hrefOf } from '../kit/route.ts';
import { usePreview } from './running-preview.ts';
import { Chips, MediumPicture } from './tile.tsx';
import type { JobsEvent, ListedJob } from '../jobs/types.ts';
import { TEXT } from '../kit/text.ts';

/** Maximum number of jobs shown. The page of jobs shows the others. */
const SHOWN = 12;
/** Maximum number of chips in a tile. The others are only counted. */
const CHIPS = 3;

/** Running jobs as tiles. `onEnd` is called when a job has left the list. */
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
        <section class="group" aria-label={TEXT.library.running}>
          <h2>{TEXT.library.running}</h2>
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
  const { jobId, jobProgress, mediaUris, mediaCount, waitingFor, remaining } = job;
  const preview = usePreview(jobId);
  const isViewed = preview !== undefined && mediaCount === 1;
  const href = isViewed ? ['jobs', jobId, 'media', preview.medium.mediaId] : ['jobs', jobId];
  const others = mediaCount > 1 ? TEXT.library.and(countText(mediaCount - 1, TEXT.common.other)) : '';
  const state = waitingFor === undefined ? TEXT.library.running : waitingFor.reason;
  const left = remaining === undefined ? '' : leftText(remaining);
  return (
    <a class="tile running" href={hrefOf(href)} title={[mediaUris[0], waitingFor?.reason].join('\n').trim()}>
      <span class="shot">
        {preview === undefined ? (
          <span class="placeholder">
            <Icon name="motion" size={32} />
          </span>
        ) : (
          <MediumPicture medium={preview.medium} key={preview.medium.frame} />
        )}
        <span class="under-way">
          <Progress percent={jobProgress} label={jobId} />
          <span>{waitingFor === undefined ? left : TEXT.common.waiting}</span>
        </span>
      </span>
      <span class="name">{`${fileName(mediaUris[0] ?? jobId)}${others}`}</span>
      <Chips of={preview?.findings ?? []} most={CHIPS} none={state} />
    </a>
  );
}
