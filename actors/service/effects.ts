export type ServiceEffect =
  | { readonly type: 'spawn'; readonly incarnation: number }
  | { readonly type: 'signal'; readonly signal: 'SIGTERM' | 'SIGKILL' }
  /** SIGKILL follows when SIGTERM did not end the process in time. */
  | { readonly type: 'killLater'; readonly afterMs: number }
  | { readonly type: 'relaunchLater'; readonly delayMs: number; readonly incarnation: number }
  /** The dispatcher takes back what the process held; `counted` when its end was its own doing. */
  | {
      readonly type: 'gone';
      readonly incarnation: number;
      readonly counted: boolean;
      readonly reason: string;
    }
  | { readonly type: 'unavailable'; readonly reason: string }
  /** Nothing of it is left: its entry goes. */
  | { readonly type: 'removed' };
