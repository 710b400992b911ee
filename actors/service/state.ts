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
  /** Number of the process. It is part of the worker name, so that leases of a dead process do not belong to its successor. */
  readonly incarnation: number;
  /** True from the launch of the process until its end. */
  readonly alive: boolean;
  /** True if the process is being ended and will be started again. */
  readonly again: boolean;
  /** True if the process is being ended because it has nothing to do. Work starts it again. */
  readonly resting: boolean;
  /** True if an ADMIN stopped the service. Only an ADMIN starts it again. */
  readonly stopped: boolean;
  readonly restartCount: number;
  /** Times of recent failures to come up: the process ended before its first claim. */
  readonly failures: readonly number[];
  readonly unlaunchable: boolean;
  /** Why the service is unlaunchable, or how its last process ended. */
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
