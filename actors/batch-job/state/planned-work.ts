import type { CopyWork } from '../../../protocol/bucket-work.ts';
import type { PrepareWork } from '../../../protocol/media-work.ts';
import type { FinishWork } from '../../../protocol/track-work.ts';
import type { SubJobAssignment } from '../../../protocol/worker-protocol.ts';

type Work = SubJobAssignment['work'];

/**
 * What is to be done, as it is stored: files are named by their keys (`FileKey`), and which folders may be read is filled in by the
 * server that hands it out.
 */
export type PlannedPrepare = Omit<PrepareWork, 'limits'>;
export type PlannedFinish = Omit<FinishWork, 'rollUp'> & { readonly rollUp?: { readonly file: string } };
export type PlannedCopy = Omit<CopyWork, 'files' | 'maxFileBytes'>;
export type PlannedWork =
  | Exclude<Work, PrepareWork | FinishWork | CopyWork>
  | PlannedPrepare
  | PlannedFinish
  | PlannedCopy;
