import { refuseWith, type Machine } from '../runtime/machine.ts';
import { rowKey, type PausesEffect, type PausesState, type PausesTypes } from './model.ts';

/** Maximum number of pauses. Some may be for queues, services and nodes that no longer exist. */
const MAX_PAUSES = 10_000;

/** Transitions of the pauses of operators. */
export const PAUSES_MACHINE: Machine<PausesTypes> = {
  initial: { pauses: new Map() },
  on: {
    pause: {
      apply({ pauses }, { kind, name, by }, { at }) {
        const pause = { kind, name, at, by };
        const key = rowKey(pause);
        if (pauses.has(key)) return {};
        if (pauses.size >= MAX_PAUSES)
          return refuseWith(
            'FULL',
            `${MAX_PAUSES} queues, services and nodes are paused. Resume some first.`,
          );
        const state = { pauses: new Map(pauses).set(key, pause) };
        return { state, putRows: [{ key, body: pause }], effects: applyPauses(state), synced: true };
      },
    },
    resume: {
      apply({ pauses }, command) {
        const key = rowKey(command);
        if (!pauses.has(key)) return {};
        const state = { pauses: new Map([...pauses].filter(([one]) => one !== key)) };
        // Rows are removed by prefix, and one name may begin with another.
        const putRows = [...state.pauses].map(([other, body]) => ({ key: other, body }));
        return { state, removeRows: [''], putRows, effects: applyPauses(state), synced: true };
      },
    },
    read: { apply: () => ({}) },
  },
};

export const applyPauses = ({ pauses }: PausesState): readonly PausesEffect[] => [
  { type: 'apply', pauses: [...pauses.values()] },
];
