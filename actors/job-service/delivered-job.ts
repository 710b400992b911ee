import { jobNumber } from '../../domain/job/job-id.ts';
import type { Store } from '../../store/store.ts';
import { deliveryId } from '../batch-job/completion/notice-ids.ts';
import { storedJob, type StoredJob } from '../batch-job/state/stored-job.ts';

/** The number of the job in the id of a delivery; null: the id is malformed. */
export const jobOfDeliveryId = (id: string): number | null =>
  jobNumber(/^(.{1,200})_\d{1,15}_callback$/.exec(id)?.[1] ?? '');

/** The job that a delivery belongs to; undefined: there is none of this id, or the job has run again since. */
export async function jobOfDelivery(store: Store, id: string): Promise<StoredJob | undefined> {
  const number = jobOfDeliveryId(id);
  const job = number === null ? undefined : await storedJob(store, number);
  return job !== undefined && deliveryId(job.record, job.snapshot.run) === id ? job : undefined;
}
