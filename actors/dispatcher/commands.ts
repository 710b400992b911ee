export type DispatcherCommand =
  /** From the node manager: the process is gone. `counted` false when we stopped it ourselves. */
  | {
      readonly type: 'workerGone';
      readonly worker: string;
      readonly counted: boolean;
      readonly reason: string;
    }
  /** From the node manager: nobody can serve this queue now. */
  | { readonly type: 'unavailable'; readonly queue: string; readonly reason: string }
  /** From the node manager: other services are able to work now, so say again what waits. */
  | { readonly type: 'announce' }
  /** From the clock: look at leases that have run out. */
  | { readonly type: 'tick'; readonly stalledMs?: number };

export const DISPATCHER_COMMANDS: ReadonlySet<DispatcherCommand['type']> = new Set([
  'workerGone',
  'unavailable',
  'announce',
  'tick',
]);

export interface DispatcherReply {
  readonly kind: 'done';
}
