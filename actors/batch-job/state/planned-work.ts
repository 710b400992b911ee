import type { CopyWork } from '../../../protocol/bucket-work.ts';
import type { PrepareWork } from '../../../protocol/media-work.ts';
import type { FinishWork } from '../../../protocol/track-work.ts';
import type { SubJobAssignment } from '../../../protocol/worker-protocol.ts';

type Work = SubJobAssignment['work'];

/** Planned work, as it is stored. Its files have keys (`FileKey`). The server that leases the work adds the folders that may be read. */
export type PlannedPrepare = Omit<PrepareWork, 'limits'>;
export type PlannedFinish = Omit<FinishWork, 'rollUp'> & { readonly rollUp?: { readonly file: string } };
export type PlannedCopy = Omit<CopyWork, 'files' | 'maxFileBytes'>;
export type PlannedWork =
  | Exclude<Work, PrepareWork | FinishWork | CopyWork>
  | PlannedPrepare
  | PlannedFinish
  | PlannedCopy;
