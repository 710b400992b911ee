/** Builds the work item with which a component makes the index of a job's findings so far. */
import { booleanOf, textOf } from '../../domain/properties/properties.ts';
import { isBlank } from '../../domain/values.ts';
import type { DocumentOutput, FindingsWork } from '../../protocol/document-work.ts';
import type { FetchLimits } from '../../protocol/media-work.ts';
import type { FinishWork } from '../../protocol/track-work.ts';
import { pathOf, type FileKey } from '../../results/file-keys.ts';
import { FINISH } from '../batch-job/kinds/finish.ts';
import { workOnMedium } from '../batch-job/kinds/sub-job.ts';
import type { JobRecord } from '../batch-job/state/record.ts';
import type { Prepared } from '../batch-job/state/state.ts';
import type { StoredJob } from '../batch-job/state/stored-job.ts';
import { headOf } from '../job-files/document-input.ts';
import { finishParts } from '../job-files/finish-parts.ts';
import type { RunningAction } from './medium-progress.ts';
import type { RunningMedium } from './running-medium.ts';

export interface FindingsWorkDeps {
  readonly dataDir: string;
  readonly fetchLimits: FetchLimits;
}

/** The work for the media component. Returns undefined if the job has found nothing yet. */
export async function findingsWork(
  deps: FindingsWorkDeps,
  job: StoredJob,
  { named, medium, prepared, actions }: RunningMedium,
): Promise<Omit<FindingsWork, 'to'> | undefined> {
  if (prepared === undefined) return undefined;
  const at = (key: FileKey) => pathOf(deps.dataDir, key);
  const outputs: DocumentOutput[] = [];
  const unfinished: { output: number; work: FinishWork }[] = [];
  for (const action of actions) {
    const { output, properties, isMarkup, pieces } = action;
    if (output === null) continue;
    if (output.tracks !== null) outputs.push({ ...output, tracks: at(output.tracks) });
    else if (!isMarkup && pieces.some(({ state, tracks = 0 }) => state === 'DONE' && tracks > 0)) {
      const planned = await finishWorkOf(deps, job.record, { action, prepared, medium: named.medium });
      unfinished.push({ output: outputs.length, work: FINISH.paths(planned, at) });
      outputs.push({ ...output, suppressed: booleanOf(properties, 'SUPPRESS_TRACKS') });
    }
  }
  if (outputs.length === 0) return undefined;
  const head = { ...headOf(job), details: null };
  return { head, medium: { ...medium, outputs }, unfinished };
}

interface Unfinished {
  readonly action: RunningAction;
  readonly prepared: Prepared;
  readonly medium: RunningMedium['named']['medium'];
}

/** The same input that FINISH will get, limited to the finished sub-jobs. Files are named by their keys. */
async function finishWorkOf(
  { dataDir, fetchLimits }: FindingsWorkDeps,
  record: JobRecord,
  { action: { action, task, pieces }, prepared, medium }: Unfinished,
): Promise<FinishWork> {
  const { properties, work } = workOnMedium(record, action, medium, prepared);
  const rollUpFile = textOf(properties, 'ROLL_UP_FILE', '').trim();
  const { mediaRoots: roots, excluded } = fetchLimits;
  return {
    medium: work,
    sha256: prepared.facts.sha256,
    prepared: prepared.file,
    parts: (await finishParts(dataDir, pieces)).parts,
    action: action.name,
    algorithm: action.algorithm.name,
    trackType: action.algorithm.trackType,
    properties,
    task,
    ...(isBlank(rollUpFile) ? {} : { rollUp: { file: rollUpFile, roots, excluded } }),
  };
}
