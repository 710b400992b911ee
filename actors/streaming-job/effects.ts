/** Effects after a commit of a streaming job. Each may be performed twice. */
export type StreamingJobEffect =
  /** Requests a component again, in case the ledger has lost the item. */
  | { readonly type: 'offer' }
  | { readonly type: 'withdraw' }
  /** End of the pause before the next attempt, in milliseconds since the epoch. */
  | { readonly type: 'retryAt'; readonly at: number }
  /** Posts a health report of this job alone. */
  | { readonly type: 'health' }
  /** Posts the same report to the address for stalls. */
  | { readonly type: 'stallReport' }
  /** Posts pending reports of segments, and moves them to their folder. */
  | { readonly type: 'publish' }
  /** Sends a report without tracks that contains the error. */
  | { readonly type: 'errorReport'; readonly message: string }
  /** Informs watchers of the job about its state. */
  | { readonly type: 'changed' }
  /** Notices wait in the outbox for these destinations. */
  | { readonly type: 'deliver'; readonly destinations: readonly string[] }
  | { readonly type: 'ended' }
  | { readonly type: 'removeFiles' }
  | { readonly type: 'forget' };
