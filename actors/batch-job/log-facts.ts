import { traceFacts } from '../../domain/job/trace.ts';
import type { ComponentVersions } from '../../protocol/document-work.ts';
import type { JobEnd } from './job-deps.ts';
import type { JobRecord } from './state/record.ts';

/** The fields of log lines that identify a job: its id, user, pipeline and media. */
export const jobFacts = ({ jobId, user, plan, media }: JobRecord) => ({
  jobId,
  user: user ?? null,
  pipeline: plan.name,
  media: media.length,
});

/** Returns how many media of the request were processed without an error. Returns undefined if they were not counted. */
export const mediaSucceeded = (
  { media }: Pick<JobRecord, 'media'>,
  { failedMedia }: Pick<JobEnd, 'failedMedia'>,
): number | undefined => (failedMedia === null ? undefined : media.length - failedMedia);

/** The fields of the log line about the end of a job. */
export const endFacts = (record: JobRecord, end: JobEnd) => ({
  ...endOf(end),
  ...traceFacts(end.trace),
  mediaSucceeded: mediaSucceeded(record, end),
  components: componentVersions(record, end).map(
    ({ algorithm, versions }) => `${algorithm} ${versions.join(', ')}`,
  ),
});

/** Returns the versions of the components that have answered, by action, in pipeline order. */
export const componentVersions = (
  { plan }: Pick<JobRecord, 'plan'>,
  { versions }: Pick<JobEnd, 'versions'>,
): readonly ComponentVersions[] =>
  plan.tasks
    .flatMap(({ actions }) => actions)
    .flatMap(({ name, algorithm }, n) => {
      const known = versions[n] ?? [];
      return known.length === 0 ? [] : [{ action: name, algorithm: algorithm.name, versions: known }];
    });

const endOf = ({ status, startedAt, endedAt, firstError }: JobEnd) => ({
  status,
  ms: Math.max(0, Math.round((endedAt ?? startedAt) - startedAt)),
  ...(firstError === null ? {} : { error: firstError }),
});
