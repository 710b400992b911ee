import type { StoredJob } from '../batch-job/state/stored-job.ts';
import type { Initiator } from './state.ts';

/** Whether an operation of this user may change the job. Every user may change every job. */
export const mayChange = (_by: Initiator, _job: StoredJob): boolean => true;
