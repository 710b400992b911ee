export type ServiceCommand =
  /** From the node manager: the service is in the configuration. `changed`: its command or settings changed. */
  | { readonly type: 'configure'; readonly changed: boolean }
  /** From the node manager: the service is no longer in the configuration. */
  | { readonly type: 'delete' }
  /** From the node manager: run, because work waits or because the service always runs. */
  | { readonly type: 'launch' }
  /** From the node manager: the process of this incarnation has nothing to do. */
  | { readonly type: 'rest'; readonly incarnation: number }
  /** From an ADMIN. */
  | { readonly type: 'start' }
  | { readonly type: 'stop' }
  /** From the process. */
  | { readonly type: 'started'; readonly incarnation: number; readonly pid: number }
  /** From the process: it has ended. */
  | {
      readonly type: 'ended';
      readonly incarnation: number;
      /** The process had claimed work before. */
      readonly cameUp: boolean;
      /** The process could not be started: its command or its folder is missing or not allowed. */
      readonly unstartable?: boolean;
      readonly reason: string;
    }
  /** From the clock, after the back-off. */
  | { readonly type: 'relaunch'; readonly incarnation: number }
  /** From the node manager: kill the process of this incarnation, because it hangs. */
  | { readonly type: 'kill'; readonly incarnation: number; readonly reason: string }
  /** From the node manager, when the server stops. The process is killed after `withinMs`; absent: after the usual time. */
  | { readonly type: 'shutdown'; readonly withinMs?: number };

/** STALE: the process of the command no longer exists. STOPPED: an ADMIN stopped the service. */
export type ServiceRefusal = 'STALE' | 'STOPPED';
