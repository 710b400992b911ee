/** A medium of a running job, read from the rows of its sub-jobs. */
import type { DocumentMedium } from '../../protocol/document-work.ts';
import type { MediumProgress } from '../../domain/tracks/viewing.ts';
import { allRows, type Store } from '../../store/store.ts';
import { BATCH_JOB, mediumPrefix } from '../batch-job/state/keys.ts';
import { baseRunOf } from '../batch-job/state/record.ts';
import type { Prepared, SubJobRow } from '../batch-job/state/state.ts';
import type { StoredJob } from '../batch-job/state/stored-job.ts';
import { documentMedium } from '../job-files/document-input.ts';
import type { NamedMedium } from '../job-files/derived-media.ts';
import { actionsOn } from '../job-files/document-outputs.ts';
import { mediumProgress, type Piece, type RunningAction } from './medium-progress.ts';

export interface RunningMedium {
  readonly named: NamedMedium;
  /** Changes with each answer. */
  readonly version: string;
  /** Number of rows that were read. */
  readonly rows: number;
  readonly medium: DocumentMedium;
  /** Undefined if the medium is not inspected yet, or could not be inspected. */
  readonly prepared: Prepared | undefined;
  readonly actions: readonly RunningAction[];
  readonly progress: MediumProgress;
}

/** Reads a medium of a running job. Its files are named by their keys. */
export async function readRunningMedium(
  store: Store,
  job: StoredJob,
  named: NamedMedium,
): Promise<RunningMedium> {
  const { record, snapshot } = job;
  const { rows, pieces, answered, count } = await readRows(store, job, named.index);
  const of = { ...named, rows };
  const prepared = rows.find((row) => row.prepared !== undefined)?.prepared;
  const actions = actionsOn(record, of).map((action): RunningAction => {
    const own = pieces.get(placeOf(action.task, action.number)) ?? [];
    return { ...action, taskName: record.plan.tasks[action.task]!.name, pieces: own };
  });
  return {
    named,
    version: `${snapshot.run}-${answered}`,
    rows: count,
    medium: documentMedium(job, of),
    prepared,
    actions,
    progress: mediumProgress(prepared, actions),
  };
}

interface MediumSubJobs {
  /** All rows except those of detector sub-jobs that have not failed. */
  readonly rows: readonly SubJobRow[];
  /** Sub-jobs of detectors, by task and action. */
  readonly pieces: ReadonlyMap<string, readonly Piece[]>;
  readonly answered: number;
  readonly count: number;
}

/** A medium may have a hundred thousand sub-jobs, so only the needed fields of each stay in memory. */
async function readRows(
  store: Store,
  { record, snapshot }: StoredJob,
  medium: number,
): Promise<MediumSubJobs> {
  const rows: SubJobRow[] = [];
  const pieces = new Map<string, Piece[]>();
  const actor = { kind: BATCH_JOB, id: String(record.number) };
  let [answered, count] = [0, 0];
  for await (const { body } of allRows(store, actor, mediumPrefix(baseRunOf(snapshot), medium))) {
    const row = body as SubJobRow;
    count += 1;
    if (row.state !== 'QUEUED') answered += 1;
    if (row.kind !== 'DETECT' || row.error !== undefined) rows.push(row);
    if (row.kind !== 'DETECT' || row.stage.name !== 'TASK') continue;
    const place = placeOf(row.stage.index, row.action);
    const known = pieces.get(place);
    if (known === undefined) pieces.set(place, [toPiece(row)]);
    else known.push(toPiece(row));
  }
  return { rows, pieces, answered, count };
}

const placeOf = (task: number, action: number) => `${task}.${action}`;

const toPiece = ({ state, range, time, file, fed, derived, tracks }: SubJobRow): Piece => ({
  ...{ state, range },
  ...(time === undefined ? {} : { time }),
  ...(file === undefined ? {} : { file }),
  ...(fed === undefined ? {} : { fed }),
  ...(derived === undefined ? {} : { derived }),
  ...(tracks === undefined ? {} : { tracks }),
});
