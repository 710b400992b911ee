import type { SubJobRow } from './state.ts';

/** Files of an ended run. MEDIA: fetched media. WORK: also the spool. ALL: also the results. */
export type RunFiles = 'MEDIA' | 'WORK' | 'ALL';

/** What is to be done after a commit. All of it is derived again when a live job is loaded, so nothing is lost with the process. */
export type JobEffect =
  | { readonly type: 'offer'; readonly rows: readonly SubJobRow[] }
  /** The same, each when its next attempt is due. */
  | { readonly type: 'offerLater'; readonly rows: readonly SubJobRow[] }
  | { readonly type: 'cancelWork'; readonly rows: readonly SubJobRow[] }
  | { readonly type: 'removeFiles'; readonly run: number; readonly files: RunFiles }
  /** A retry replaces the document of this run: the search finds nothing in it any more, and what was made of it for viewers goes. */
  | { readonly type: 'removeViews'; readonly run: number }
  /** All tasks are over: files go of which the document will not tell. */
  | { readonly type: 'removeStrays' }
  | { readonly type: 'checkArchive' }
  /** The run may have written its document before the store lost its last commits. */
  | { readonly type: 'findDocument' }
  /** The search does not have the document yet. */
  | { readonly type: 'index' }
  /** Notices wait in the outbox for these destinations. */
  | { readonly type: 'deliver'; readonly destinations: readonly string[] }
  /** Notices that the job has owed since its end may wait in the outbox, and nobody may know of it. */
  | { readonly type: 'deliverPending' }
  /** The files are gone: the job itself may go. */
  | { readonly type: 'forget' }
  | { readonly type: 'ended' };
