export type ServiceCommand =
  /** From the node manager: work waits, be there. */
  | { readonly type: 'launch' }
  /** From the process. */
  | { readonly type: 'started'; readonly incarnation: number; readonly pid: number }
  /** From the process: it is gone. `cameUp`: it had asked for work before. */
  | {
      readonly type: 'ended';
      readonly incarnation: number;
      readonly cameUp: boolean;
      readonly reason: string;
    }
  /** From the clock, after the back-off. */
  | { readonly type: 'relaunch'; readonly incarnation: number }
  /** From the node manager: end the process of this incarnation now, it hangs. */
  | { readonly type: 'kill'; readonly incarnation: number; readonly reason: string }
  /** From the node manager, when the server stops. */
  | { readonly type: 'stop' };

export const SERVICE_COMMANDS: ReadonlySet<ServiceCommand['type']> = new Set([
  'launch',
  'started',
  'ended',
  'relaunch',
  'kill',
  'stop',
]);
