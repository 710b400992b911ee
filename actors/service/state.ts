/** States of a deployed service (specification 3.3). */
export const SERVICE_STATUSES = [
  'Unknown',
  'Configured',
  'Launching',
  'Running',
  'ShuttingDown',
  'ShuttingDownNoRestart',
  'Inactive',
  'InactiveNoStart',
  'Delete',
  'DeleteInactive',
] as const;
export type ServiceStatus = (typeof SERVICE_STATUSES)[number];

export interface ServiceState {
  readonly status: ServiceStatus;
  /** Counts processes; part of the worker's name, so that a dead process's leases are not its successor's. */
  readonly incarnation: number;
  /** There is a process: from its launch until its end. */
  readonly alive: boolean;
  /** It is being ended, but is to be there again. */
  readonly again: boolean;
  /** It is being ended since there is nothing for it to do; work starts it again. */
  readonly resting: boolean;
  /** An ADMIN stopped it; only an ADMIN starts it again. */
  readonly stopped: boolean;
  readonly restartCount: number;
  /** Times of failures to come up (exits before the process ever asked for work) that still count. */
  readonly failures: readonly number[];
  readonly unlaunchable: boolean;
  /** Why it is unlaunchable, or how its last process ended. */
  readonly reason: string;
}

/** The state of a service before it has a configuration. */
export const NEW_SERVICE: ServiceState = {
  status: 'Unknown',
  incarnation: 0,
  alive: false,
  again: false,
  resting: false,
  stopped: false,
  restartCount: 0,
  failures: [],
  unlaunchable: false,
  reason: '',
};

/** The part of the state that survives a restart of the server. */
export interface ServiceMemory {
  readonly restartCount: number;
  readonly stopped: boolean;
}

export const memoryOf = ({ status, restartCount, stopped }: ServiceState): ServiceMemory =>
  status === 'DeleteInactive' ? { restartCount: 0, stopped: false } : { restartCount, stopped };

export function fromMemory({ restartCount, stopped }: ServiceMemory): ServiceState {
  return { ...NEW_SERVICE, restartCount, stopped, status: stopped ? 'InactiveNoStart' : 'Unknown' };
}
