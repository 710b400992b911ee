/** The effects to perform when a job is loaded. */
import { List } from '../../basics/immutable.ts';
import { WRONG_STATE, type Refused } from '../../runtime/machine.ts';
import type { JobChange } from '../state/change.ts';
import type { AdoptDocument, JobRefusal } from '../state/commands.ts';
import type { DecisionContext } from '../state/context.ts';
import type { JobEffect } from '../state/effects.ts';
import { continueFrom, offer } from './progress.ts';
import { survivesCancel } from './stages.ts';
import type { JobState, SubJobRow } from '../state/state.ts';
import { isTerminal, type TERMINAL_STATUSES } from '../state/status.ts';

/** Returns the effects that follow from a job's state. They are performed after a load, because an earlier process may not have done so. */
export function recover(state: JobState): readonly JobEffect[] {
  return [...removalOfOutdated(state), ...effectsNow(state)];
}

/** Removes the files of an earlier run, now that the new run is stored. A retry keeps its files. */
export function removalOfOutdated({ outdated: run, baseRun }: JobState): readonly JobEffect[] {
  if (run === null) return [];
  return [baseRun === undefined ? { type: 'removeFiles', run, files: 'ALL' } : { type: 'removeViews', run }];
}

function effectsNow(state: JobState): readonly JobEffect[] {
  if (isTerminal(state.status)) {
    if (state.removed) return removal(state);
    // The job may have ended by a commit whose reply was lost.
    const owes = (state.callback?.pending ?? 0) + (state.archive?.pending ?? 0) > 0;
    return [
      ...(owes ? [{ type: 'deliverPending' } as const] : []),
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

/** Removes files, also of earlier runs whose removal may have failed. */
export const removal = ({ run }: JobState): JobEffect[] => [
  ...Array.from({ length: run }, (_, before) => before + 1).map((earlier): JobEffect => ({
    type: 'removeFiles',
    run: earlier,
    files: 'ALL',
  })),
  { type: 'forget' },
];

type Before = Pick<JobState, 'status' | 'cancelledBy'>;

/** Status of a run when its document was written, by its final status. */
const BEFORE: Readonly<Record<(typeof TERMINAL_STATUSES)[number], Before>> = {
  COMPLETE: { status: 'IN_PROGRESS', cancelledBy: null },
  COMPLETE_WITH_WARNINGS: { status: 'IN_PROGRESS_WARNINGS', cancelledBy: null },
  ERROR: { status: 'IN_PROGRESS_ERRORS', cancelledBy: null },
  CANCELLED: { status: 'CANCELLING', cancelledBy: 'USER' },
  CANCELLED_BY_SHUTDOWN: { status: 'CANCELLING', cancelledBy: 'SHUTDOWN' },
};

/**
 * The document of the run exists, but the store has no end of the run, because it lost its last commits. The run then ends as the document
 * says. Nothing runs again, because clients may have read the document already.
 */
export function adoptDocument(
  state: JobState,
  { objectId, status, endedAt, sha256 }: AdoptDocument,
  context: DecisionContext,
): JobChange | Refused<JobRefusal> {
  if (state.objectId !== objectId || state.hasDocument) return WRONG_STATE;
  const written: JobState = {
    ...state,
    ...BEFORE[status],
    ...{ stage: { name: 'DOCUMENT' }, endedAt, hasDocument: true, documentHash: sha256 },
    ...{ outstanding: new Map(), units: List(), inspecting: null },
  };
  const change = continueFrom(written, context);
  // The number of failed media is known only if the store has all answers.
  const failedMedia = state.stage.name === 'DOCUMENT' ? change.state.failedMedia : null;
  return {
    ...change,
    state: { ...change.state, failedMedia },
    removeRows: [...(change.removeRows ?? []), ...state.outstanding.keys()],
  };
}
