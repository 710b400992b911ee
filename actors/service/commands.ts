export type ServiceCommand =
  /** From the node manager: it is in the configuration. `changed`: what it runs is another thing now. */
  | { readonly type: 'configure'; readonly changed: boolean }
  /** From the node manager: it is in the configuration no more. */
  | { readonly type: 'delete' }
  /** From the node manager: be there, since work waits or since it is to run always. */
  | { readonly type: 'launch' }
  /** From the node manager: there is nothing to do for the process of this incarnation. */
  | { readonly type: 'rest'; readonly incarnation: number }
  /** From an ADMIN. */
  | { readonly type: 'start' }
  | { readonly type: 'stop' }
  /** From the process. */
  | { readonly type: 'started'; readonly incarnation: number; readonly pid: number }
  /** From the process: it is gone. */
  | {
      readonly type: 'ended';
      readonly incarnation: number;
      /** It had asked for work before. */
      readonly cameUp: boolean;
      /** It never was: its command or its folder is missing or must not be used. */
      readonly unstartable?: boolean;
      readonly reason: string;
    }
  /** From the clock, after the back-off. */
  | { readonly type: 'relaunch'; readonly incarnation: number }
  /** From the node manager: end the process of this incarnation now, it hangs. */
  | { readonly type: 'kill'; readonly incarnation: number; readonly reason: string }
  /** From the node manager, when the server stops. It is killed after `withinMs`; absent: after the usual time. */
  | { readonly type: 'shutdown'; readonly withinMs?: number };

/** STALE: the process of the command no longer exists. STOPPED: an ADMIN stopped the service. */
export type ServiceRefusal = 'STALE' | 'STOPPED';
