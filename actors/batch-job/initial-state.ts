import { List } from 'immutable';
import { errorText } from './issues.ts';
import { untouched } from './media.ts';
import type { JobRecord } from './record.ts';
import type { JobState } from './state.ts';
import { NO_WEIGHT } from './units.ts';

/** A job before its first stage. */
export function initialState(
  record: JobRecord,
  start: {
    readonly run: number;
    readonly priority: number;
    readonly admitted: boolean;
    readonly objectId: string;
    readonly at: number;
  },
): JobState {
  return {
    status: start.admitted ? 'IN_PROGRESS' : 'INITIALIZED',
    run: start.run,
    outdated: null,
    unnumbered: null,
    priority: start.priority,
    stage: { name: 'WAITING' },
    startedAt: start.at,
    endedAt: null,
    objectId: start.objectId,
    hasDocument: false,
    cancelledBy: null,
    checkArchive: false,
    pastOutput: null,
    pastStatus: null,
    documentHash: null,
    outputUri: null,
    timing: [],
    callback: null,
    archive: null,
    removed: false,
    issues: (record.warnings ?? []).map((message) => ({ severity: 'warning', code: 'OTHER', message })),
    firstError: firstOf(record),
    media: untouched(record),
    units: List(),
    weight: NO_WEIGHT,
    cursor: 0,
    outstanding: new Map(),
  };
}

function firstOf({ media }: JobRecord): string | null {
  const problem = media.find((medium) => medium.problem !== undefined)?.problem;
  return problem === undefined ? null : errorText(problem);
}
