import { useState } from 'preact/hooks';
import { useEvents } from '../kit/events.ts';
import {
  count,
  countText,
  dateText,
  duration,
  elementTitle,
  fileName,
  leftText,
  moment,
} from '../kit/format.ts';
import { Icon } from '../kit/icons.tsx';
import { useGet } from '../kit/load.ts';
import { Connection, Facts, Progress, Shown } from '../kit/parts.tsx';
import { go, hrefOf, type Route } from '../kit/route.ts';
import { analysisTitle } from '../new/goals.ts';
import { JobButtons } from './buttons.tsx';
import { Callback } from './callback.tsx';
import { Issues } from './issues.tsx';
import { JobStatus, Labels, waitingSentence } from './row.tsx';
import { MediaList } from './media.tsx';
import type { JobEvent, JobInfo } from './types.ts';
import { TEXT } from '../kit/text.ts';

/** One job: its current state, its errors and warnings, and its media with their results. */
export function JobView({ id }: { readonly id: string; readonly route: Route }) {
  const path = `rest/jobs/${encodeURIComponent(id)}`;
  const info = useGet<JobInfo>(path, { details: true });
  const [event, setEvent] = useState<JobEvent>();
  const live = info.value?.terminal === false;
  const watching = useEvents(
    live ? `${path}/events` : undefined,
    {},
    {
      job: (data) => {
        const now = data as JobEvent;
        setEvent(now);
        if (now.terminal) info.again();
      },
    },
  );
  return (
    <Shown of={info} title={TEXT.jobs.jobNamed(id)}>
      {(job) => {
        const now = job.terminal || event === undefined ? job : asOf(job, event);
        return (
          <>
            <header class="bar">
              <div>
                <a class="up" href={hrefOf(['jobs'])}>
                  <Icon name="back" size={16} /> {TEXT.common.jobs}
                </a>
                <h1>
                  <span class="title">{titleOf(job)}</span> <JobStatus job={now} />
                </h1>
                <p class="hint">
                  <span>{job.jobId}</span> · {whenText(job)}
                </p>
              </div>
              <span class="actions">
                <JobButtons
                  job={now}
                  onChange={() => {
                    setEvent(undefined);
                    info.again();
                  }}
                  onGone={() => go(hrefOf(['jobs']))}
                />
              </span>
            </header>
            {live && <Connection {...watching} />}
            {!now.terminal && <Stage job={now} event={event} />}
            <JobFacts job={job} />
            {/* Loaded again when the job ends. Until then the problems are counted as they occur. */}
            <Issues job={job} key={`issues ${String(now.terminal)} ${now.jobStatus}`} />
            {job.terminal && job.callbackStatus !== 'NOT REQUESTED' && <Callback job={job} />}
            <MediaList job={job} />
          </>
        );
      }}
    </Shown>
  );
}

/** Returns a title such as `Faces in party.mp4`. */
function titleOf(job: JobInfo): string {
  const [first, ...others] = job.mediaUris;
  const what = analysisTitle(job);
  if (first === undefined) return what;
  const where =
    others.length === 0 ? fileName(first) : countText(others.length + 1, TEXT.jobs.medium, TEXT.jobs.media);
  return TEXT.jobs.in(what, where);
}

/** Returns the job with the values of its newest event. */
const asOf = (job: JobInfo, { jobStatus, jobProgress, terminal }: JobEvent): JobInfo => ({
  ...job,
  jobStatus,
  jobProgress,
  terminal,
});

/** The current stage, or the reason why the job waits. */
function Stage({ job, event }: { readonly job: JobInfo; readonly event: JobEvent | undefined }) {
  const { waitingFor: waiting, remaining } = event ?? job;
  return (
    <section class="stage now" aria-live="polite">
      <p class="long-progress">
        <Progress percent={job.jobProgress} label={job.jobId} />{' '}
        {remaining !== undefined && remaining !== null && <span class="hint">{leftText(remaining)}</span>}
      </p>
      {event !== undefined && <p>{stageSentence(event)}</p>}
      {waiting !== undefined && waiting !== null && <p class="hint">{waitingSentence(waiting)}</p>}
    </section>
  );
}

const STAGES: Readonly<Record<string, string>> = {
  WAITING: TEXT.jobs.itWaitsUntilFewerJobs,
  PREPARE: TEXT.jobs.theMediaAreFetchedAnd,
  CHECK: TEXT.jobs.theArchiveIsSearchedFor,
  COPY: TEXT.jobs.theResultsOfAnEarlier,
  DOCUMENT: TEXT.jobs.theDetectionDocumentIsWritten,
  UPLOAD: TEXT.jobs.theDetectionDocumentIsPut,
  ENDED: TEXT.jobs.itHasEnded,
};

const stageSentence = ({ stage, task }: JobEvent) =>
  task === null
    ? (STAGES[stage] ?? stage)
    : `${elementTitle(task.name)}${task.of > 1 ? TEXT.jobs.stepOf(task.number, task.of) : ''}`;

/** Returns a text such as `Today 8:24 PM · ended after 6.1 s`. */
function whenText({ startDate, endDate }: JobInfo): string {
  const started = dateText(startDate);
  if (endDate === null) return started;
  return `${started} · ${TEXT.jobs.endedAfter(duration(Date.parse(endDate) - Date.parse(startDate)))}`;
}

function JobFacts({ job }: { readonly job: JobInfo }) {
  const { mediaSucceeded, mediaUris } = job;
  return (
    <>
      <Facts
        of={[
          [TEXT.jobs.externalId, job.externalId],
          [TEXT.jobs.labels, job.labels !== undefined && job.labels.length > 0 && <Labels of={job.labels} />],
          [
            TEXT.jobs.succeeded,
            mediaSucceeded !== undefined &&
              mediaSucceeded > 0 &&
              mediaSucceeded < mediaUris.length &&
              TEXT.jobs.ofMedia(
                count(mediaSucceeded),
                countText(mediaUris.length, TEXT.jobs.medium, TEXT.jobs.media),
              ),
          ],
          [TEXT.jobs.archive, shownDelivery(job.archiveStatus, job.archiveAttempts)],
          [TEXT.jobs.callback, shownDelivery(job.callbackStatus, job.callbackAttempts)],
        ]}
      />
      <details>
        <summary>{TEXT.common.details}</summary>
        <Facts
          of={[
            [
              TEXT.common.pipeline,
              job.pipelineActions === undefined ? (
                <a href={hrefOf(['pipelines', job.pipelineName])}>{job.pipelineName}</a>
              ) : (
                job.pipelineActions.join(', ')
              ),
            ],
            [TEXT.common.priority, String(job.jobPriority)],
            [TEXT.jobs.owner, job.owner && ownerText(job.owner)],
          ]}
        />
      </details>
    </>
  );
}

const ownerText = ({ user, group }: NonNullable<JobInfo['owner']>) =>
  group === undefined ? user : `${user} (${group})`;

function shownDelivery(status: string, tried: JobInfo['callbackAttempts']): string | undefined {
  if (status === 'NOT REQUESTED') return undefined;
  if (tried === undefined) return status;
  const next =
    tried.nextAttempt === null ? TEXT.jobs.noneFollows : TEXT.jobs.theNextAt(moment(tried.nextAttempt));
  return TEXT.jobs.attemptsFailed(status, tried.attempts, next, tried.lastError ?? '');
}
