/** What is to be done for a job that is loaded. */
import type { JobEffect } from '../state/effects.ts';
import { offer } from './progress.ts';
import { survivesCancel } from './stages.ts';
import type { JobState, SubJobRow } from '../state/state.ts';
import { isTerminal } from '../state/status.ts';

/** The effects that a live job's state stands for: performed after a load, when those of an earlier process are gone. */
export function recover(state: JobState): readonly JobEffect[] {
  return [...removalOfOutdated(state), ...effectsNow(state)];
}

/** What an earlier run has left goes only now that the new one is accepted. A retry keeps its files. */
export function removalOfOutdated({ outdated: run, baseRun }: JobState): readonly JobEffect[] {
  if (run === null) return [];
  return [baseRun === undefined ? { type: 'removeFiles', run, files: 'ALL' } : { type: 'removeViews', run }];
}

function effectsNow(state: JobState): readonly JobEffect[] {
  if (isTerminal(state.status)) {
    if (state.removed) return removal(state);
    // It may have ended by a commit of which nobody heard that it was carried out.
    const owes = (state.callback?.pending ?? 0) + (state.archive?.pending ?? 0) > 0;
    return [
      ...(owes ? [{ type: 'deliverOwed' } as const] : []),
      ...(state.unindexed ? [{ type: 'index' } as const] : []),
    ];
  }
  const rows = [...state.outstanding.values()];
  if (rows.length === 0) return state.stage.name === 'CHECK' ? [{ type: 'checkArchive' }] : [];
  const dropped = state.status === 'CANCELLING' ? rows.filter(({ kind }) => !survivesCancel(kind)) : [];
  const kept = rows.filter((row) => !dropped.includes(row));
  return [
    ...offer(kept),
    ...(dropped.length > 0 ? [{ type: 'cancelWork', rows: dropped } as const] : []),
    ...(state.stage.name === 'DOCUMENT' ? [{ type: 'removeStrays' } as const] : []),
  ];
}

/** Offers the transfers whose next attempt is due, and sets the timers of the others. */
export function offerDue({ outstanding }: JobState, at: number): readonly JobEffect[] {
  const waiting = [...outstanding.values()].filter(({ transfer }) => transfer !== undefined);
  const isDue = ({ transfer }: SubJobRow) => (transfer?.notBefore ?? 0) <= at;
  const due = waiting.filter(isDue);
  const others = waiting.filter((row) => !isDue(row));
  return [
    ...(due.length > 0 ? [{ type: 'offer', rows: due } as const] : []),
    ...(others.length > 0 ? [{ type: 'offerLater', rows: others } as const] : []),
  ];
}

/** Also of earlier runs: what could not be removed when they were over may be still there. */
export const removal = ({ run }: JobState): JobEffect[] => [
  ...Array.from({ length: run }, (_, before) => before + 1).map((earlier): JobEffect => ({
    type: 'removeFiles',
    run: earlier,
    files: 'ALL',
  })),
  { type: 'forget' },
];
