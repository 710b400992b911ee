import { isSeen } from '../../domain/users/owner.ts';
import type { StoredJob } from '../batch-job/state/stored-job.ts';
import type { Initiator } from './state.ts';

/** Whether the user of an operation may see a job. */
export const maySee = ({ sight = 'ALL' }: Initiator, { record }: StoredJob): boolean =>
  isSeen(record.owner, sight);

/** Whether an operation of this user may change the job: its own ones, those without an owner, and all for an ADMIN. */
export const mayChange = ({ owner, isAdmin }: Initiator, { record }: StoredJob): boolean =>
  isAdmin || record.owner === undefined || record.owner.user === owner?.user;
