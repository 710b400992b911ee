import { isSeen } from '../../domain/users/owner.ts';
import type { StoredJob } from '../batch-job/state/stored-job.ts';
import type { Initiator } from './state.ts';

/** True if the user of an operation may see a job. */
export const maySee = ({ sight = 'ALL' }: Initiator, { record }: StoredJob): boolean =>
  isSeen(record.owner, sight);

/**
 * True if an operation of this user may change the job. Users may change their own jobs and those without an owner; an ADMIN may change
 * all.
 */
export const mayChange = ({ owner, isAdmin }: Initiator, { record }: StoredJob): boolean =>
  isAdmin || record.owner === undefined || record.owner.user === owner?.user;
