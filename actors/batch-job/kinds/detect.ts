import type { WorkMedium } from '../../../protocol/media-work.ts';
import { derivingFolder } from '../../../results/layout.ts';
import { withoutKeys } from '../../../domain/job/buckets.ts';
import { integerOf } from '../../../domain/properties/properties.ts';
import { pageRanges } from '../../../domain/frames/segments.ts';
import type { Properties } from '../../../domain/types.ts';
import { annotates, forComponent, isFed } from '../plan/effective-properties.ts';
import { withWarnings } from '../state/issues.ts';
import { pieceName, pieceNumber } from '../state/keys.ts';
import { failedBy } from '../state/media.ts';
import { foldersOf, mediumOf, type JobRecord } from '../state/record.ts';
import type { JobState, SubJobRow, Unit } from '../state/state.ts';
import { nextPiece, WHOLE, withPiece } from '../state/units.ts';
import { pieceOf, type Kind, type ResultOf } from './kind.ts';
import { onMedium } from './paths.ts';
import { settingOf, subJobOfUnit, taskIndex } from './sub-job.ts';

/** DETECT: a component analyzes frames of a medium, or tracks of earlier tasks. */
export const DETECT: Kind<ResultOf<'DETECT'>> = {
  isTimed: true,
  row(state, index, unit, context) {
    const { record } = context;
    const { action, properties, facts, medium: requested, work: medium } = settingOf(state, unit, context);
    const piece = nextPiece(unit);
    const asked = unit.ranges[piece] ?? WHOLE;
    const time = facts.mediaType === 'AUDIO' && asked.stop >= 0 ? { time: asked } : {};
    const range = facts.mediaType === 'AUDIO' ? WHOLE : asked;
    const pages =
      facts.mediaType === 'UNKNOWN' && unit.fed === null ? pageRanges(requested.frameRanges) : undefined;
    const names = { id: String(piece), path: pieceName(piece) };
    const row = subJobOfUnit(state, index, unit, context, names);
    const folder = derivingFolder(foldersOf(record, state), state.run, medium.mediaId);
    const work = {
      medium,
      trackType: action.algorithm.trackType,
      properties: withoutKeys(properties),
      range,
      ...time,
      ...(pages === undefined ? {} : { pages }),
      contextFrames:
        unit.fed === null
          ? Math.min(Math.max(0, range.start), integerOf(properties, 'CONTEXT_FRAMES', 0))
          : 0,
      ...(range.start > 0 && unit.ranges[piece - 1]?.stop === range.start - 1 ? { continues: true } : {}),
      ...(facts.mediaType === 'UNKNOWN' ? { outputFolder: `${folder}.${row.id}` } : {}),
    };
    const fed = unit.fed === null ? {} : { fed: fedPiece(record, state, unit, unit.fed, properties) };
    return { ...row, kind: 'DETECT', queue: action.algorithm.name, range, ...time, work, ...fed };
  },
  paths: (work, at) => ({
    ...onMedium(work, at),
    ...(work.outputFolder === undefined ? {} : { outputFolder: at(work.outputFolder) }),
  }),
  keepResult: (row, { tracks, derived, warnings }) => ({
    ...row,
    tracks,
    ...(derived > 0 ? { derived } : {}),
    ...(tracks + warnings === 0 ? { empty: true } : {}),
  }),
  unit: (unit, row) => (row.state === 'QUEUED' ? withPiece(unit, pieceNumber(row)) : pieceOf(unit, row)),
  media: (media, row) => (row.state === 'FAILED' ? failedBy(media, row) : media),
  foldAnswer: (state, { warnings }) => withWarnings(state, warnings),
};

function fedPiece(
  record: JobRecord,
  { media }: JobState,
  unit: Unit,
  { file, indexAt }: NonNullable<Unit['fed']>,
  properties: Properties,
): NonNullable<SubJobRow['fed']> {
  const { medium } = unit;
  // Selections of media selectors are not tracks, so no annotator returns them.
  const annotate = annotates(properties) && isFed(record, properties, media.get(medium)!);
  const { selectors = [] } = mediumOf(record, media, medium);
  const selective = selectors.some(({ selectionProperties: own }) => Object.keys(own).length > 0);
  return { file, indexAt, piece: nextPiece(unit), annotate, ...(selective ? { selective } : {}) };
}

/** Returns the properties of a piece whose tracks come from one media selector. */
export function selectedProperties(
  record: JobRecord,
  row: Pick<SubJobRow, 'stage' | 'medium' | 'action'>,
  medium: Pick<WorkMedium, 'mediaType' | 'fps'>,
  selector: number,
): Properties {
  const action = record.plan.tasks[taskIndex(row)]!.actions[row.action]!;
  const { properties, selectors } = record.media[row.medium]!;
  const { selectionProperties } = selectors?.[selector] ?? {};
  return withoutKeys(forComponent(record, action, { properties, selector: selectionProperties }, medium));
}
