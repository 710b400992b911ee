import type { SubJobRow } from './state.ts';

/** Files of an ended run. MEDIA: fetched media. WORK: also the spool. ALL: also the results. */
export type RunFiles = 'MEDIA' | 'WORK' | 'ALL';

/** Work to do after a commit. A loaded live job derives all of it again, so nothing is lost if the process ends. */
export type JobEffect =
  | { readonly type: 'offer'; readonly rows: readonly SubJobRow[] }
  /** Offers each row when its next attempt is due. */
  | { readonly type: 'offerLater'; readonly rows: readonly SubJobRow[] }
  | { readonly type: 'cancelWork'; readonly rows: readonly SubJobRow[] }
  | { readonly type: 'removeFiles'; readonly run: number; readonly files: RunFiles }
  /** A retry replaces the document of this run. The search forgets the document, and files for its viewers are deleted. */
  | { readonly type: 'removeViews'; readonly run: number }
  /** All tasks have ended: removes files that the document will not mention. */
  | { readonly type: 'removeStrays' }
  | { readonly type: 'checkArchive' }
  /** The run may have written its document before the store lost its last commits. */
  | { readonly type: 'findDocument' }
  /** The search has not indexed the document yet. */
  | { readonly type: 'index' }
  /** Notices wait in the outbox for these destinations. */
  | { readonly type: 'deliver'; readonly destinations: readonly string[] }
  /** Notices may be pending in the outbox since the end of the job, and the sender may not know of them. */
  | { readonly type: 'deliverPending' }
  /** The files are deleted, so the job itself can be deleted. */
  | { readonly type: 'forget' }
  | { readonly type: 'ended' };
