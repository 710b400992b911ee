import {
  refuseWith,
  WRONG_STATE,
  type Machine,
  type Outcome,
  type Reply,
  type Transitions,
} from '../runtime/machine.ts';
import type { ServiceCommand, ServiceRefusal } from './commands.ts';
import type { ServiceEffect } from './effects.ts';
import { NEW_SERVICE, SERVICE_STATUSES, type ServiceState, type ServiceStatus } from './state.ts';

export interface RestartPolicy {
  /** Delay before a dead process is restarted. It doubles with each failure to come up. */
  readonly delayMs: number;
  readonly maxDelayMs: number;
  /** Number of failures to come up within `withinMs` after which the service is unlaunchable. */
  readonly failures: number;
  readonly withinMs: number;
  /** True if waiting work starts an unlaunchable service again once its failures are older than `withinMs`. */
  readonly retries: boolean;
  /** Time that a process has to end after SIGTERM. */
  readonly stopMs: number;
  /** The same when the server stops. */
  readonly shutdownMs: number;
}

export interface ServiceTypes {
  readonly state: ServiceState;
  readonly command: ServiceCommand;
  readonly effect: ServiceEffect;
  readonly reply: never;
  readonly refusal: ServiceRefusal;
  readonly context: {
    /** Milliseconds since the epoch. */
    readonly at: number;
    readonly policy: RestartPolicy;
  };
  readonly status: ServiceStatus;
}
export type ServiceReply = Reply<ServiceTypes>;
type Change = Outcome<ServiceTypes>;
type Of<T extends ServiceCommand['type']> = Extract<ServiceCommand, { type: T }>;

const allBut = (...others: readonly ServiceStatus[]): readonly ServiceStatus[] =>
  SERVICE_STATUSES.filter((status) => !others.includes(status));

const ON: Transitions<ServiceTypes> = {
  configure: {
    from: allBut('ShuttingDown', 'ShuttingDownNoRestart'),
    to: ['Configured', 'Launching', 'Running', 'ShuttingDown', 'InactiveNoStart'],
    apply(before, { changed }, { policy }) {
      // A removed service that is configured again starts from a new state. Only the count of its processes continues.
      const { status, incarnation } = before;
      const state = status === 'DeleteInactive' ? { ...NEW_SERVICE, incarnation } : before;
      const fresh = { ...state, failures: [], unlaunchable: false };
      if (state.status === 'Delete') return only({ ...fresh, status: 'ShuttingDown', again: true });
      if (isUp(state)) return changed ? restart(fresh, policy) : only(state);
      // A service that an ADMIN stopped stays stopped. An unlaunchable service is tried again only if its configuration changed.
      if (state.status === 'InactiveNoStart' && (state.stopped || !changed)) return only(state);
      return only({ ...fresh, status: 'Configured' });
    },
  },
  delete: {
    from: allBut('Delete', 'DeleteInactive'),
    to: ['Delete', 'DeleteInactive'],
    apply: (state, _, { policy }) =>
      state.alive
        ? end({ ...state, stopped: false, again: false }, 'Delete', policy.stopMs)
        : { state: { ...state, status: 'DeleteInactive' }, effects: [{ type: 'removed' }] },
  },
  launch: {
    from: ['Unknown', 'Configured', 'ShuttingDown', 'Inactive', 'InactiveNoStart'],
    to: ['Launching', 'ShuttingDown', 'InactiveNoStart'],
    apply(state, _, { at, policy }) {
      if (state.stopped) return refuseWith('STOPPED');
      // Work has arrived while an idle process is ending.
      if (state.status === 'ShuttingDown')
        return state.resting ? only({ ...state, again: true }) : WRONG_STATE;
      const failures = recent(state.failures, at, policy);
      const mayTry = policy.retries && failures.length < policy.failures;
      if (state.status === 'InactiveNoStart' && !mayTry)
        return { effects: [{ type: 'unavailable', reason: cannotStart(state.reason) }] };
      return spawn({ ...state, failures, unlaunchable: false });
    },
  },
  rest: {
    from: ['Running'],
    to: ['ShuttingDown'],
    apply: (state, command, { policy }) =>
      isCurrent(state, command)
        ? end({ ...state, resting: true }, 'ShuttingDown', policy.stopMs)
        : refuseWith('STALE'),
  },
  start: {
    from: allBut('Running', 'Delete', 'DeleteInactive'),
    to: ['Launching', 'ShuttingDown'],
    apply(state) {
      const fresh = { ...state, stopped: false, unlaunchable: false, failures: [] };
      if (!state.alive) return spawn(fresh);
      if (state.status === 'Launching') return only(fresh);
      return only({ ...fresh, status: 'ShuttingDown', again: true });
    },
  },
  stop: {
    from: ['Unknown', 'Configured', 'Launching', 'Running', 'ShuttingDown', 'Inactive', 'InactiveNoStart'],
    to: ['ShuttingDownNoRestart', 'InactiveNoStart'],
    apply: (state, _, { policy }) =>
      state.alive
        ? end({ ...state, stopped: true, again: false }, 'ShuttingDownNoRestart', policy.stopMs)
        : only({ ...state, stopped: true, status: 'InactiveNoStart' }),
  },
  started: {
    from: ['Launching'],
    to: ['Running'],
    apply: (state, command) =>
      isCurrent(state, command) ? only({ ...state, status: 'Running' }) : refuseWith('STALE'),
  },
  ended: {
    from: ['Launching', 'Running', 'ShuttingDown', 'ShuttingDownNoRestart', 'Delete'],
    to: ['Configured', 'Launching', 'Inactive', 'InactiveNoStart', 'DeleteInactive'],
    apply(before, command, { at, policy }) {
      if (!isCurrent(before, command)) return refuseWith('STALE');
      const { incarnation, reason } = command;
      const state = { ...before, alive: false, again: false, resting: false, reason };
      const ours: ServiceEffect = { type: 'gone', incarnation, counted: false, reason };
      if (isUp(state)) return after({ ...ours, counted: true }, endedByItself(state, command, at, policy));
      if (before.again) return after(ours, spawn(state));
      if (state.status === 'Delete')
        return { state: { ...state, status: 'DeleteInactive' }, effects: [ours, { type: 'removed' }] };
      if (before.resting && state.status === 'ShuttingDown')
        return { state: { ...state, status: 'Configured' }, effects: [ours] };
      const status = state.status === 'ShuttingDownNoRestart' ? 'InactiveNoStart' : 'Inactive';
      return { state: { ...state, status }, effects: [ours] };
    },
  },
  relaunch: {
    from: ['Launching'],
    to: ['Launching'],
    apply: (state, { incarnation }) =>
      state.alive || incarnation !== state.incarnation ? refuseWith('STALE') : spawn(state),
  },
  kill: {
    from: ['Launching', 'Running', 'ShuttingDown', 'ShuttingDownNoRestart', 'Delete'],
    to: ['Launching', 'Running', 'ShuttingDown', 'ShuttingDownNoRestart', 'Delete'],
    apply: (state, command) =>
      isCurrent(state, command) ? { effects: [{ type: 'signal', signal: 'SIGKILL' }] } : refuseWith('STALE'),
  },
  shutdown: {
    from: allBut('InactiveNoStart', 'DeleteInactive'),
    to: ['ShuttingDown', 'ShuttingDownNoRestart', 'Delete', 'Inactive'],
    apply(state, { withinMs }, { policy }) {
      const shutdownMs = withinMs ?? policy.shutdownMs;
      if (!state.alive) return only({ ...state, status: 'Inactive' });
      if (isUp(state)) return end(state, 'ShuttingDown', shutdownMs);
      // The process was told to end before, and has less time from now on.
      return { state: { ...state, again: false }, effects: [{ type: 'killLater', afterMs: shutdownMs }] };
    },
  },
};

/** The life cycle of a service (specification 3.3). */
export const SERVICE_MACHINE: Machine<ServiceTypes> = {
  initial: NEW_SERVICE,
  statusOf: ({ status }) => status,
  on: ON,
};

/** True if a message is about the current process. */
const isCurrent = ({ alive, incarnation }: ServiceState, about: { readonly incarnation: number }) =>
  alive && about.incarnation === incarnation;

const cannotStart = (reason: string) => `its component cannot be started: ${reason}`;

/** The process ended without a request. It is started again, unless the service is unlaunchable. */
function endedByItself(
  state: ServiceState,
  { incarnation, cameUp, unstartable, reason }: Of<'ended'>,
  at: number,
  policy: RestartPolicy,
): Change {
  const unavailable: ServiceEffect = { type: 'unavailable', reason: cannotStart(reason) };
  if (unstartable === true && state.status === 'Launching')
    return { state: { ...state, status: 'Inactive', unlaunchable: true }, effects: [unavailable] };
  const failures = cameUp ? [] : [...recent(state.failures, at, policy), at];
  if (failures.length >= policy.failures)
    return {
      state: { ...state, failures, status: 'InactiveNoStart', unlaunchable: true },
      effects: [unavailable],
    };
  const delayMs = Math.min(policy.delayMs * 2 ** Math.max(0, failures.length - 1), policy.maxDelayMs);
  const restartCount = state.restartCount + 1;
  return {
    state: { ...state, failures, restartCount, status: 'Launching' },
    effects: [{ type: 'relaunchLater', delayMs, incarnation }],
  };
}

const isUp = ({ status }: ServiceState) => status === 'Launching' || status === 'Running';

/** Ends a running process. A process is told only once to end. */
function end(state: ServiceState, status: ServiceStatus, afterMs: number): Change {
  if (!isUp(state)) return only({ ...state, status });
  return {
    state: { ...state, status },
    effects: [
      { type: 'signal', signal: 'SIGTERM' },
      { type: 'killLater', afterMs },
    ],
  };
}

function restart(before: ServiceState, { stopMs }: RestartPolicy): Change {
  const state = { ...before, restartCount: before.restartCount + 1 };
  return state.alive ? end({ ...state, again: true }, 'ShuttingDown', stopMs) : spawn(state);
}

function spawn(state: ServiceState): Change {
  const incarnation = state.incarnation + 1;
  return {
    state: { ...state, status: 'Launching', alive: true, incarnation },
    effects: [{ type: 'spawn', incarnation }],
  };
}

const only = (state: ServiceState): Change => ({ state });

const after = (first: ServiceEffect, { effects = [], ...change }: Change): Change => ({
  ...change,
  effects: [first, ...effects],
});

const recent = (failures: readonly number[], at: number, { withinMs }: RestartPolicy) =>
  failures.filter((time) => at - time < withinMs);
