import type { JobTrace } from '../../../domain/job/trace.ts';
import { List } from '../../basics/immutable.ts';
import { SERVER, withCause } from '../failures/causes.ts';
import { errorText } from './issues.ts';
import { untouchedMedia } from './media.ts';
import type { JobRecord } from './record.ts';
import type { JobState } from './state.ts';
import { NO_WEIGHT } from './units.ts';

/** The state before a job is accepted. */
export const NO_JOB: JobState = {
  status: 'UNKNOWN',
  run: 0,
  outdated: null,
  priority: 0,
  stage: { name: 'WAITING' },
  startedAt: 0,
  endedAt: null,
  endedBy: null,
  trace: null,
  objectId: '',
  hasDocument: false,
  unindexed: false,
  cancelledBy: null,
  checkArchive: false,
  pastOutput: null,
  pastStatus: null,
  documentHash: null,
  outputUri: null,
  timing: [],
  versions: [],
  callback: null,
  archive: null,
  removed: false,
  issues: [],
  firstError: null,
  failedMedia: null,
  media: List(),
  units: List(),
  weight: NO_WEIGHT,
  cursor: 0,
  inspecting: null,
  outstanding: new Map(),
  laterRows: new Map(),
};

/** Returns the state of a job before its first stage. */
export function initialState(
  record: JobRecord,
  start: {
    readonly run: number;
    readonly priority: number;
    readonly admitted: boolean;
    readonly waitingTurn?: number | undefined;
    readonly objectId: string;
    readonly trace?: JobTrace | undefined;
    readonly at: number;
  },
): JobState {
  return {
    ...NO_JOB,
    status: start.admitted ? 'IN_PROGRESS' : 'INITIALIZED',
    run: start.run,
    priority: start.priority,
    ...(start.waitingTurn === undefined ? {} : { waitingTurn: start.waitingTurn }),
    startedAt: start.at,
    objectId: start.objectId,
    trace: start.trace ?? null,
    issues: (record.warnings ?? []).map((message) => ({ severity: 'warning', code: 'OTHER', message })),
    firstError: firstOf(record),
    ...causesOf(record, start.at),
    media: untouchedMedia(record),
  };
}

/** Returns the causes of media that cannot be used. */
function causesOf({ media }: JobRecord, at: number): Pick<JobState, 'causes'> {
  const problems = media.flatMap(({ problem }) => (problem === undefined ? [] : [problem]));
  if (problems.length === 0) return {};
  const causes = problems.reduce<JobState['causes']>(
    (known, { code, message }) => withCause(known, { component: SERVER, code, message }, at),
    undefined,
  );
  return { causes };
}

function firstOf({ media }: JobRecord): string | null {
  const problem = media.find((medium) => medium.problem !== undefined)?.problem;
  return problem === undefined ? null : errorText(problem);
}
