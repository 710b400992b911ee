export type ServiceEffect =
  | { readonly type: 'spawn'; readonly incarnation: number }
  | { readonly type: 'signal'; readonly signal: 'SIGTERM' | 'SIGKILL' }
  /** Sends SIGKILL if SIGTERM did not end the process in time. */
  | { readonly type: 'killLater'; readonly afterMs: number }
  | { readonly type: 'relaunchLater'; readonly delayMs: number; readonly incarnation: number }
  /** The dispatcher ends the leases of the process. `counted`: an attempt is counted, because the process ended by itself. */
  | {
      readonly type: 'gone';
      readonly incarnation: number;
      readonly counted: boolean;
      readonly reason: string;
    }
  | { readonly type: 'unavailable'; readonly reason: string }
  /** The service was deleted, so its entry is removed. */
  | { readonly type: 'removed' };
