import type { ServiceCommand } from './commands.ts';
import type { ServiceEffect } from './effects.ts';
import type { ServiceState, ServiceStatus } from './state.ts';

export interface RestartPolicy {
  /** Delay before a process that died is started again; doubles with each failure to come up. */
  readonly delayMs: number;
  readonly maxDelayMs: number;
  /** So many failures to come up within `withinMs`, and the service is unlaunchable for as long. */
  readonly failures: number;
  readonly withinMs: number;
}

export interface ServiceChange {
  readonly state: ServiceState;
  readonly effects: readonly ServiceEffect[];
}

type Of<T extends ServiceCommand['type']> = Extract<ServiceCommand, { type: T }>;
interface Transition<T extends ServiceCommand['type']> {
  readonly from: readonly ServiceStatus[];
  readonly to: readonly ServiceStatus[];
  apply(state: ServiceState, command: Of<T>, at: number, policy: RestartPolicy): ServiceChange;
}

/** The life of a service (specification 3.3). A command that a state does not list changes nothing. */
export const SERVICE_TRANSITIONS: { readonly [T in ServiceCommand['type']]: Transition<T> } = {
  launch: {
    from: ['Configured', 'Inactive', 'InactiveNoStart'],
    to: ['Launching', 'InactiveNoStart'],
    apply(state, _, at, policy) {
      const failures = recent(state.failures, at, policy);
      if (failures.length >= policy.failures)
        return {
          state: { ...state, status: 'InactiveNoStart', unlaunchable: true },
          effects: [{ type: 'unavailable', reason: 'its component cannot be started' }],
        };
      return spawn({ ...state, failures, unlaunchable: false });
    },
  },
  started: {
    from: ['Launching'],
    to: ['Running'],
    apply: (state) => ({ state: { ...state, status: 'Running' }, effects: [] }),
  },
  ended: {
    from: ['Launching', 'Running', 'ShuttingDown'],
    to: ['Launching', 'Inactive', 'InactiveNoStart'],
    apply(state, { incarnation, cameUp, reason }, at, policy) {
      const counted = state.status !== 'ShuttingDown';
      const gone: ServiceEffect = { type: 'gone', incarnation, counted, reason };
      if (!counted) return { state: { ...state, status: 'Inactive' }, effects: [gone] };
      const failures = cameUp ? [] : [...recent(state.failures, at, policy), at];
      const restarted: ServiceState = { ...state, failures, restartCount: state.restartCount + 1 };
      if (failures.length >= policy.failures)
        return {
          state: { ...restarted, status: 'InactiveNoStart', unlaunchable: true },
          effects: [gone, { type: 'unavailable', reason: `its component cannot be started: ${reason}` }],
        };
      const delayMs = Math.min(policy.delayMs * 2 ** Math.max(0, failures.length - 1), policy.maxDelayMs);
      return {
        state: { ...restarted, status: 'Launching' },
        effects: [gone, { type: 'relaunchLater', delayMs, incarnation }],
      };
    },
  },
  relaunch: {
    from: ['Launching'],
    to: ['Launching'],
    apply: (state) => spawn(state),
  },
  kill: {
    from: ['Launching', 'Running', 'ShuttingDown'],
    to: ['Launching', 'Running', 'ShuttingDown'],
    apply: (state) => ({ state, effects: [{ type: 'signal', signal: 'SIGKILL' }] }),
  },
  stop: {
    from: ['Configured', 'Launching', 'Running', 'Inactive', 'InactiveNoStart'],
    to: ['ShuttingDown', 'Inactive'],
    apply(state) {
      if (state.status !== 'Running' && state.status !== 'Launching')
        return { state: { ...state, status: 'Inactive' }, effects: [] };
      return {
        state: { ...state, status: 'ShuttingDown' },
        effects: [{ type: 'signal', signal: 'SIGTERM' }, { type: 'killLater' }],
      };
    },
  },
};

export function decideService(
  state: ServiceState,
  command: ServiceCommand,
  at: number,
  policy: RestartPolicy,
): ServiceChange {
  const transition = SERVICE_TRANSITIONS[command.type] as Transition<typeof command.type>;
  const stale = 'incarnation' in command && command.incarnation !== state.incarnation;
  if (stale || !transition.from.includes(state.status)) return { state, effects: [] };
  return transition.apply(state, command, at, policy);
}

function spawn(state: ServiceState): ServiceChange {
  const incarnation = state.incarnation + 1;
  return { state: { ...state, status: 'Launching', incarnation }, effects: [{ type: 'spawn', incarnation }] };
}

const recent = (failures: readonly number[], at: number, { withinMs }: RestartPolicy) =>
  failures.filter((time) => at - time < withinMs);
