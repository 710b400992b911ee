/** States of a deployed service that are in use so far, in the words of specification 3.3. */
export type ServiceStatus =
  'Configured' | 'Launching' | 'Running' | 'ShuttingDown' | 'Inactive' | 'InactiveNoStart';

export interface ServiceState {
  readonly status: ServiceStatus;
  /** Counts processes; part of the worker's name, so that a dead process's leases are not its successor's. */
  readonly incarnation: number;
  readonly restartCount: number;
  /** Times of failures to come up (exits before the process ever asked for work) that still count. */
  readonly failures: readonly number[];
  readonly unlaunchable: boolean;
}

export const NEW_SERVICE: ServiceState = {
  status: 'Configured',
  incarnation: 0,
  restartCount: 0,
  failures: [],
  unlaunchable: false,
};
