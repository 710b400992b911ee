/** Effects after a commit of a streaming job. Each may be performed twice. */
export type StreamingJobEffect =
  /** Asks for a component again, in case the ledger has forgotten it. */
  | { readonly type: 'offer' }
  | { readonly type: 'withdraw' }
  /** The pause before the next attempt ends then: milliseconds since the epoch. */
  | { readonly type: 'retryAt'; readonly at: number }
  /** A health report of this job alone. */
  | { readonly type: 'health' }
  /** The same to whoever wants to hear of stalls. */
  | { readonly type: 'stallReport' }
  /** Reports of segments that lie in the folder of the job go out and to their place. */
  | { readonly type: 'publish' }
  /** A report without tracks that says what went wrong. */
  | { readonly type: 'errorReport'; readonly message: string }
  /** Whoever watches the job hears how it stands. */
  | { readonly type: 'changed' }
  /** Notices wait in the outbox for these destinations. */
  | { readonly type: 'deliver'; readonly destinations: readonly string[] }
  | { readonly type: 'ended' }
  | { readonly type: 'removeFiles' }
  | { readonly type: 'forget' };
