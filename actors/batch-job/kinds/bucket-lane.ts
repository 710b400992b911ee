/** Uploads into buckets. They are queued in the lane of the bucket's host. */
import type { ArtifactsWork, FinishWork, MarkupWork } from '../../../protocol/track-work.ts';
import { laneName } from '../../../protocol/transfers.ts';
import { MEDIA_QUEUES } from '../../../protocol/worker-protocol.ts';
import { resultsBucket } from '../../../domain/job/buckets.ts';
import type { Properties } from '../../../domain/types.ts';
import { jobWide } from '../plan/effective-properties.ts';
import type { WorkDone } from '../state/commands.ts';
import type { PlannedFinish } from '../state/planned-work.ts';
import { userOf, type JobRecord } from '../state/record.ts';
import type { SubJobRow } from '../state/state.ts';

export const bucketLane = (
  queue: string,
  record: JobRecord,
  properties: Properties = jobWide(record),
): string => laneName(queue, bucketUrl(properties) ?? '', userOf(record));

/** Returns the next step of a sub-job with results: their upload into a bucket. Returns undefined if there is none. */
export function uploadStep(
  row: SubJobRow,
  { file }: Pick<WorkDone, 'file'>,
  record: JobRecord,
): SubJobRow | undefined {
  const work = row.work as PlannedFinish | ArtifactsWork | MarkupWork;
  if (work.made !== undefined || bucketUrl(work.properties) === undefined) return undefined;
  const queue = bucketLane(MEDIA_QUEUES.UPLOAD, record, work.properties);
  return { ...row, attempts: 0, queue, work: { ...work, made: file } };
}

/** Replaces the key of the answer to upload with its path. */
export const madeAt = (
  { made }: Pick<FinishWork, 'made'>,
  at: (key: string) => string,
): Pick<FinishWork, 'made'> => (made === undefined ? {} : { made: at(made) });

/** Returns '' if the properties are wrong; the use of the bucket reports this. Returns undefined if they name no bucket. */
function bucketUrl(properties: Properties): string | undefined {
  try {
    return resultsBucket(properties)?.url;
  } catch {
    return '';
  }
}
