import type { FinishPart, FinishWork } from '../../../protocol/track-work.ts';
import { MEDIA_QUEUES } from '../../../protocol/worker-protocol.ts';
import { derivativeFolder, derivingFolder, selectorsOutputFile } from '../../../results/layout.ts';
import type { PlannedAction } from '../../../domain/plan.ts';
import { textOf } from '../../../domain/properties/properties.ts';
import { thresholdWarnings } from '../../../domain/tracks/quality.ts';
import { canonicalName, isBlank } from '../../../domain/values.ts';
import type { DecisionContext } from '../state/context.ts';
import { annotates, isFed } from '../plan/effective-properties.ts';
import { withWarnings, type Failure } from '../state/issues.ts';
import { tracksBefore } from '../plan/track-inputs.ts';
import { failedBy, withDerived, withFound, withMedium } from '../state/media.ts';
import type { PlannedFinish } from '../state/planned-work.ts';
import { foldersOf, type RequestedMedium } from '../state/record.ts';
import type { JobState, Unit } from '../state/state.ts';
import { madeAt, uploadStep } from './bucket-lane.ts';
import { refuseRow, type Kind, type ResultOf } from './kind.ts';
import { onMedium, sourcesAt, type PathOf } from './paths.ts';
import { settingOf, subJobOfUnit, taskIndex } from './sub-job.ts';

/** FINISH: converts the raw tracks of an action on a medium into their final form. */
export const FINISH: Kind<ResultOf<'FINISH'>> = {
  survivesCancel: true,
  row(state, index, unit, context) {
    const { record, settings } = context;
    const { action, properties, facts, prepared, medium, work: workMedium } = settingOf(state, unit, context);
    const rollUpFile = textOf(properties, 'ROLL_UP_FILE', '');
    const annotating = annotates(properties) && isFed(record, properties, state.media.get(unit.medium)!);
    const work: PlannedFinish = {
      medium: workMedium,
      sha256: facts.sha256,
      prepared,
      // Filled in when a component claims the work. The rows contain the answered pieces and their files.
      parts: [],
      action: action.name,
      algorithm: action.algorithm.name,
      trackType: action.algorithm.trackType,
      properties,
      task: taskIndex(state),
      privateBuckets: settings.privateBuckets,
      ...(isBlank(rollUpFile) ? {} : { rollUp: { file: rollUpFile.trim() } }),
      ...(annotating ? { annotated: tracksBefore(record, state.media, unit.medium) } : {}),
      ...derivingWork(state, unit, medium, context),
      ...selectorsWork(state, medium, action, context),
    };
    const row = subJobOfUnit(state, index, unit, context, { id: 'finish', path: 'f' });
    return { ...row, kind: 'FINISH', queue: MEDIA_QUEUES.FINISH, work };
  },
  paths: finishAt,
  keys({ summary, ...result }, keyOf) {
    const { derived } = summary;
    if (derived === undefined) return { ...result, summary };
    return {
      ...result,
      summary: { ...summary, derived: derived.map((one) => ({ ...one, path: keyOf(one.path) })) },
    };
  },
  nextStep(row, answer, record) {
    const { summary } = answer.result as ResultOf<'FINISH'>;
    const names = summary.selectorsOutputUri !== undefined || (summary.derived?.length ?? 0) > 0;
    return names ? uploadStep(row, answer, record) : undefined;
  },
  knownAnswer({ work }, { empty }) {
    // Roll-up files, annotators and outputs of selectors need FINISH even if nothing was found.
    if (!empty || work === null || !('parts' in work)) return undefined;
    if (work.rollUp !== undefined || work.annotated !== undefined || work.selectorsOutput !== undefined)
      return undefined;
    const warnings = thresholdWarnings(work.properties);
    return {
      ok: true,
      kind: 'FINISH',
      summary: { tracks: 0, detections: 0, types: {}, warnings, ranges: [] },
    };
  },
  keepResult(row, { summary }, state, context) {
    const derived = summary.derived?.length ?? 0;
    // Other sub-jobs may have derived media in the meantime.
    if (derived > roomForDerived(state, context)) return refuseRow(row, tooManyDerived(context));
    return { ...row, summary, ...(derived > 0 ? { derivedAt: state.media.size } : {}) };
  },
  unit: (unit, { state, file = null }) =>
    state === 'QUEUED'
      ? { ...unit, finish: 'MADE' }
      : { ...closedUnit(unit), finish: 'DONE', finished: file },
  media(media, row) {
    const { summary } = row;
    if (summary === undefined) return failedBy(media, row);
    return withDerived(
      withMedium(media, row, (medium) => withFound(medium, row, summary)),
      row,
      summary,
    );
  },
  foldAnswer: (state, { summary }) => withWarnings(state, summary.warnings.length),
};

/** Returns a finished unit. It has no more pieces, even if a retry would cut the medium differently. */
const closedUnit = (unit: Unit): Unit => ({
  ...unit,
  feed: unit.feed === 'WANTED' ? 'DONE' : unit.feed,
  pieces: unit.done + unit.failed,
  gaps: [],
});

const roomForDerived = ({ media }: JobState, { record, settings }: DecisionContext): number =>
  Math.max(0, settings.maxDerived - (media.size - record.media.length));

const tooManyDerived = ({ settings }: DecisionContext): Failure => ({
  code: 'OTHER',
  message: `The job has more derivative media than MAX_DERIVATIVE_MEDIA allows (${settings.maxDerived}).`,
});

function derivingWork(
  state: JobState,
  unit: Unit,
  { mediaId }: RequestedMedium,
  context: DecisionContext,
): Pick<PlannedFinish, 'derive'> {
  if (unit.derived === 0) return {};
  const { record } = context;
  return {
    derive: {
      folder: derivativeFolder(foldersOf(record, state), mediaId),
      from: derivingFolder(foldersOf(record, state), state.run, mediaId),
      firstMediaId: 0,
      most: roomForDerived(state, context),
    },
  };
}

/** Returns the output document of the selectors of a medium. Only one action of the medium fills it. */
function selectorsWork(
  state: JobState,
  { mediaId, selectors, selectorsOutputAction: wanted }: RequestedMedium,
  { name }: PlannedAction,
  { record }: DecisionContext,
): Pick<PlannedFinish, 'selectorsOutput'> {
  if (selectors === undefined || wanted === undefined || canonicalName(wanted) !== canonicalName(name))
    return {};
  return {
    selectorsOutput: {
      selectors,
      file: selectorsOutputFile(foldersOf(record, state), mediaId),
    },
  };
}

function finishAt(work: FinishWork, at: PathOf): FinishWork {
  const { prepared, parts, annotated, derive, selectorsOutput } = work;
  return {
    ...onMedium(work, at),
    ...madeAt(work, at),
    prepared: at(prepared),
    parts: parts.map((part) => partAt(part, at)),
    ...(annotated === undefined ? {} : { annotated: sourcesAt(annotated, at) }),
    ...(derive === undefined
      ? {}
      : { derive: { ...derive, folder: at(derive.folder), from: at(derive.from) } }),
    ...(selectorsOutput === undefined
      ? {}
      : { selectorsOutput: { ...selectorsOutput, file: at(selectorsOutput.file) } }),
  };
}

const partAt = ({ fed, ...part }: FinishPart, at: PathOf): FinishPart => ({
  ...part,
  path: at(part.path),
  ...(fed === undefined ? {} : { fed: { ...fed, path: at(fed.path) } }),
});
