/** The kinds of work of a batch job, and the order of its stages. */
import type { FinishSummary } from '../../../protocol/track-work.ts';
import type { WorkKind } from '../../../protocol/worker-protocol.ts';
import { wantsArtifacts } from '../../../domain/tracks/artifact-selection.ts';
import { booleanOf } from '../../../domain/properties/properties.ts';
import { copiesResults, wantsUpload } from '../completion/archive.ts';
import type { DecisionContext } from '../state/context.ts';
import { effectivePropertiesOf } from '../plan/effective-properties.ts';
import { ARTIFACTS } from '../kinds/artifacts.ts';
import { COPY } from '../kinds/copy.ts';
import { DETECT } from '../kinds/detect.ts';
import { DOCUMENT } from '../kinds/document.ts';
import { FEED } from '../kinds/feed.ts';
import { FINISH } from '../kinds/finish.ts';
import type { Kind } from '../kinds/kind.ts';
import { MARKUP } from '../kinds/markup.ts';
import { PREPARE } from '../kinds/prepare.ts';
import { UPLOAD } from '../kinds/upload.ts';
import { stageIndex, findUnderived } from '../state/media.ts';
import type { JobState, Stage, SubJobRow, Unit } from '../state/state.ts';
import { lacksFinish, unitIndex } from '../state/units.ts';

/** All kinds of work of a batch job. */
export const KINDS: Readonly<Record<WorkKind, Kind>> = {
  PREPARE,
  FEED,
  DETECT,
  FINISH,
  ARTIFACTS,
  MARKUP,
  DOCUMENT,
  UPLOAD,
  COPY,
};

/** True if a cancelled job still does this work: it finishes its results, and writes and uploads its document. */
export const survivesCancel = (kind: WorkKind): boolean => KINDS[kind].survivesCancel === true;

/** Returns the order of a stage: earlier stages have smaller numbers. */
export function rankOf(stage: Stage): number {
  switch (stage.name) {
    case 'WAITING':
      return -3;
    case 'PREPARE':
      return -2;
    case 'CHECK':
      return -1;
    case 'COPY':
      return -0.5;
    case 'TASK':
      return stage.index;
    case 'DERIVED':
      return stage.index + 0.5;
    case 'DOCUMENT':
      return Number.MAX_SAFE_INTEGER - 1;
    case 'UPLOAD':
      return Number.MAX_SAFE_INTEGER;
    case 'ENDED':
      return Infinity;
  }
}

/** Returns the stage after this one. A job that is being cancelled continues with its document, or ends if it writes none. */
export function nextStage(state: JobState, { record }: Pick<DecisionContext, 'record'>): Stage {
  const { stage } = state;
  const document: Stage = record.buildOutput ? { name: 'DOCUMENT' } : { name: 'ENDED' };
  if (stage.name === 'DOCUMENT' && state.hasDocument && wantsUpload(record)) return { name: 'UPLOAD' };
  if (stage.name === 'DOCUMENT' || stage.name === 'UPLOAD') return { name: 'ENDED' };
  if (state.pastOutput !== null) return afterMatch(state, { record });
  if (state.status === 'CANCELLING') return document;
  if (stage.name === 'PREPARE' && state.checkArchive && allPrepared(state)) return { name: 'CHECK' };
  if (stage.name === 'TASK' && findUnderived(state.media).length > 0)
    return { name: 'DERIVED', index: stage.index };
  const next = stageIndex(stage) + 1;
  return next < record.plan.tasks.length ? { name: 'TASK', index: next } : document;
}

/** After a match: copies the results of the earlier job into a bucket, or ends. A job that is being cancelled copies nothing. */
export function afterMatch({ stage, status }: JobState, { record }: Pick<DecisionContext, 'record'>): Stage {
  const copies = stage.name !== 'COPY' && status !== 'CANCELLING' && copiesResults(record);
  return { name: copies ? 'COPY' : 'ENDED' };
}

/** True if all media are prepared. A job with a medium that could not be retrieved cannot equal an earlier job. */
const allPrepared = ({ media }: Pick<JobState, 'media'>) => media.every(({ prepared }) => prepared !== null);

/** Returns the kind of the next work on a unit: FEED, or the kind of its stage. */
export function kindOf(
  { stage }: Pick<JobState, 'stage'>,
  unit: Unit,
  { record }: Pick<DecisionContext, 'record'>,
): Kind {
  switch (stage.name) {
    case 'PREPARE':
    case 'DERIVED':
      return PREPARE;
    case 'TASK':
      if (record.plan.tasks[stage.index]?.actionType === 'MARKUP') return MARKUP;
      if (unit.feed === 'WANTED') return FEED;
      return lacksFinish(unit) ? FINISH : DETECT;
    case 'DOCUMENT':
      return DOCUMENT;
    case 'UPLOAD':
      return UPLOAD;
    case 'COPY':
      return COPY;
    case 'WAITING':
    case 'CHECK':
    case 'ENDED':
      throw new Error(`There is no work in the stage ${stage.name}.`);
  }
}

/** Returns the kind of work that follows an answer in its unit: FINISH after the last piece, then ARTIFACTS. */
export function followsOn(state: JobState, row: SubJobRow, context: DecisionContext): Kind | undefined {
  const index = unitIndex(state.units, row);
  const unit = index < 0 ? undefined : state.units.get(index);
  if (state.stage.name !== 'TASK' || unit === undefined) return undefined;
  if (row.kind === 'DETECT') {
    const isComplete = unit.done + unit.failed === unit.pieces;
    return isComplete && unit.done > 0 && unit.finish === 'NONE' ? FINISH : undefined;
  }
  const finished = row.kind === 'FINISH' && row.summary !== undefined && state.status !== 'CANCELLING';
  return finished && hasArtifacts(state, unit, row.summary, context) ? ARTIFACTS : undefined;
}

/** True if any track gets artifacts. Tracks that an annotator returned already have theirs. */
function hasArtifacts(
  { media, stage }: JobState,
  { medium, action }: Unit,
  { tracks, types, sections }: FinishSummary,
  { record }: DecisionContext,
): boolean {
  const planned = record.plan.tasks[stageIndex(stage)]?.actions[action];
  const mediaType = media.get(medium)?.prepared?.facts.mediaType;
  if (tracks === 0 || sections !== undefined || planned === undefined || mediaType === undefined)
    return false;
  const properties = effectivePropertiesOf(record, media, planned, medium, mediaType);
  if (booleanOf(properties, 'SUPPRESS_TRACKS')) return false;
  return wantsArtifacts(properties, Object.keys(types), mediaType);
}
