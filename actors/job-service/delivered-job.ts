import { jobNumber } from '../../domain/job/job-id.ts';
import type { Store } from '../../store/store.ts';
import { deliveryId } from '../batch-job/completion/notice-ids.ts';
import { storedJob, type StoredJob } from '../batch-job/state/stored-job.ts';

/** The job number in the id of a delivery. Null if the id is malformed. */
export const jobOfDeliveryId = (id: string): number | null =>
  jobNumber(/^(.{1,200})_\d{1,15}_callback$/.exec(id)?.[1] ?? '');

/** The job of a delivery. Returns undefined if there is no such job, or if the job has run again since. */
export async function jobOfDelivery(store: Store, id: string): Promise<StoredJob | undefined> {
  const number = jobOfDeliveryId(id);
  const job = number === null ? undefined : await storedJob(store, number);
  return job !== undefined && deliveryId(job.record, job.snapshot.run) === id ? job : undefined;
}
