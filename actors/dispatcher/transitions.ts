import type { Machine } from '../runtime/machine.ts';
import type { DispatcherEffect, DispatcherTypes } from './model.ts';

/** Ticks after which a message that an actor has not handled is sent again: the first one may be lost. */
const TELL_AGAIN = 40;

/** How the dispatcher handles each command. It has only one state. */
export const DISPATCHER_MACHINE: Machine<DispatcherTypes> = {
  initial: { killed: new Set(), ticks: 0 },
  on: {
    workerGone: {
      apply(state, { worker, counted, reason }) {
        const wasKilled = state.killed.has(worker);
        const killed = new Set([...state.killed].filter((other) => other !== worker));
        return {
          state: { ...state, killed },
          effects: [{ type: 'gone', worker, counted: counted && !wasKilled, reason }],
        };
      },
    },
    unavailable: {
      apply: (_, { queue, reason }) => ({ effects: [{ type: 'unavailable', queue, reason }] }),
    },
    announce: { apply: () => ({ effects: [{ type: 'announce' }] }) },
    tick: {
      apply: (state, { stalledMs = 0, steps = 1 }) => ({
        state: { ...state, ticks: state.ticks + steps },
        effects: [{ type: 'expire', stalledMs }],
      }),
    },
    expired: {
      apply(state, { leases }) {
        const killed = new Set([...state.killed, ...leases.map(({ worker }) => worker)]);
        const kills = leases.map((lease): DispatcherEffect => ({ type: 'kill', lease }));
        const again: readonly DispatcherEffect[] =
          state.ticks % TELL_AGAIN === 0 ? [{ type: 'tellAgain' }] : [];
        return { state: { ...state, killed }, effects: [...kills, ...again] };
      },
    },
  },
};
