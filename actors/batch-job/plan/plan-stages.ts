import { followUpRanges, SOUND_SEGMENT_LENGTH, soundPieces } from '../../../domain/frames/segments.ts';
import type { PlannedAction, PlannedTask } from '../../../domain/plan.ts';
import type { Properties, Range } from '../../../domain/types.ts';
import { List } from '../../basics/immutable.ts';
import { atOnce, type Steps } from '../../runtime/steps.ts';
import type { DecisionContext } from '../state/context.ts';
import { annotates, derives, forPlanning, isFed, passesBy, tasksOn } from './effective-properties.ts';
import { tracksBefore } from './track-inputs.ts';
import { firstUninspected, isInspected, stageIndex, findUnderived } from '../state/media.ts';
import { isOpen, type JobRecord } from '../state/record.ts';
import { mostPieces, SegmentCuts } from './segment-cuts.ts';
import type { JobState, MediumState, Prepared, Processed, Stage, Unit } from '../state/state.ts';
import { singleUnit, unitOf, weightOfAll, WHOLE } from '../state/units.ts';

/** Number of actions on media from which a stage is planned in steps between other work. */
const LARGE_STAGE = 1_000;

/** Returns the units of a stage. They depend only on the record and on results of earlier stages, so a restart computes the same. */
export const planStage = (
  state: JobState,
  stage: Stage,
  context: Pick<DecisionContext, 'record'>,
): List<Unit> => List(atOnce(stageInSteps(state, stage, context)));

/** Plans a stage in steps, because it may be large. */
export function* stageInSteps(
  { media }: Pick<JobState, 'media'>,
  stage: Stage,
  { record }: Pick<DecisionContext, 'record'>,
): Steps<readonly Unit[]> {
  switch (stage.name) {
    case 'WAITING':
    case 'CHECK':
    case 'ENDED':
      return [];
    case 'PREPARE':
      return record.media.flatMap(({ problem }, medium) =>
        problem === undefined && isOpen(record, medium) ? [singleUnit(medium, 0)] : [],
      );
    case 'DERIVED':
      return findUnderived(media)
        .filter((medium) => isOpen(record, medium))
        .map((medium) => singleUnit(medium, 0));
    case 'COPY':
    case 'DOCUMENT':
    case 'UPLOAD':
      return [singleUnit(0, 0)];
    case 'TASK': {
      const units: Unit[] = [];
      // The first task may begin before all media are inspected.
      const end = stage.index === 0 ? firstUninspected(record, media) : media.size;
      for (const ofMedium of plannedMedia(record, media, stage.index, 0, end)) {
        for (const unit of ofMedium) units.push(unit);
        yield;
      }
      return units;
    }
  }
}

/** Adds the units of newly inspected media to the first task, in the order of the media, so that a restart computes the same. */
export function withInspected(state: JobState, { record }: Pick<DecisionContext, 'record'>): JobState {
  const { inspecting, media } = state;
  if (inspecting === null) return state;
  const unplanned = firstUninspected(record, media, inspecting.unplanned);
  if (unplanned === inspecting.unplanned) return state;
  const units = List([...plannedMedia(record, media, 0, inspecting.unplanned, unplanned)].flat());
  return {
    ...state,
    units: state.units.concat(units),
    weight: { ...state.weight, total: state.weight.total + weightOfAll(units).total },
    inspecting: unplanned === record.media.length ? null : { ...inspecting, unplanned },
  };
}

/** Maximum number of answers that arrive together. */
const MOST_ANSWERS = 64;

/** Plans the next task of a large job before the answers that end the stage. Returns undefined if it is too early, or the job is small. */
export function planAhead(record: JobRecord, state: JobState): Steps<void> | undefined {
  const { media, stage, outstanding, inspecting } = state;
  const inspects = inspecting !== null || stage.name === 'PREPARE';
  const next = inspects ? 0 : stageIndex(stage) + 1;
  const task = record.plan.tasks[next];
  if (task === undefined || media.size * task.actions.length < LARGE_STAGE) return undefined;
  if (inspects) return plannedAsInspected(record, state, task);
  return outstanding.size > MOST_ANSWERS ? undefined : planTask(record, media, next);
}

/** Progress of planning the first task of a run while its media are inspected. */
interface Ahead {
  readonly run: number;
  readonly cuts: SegmentCuts;
  /** The first medium that was not queued for inspection yet. */
  next: number;
  /** Media before it that were not inspected yet. */
  readonly waiting: Set<number>;
}
const AHEAD = new WeakMap<JobRecord, Ahead>();

/** Plans media that were inspected in the meantime, in any order, because one medium may delay the media after it. */
function* plannedAsInspected(
  record: JobRecord,
  { run, media, inspecting, units, cursor }: JobState,
  task: PlannedTask,
): Steps<void> {
  let ahead = AHEAD.get(record);
  if (ahead?.run !== run) {
    ahead = { run, cuts: cutsOf(record, media, task, 0), next: 0, waiting: new Set() };
    AHEAD.set(record, ahead);
  }
  const next = inspecting?.next ?? units.get(cursor)?.medium ?? record.media.length;
  for (; ahead.next < next; ahead.next++) ahead.waiting.add(ahead.next);
  for (const medium of ahead.waiting) {
    if (!isInspected(media.get(medium)!)) continue;
    ahead.waiting.delete(medium);
    unitsOfMedium({ record, media, task, cuts: ahead.cuts }, 0, medium);
    yield;
  }
}

function* planTask(record: JobRecord, media: List<MediumState>, task: number): Steps<void> {
  for (const _ of plannedMedia(record, media, task, 0, media.size)) yield;
}

/** Returns the units of a task, medium by medium, from one up to (not including) another. */
function* plannedMedia(
  record: JobRecord,
  media: List<MediumState>,
  index: number,
  from: number,
  end: number,
): Generator<readonly Unit[], void> {
  const task = record.plan.tasks[index];
  if (task === undefined) return;
  const cuts = cutsOf(record, media, task, index);
  for (let medium = from; medium < end; medium++)
    yield unitsOfMedium({ record, media, task, cuts }, index, medium);
}

/** Returns the cuts of a task. Media that are derived while the first task runs do not belong to that task. */
const cutsOf = (record: JobRecord, media: List<MediumState>, task: PlannedTask, index: number) =>
  new SegmentCuts(mostPieces(index === 0 ? record.media.length : mediaOfTask(record, media, index), task));

/** Returns the number of media of a task. A retry cuts media as before, although there may be more media now. */
export const mediaOfTask = (
  { retry }: Pick<JobRecord, 'retry'>,
  media: Pick<List<MediumState>, 'size'>,
  task: number,
): number => retry?.mediaOfTask[task] ?? media.size;

/** Returns the units of a medium. They are planned once for each state of the medium. */
function unitsOfMedium(task: TaskOnMedia, index: number, medium: number): readonly Unit[] {
  const state = task.media.get(medium)!;
  const { mostPieces: most } = task.cuts;
  const known = PLANNED.get(state);
  if (known?.task === task.task && known.mostPieces === most) return known.units;
  const units = unitsOn(task, index, medium);
  PLANNED.set(state, { task: task.task, mostPieces: most, units });
  return units;
}

type TaskOnMedia = Pick<Place, 'record' | 'media' | 'task' | 'cuts'>;

/** The units that were planned last for a state of a medium. */
const PLANNED = new WeakMap<
  MediumState,
  { readonly task: PlannedTask; readonly mostPieces: number; readonly units: readonly Unit[] }
>();

function unitsOn({ record, media, task, cuts }: TaskOnMedia, index: number, medium: number): readonly Unit[] {
  if (!isOpen(record, medium)) return [];
  const { prepared, failedIn } = media.get(medium)!;
  if (prepared === null || (failedIn !== null && failedIn < index)) return [];
  return task.actions.flatMap((action, number) => {
    const unit = unitOfAction({ record, media, task, action, medium, prepared, cuts }, number);
    return unit === null ? [] : [unit];
  });
}

/** An action on a medium. */
interface Place {
  readonly record: JobRecord;
  readonly media: List<MediumState>;
  readonly task: PlannedTask;
  readonly action: PlannedAction;
  readonly medium: number;
  readonly prepared: Prepared;
  /** Cuts of the stage. */
  readonly cuts: SegmentCuts;
}

/** Returns the work of an action on a medium, or null if there is none. */
function unitOfAction(place: Place, number: number): Unit | null {
  const { record, media, task, action, medium, prepared } = place;
  const state = media.get(medium)!;
  const { mediaType } = prepared.facts;
  const properties = forPlanning(record, media, action, medium, mediaType);
  if (passesBy(properties, state.derived !== null)) return null;
  const visual = mediaType === 'VIDEO' || mediaType === 'IMAGE';
  if (task.actionType === 'MARKUP') return visual ? singleUnit(medium, number) : null;
  const wanted: Unit = { ...unitOf(medium, number, []), feed: 'WANTED', pieces: 1 };
  if (tasksOn(record, state).length === 0 && record.media[medium]?.selectors !== undefined) return wanted;
  if (!derives(action) && isFed(record, properties, state))
    return tracksBefore(record, media, medium).length > 0 ? wanted : null;
  const ranges = rangesOf(place, properties);
  return ranges.length === 0 ? null : unitOf(medium, number, ranges);
}

/**
 * Returns the ranges that an action processes. The first task on a medium processes the requested frames; a later one processes the frames
 * in which the task before it found something. If that task found no tracks, there is nothing to do. Videos are cut; sounds are cut for
 * algorithms that support it.
 */
function rangesOf(place: Place, properties: Properties): readonly Range[] {
  const { record, media, medium, prepared, cuts } = place;
  const { facts, ranges } = prepared;
  const before = tasksOn(record, media.get(medium)!).findLast((one) => !leftAlone(place, one));
  if (before?.tracks === 0) return [];
  if (facts.mediaType === 'AUDIO') return stretchesOf(place, properties);
  if (facts.mediaType !== 'VIDEO') return [WHOLE];
  const asked = before === undefined ? ranges : followUpRanges(before.ranges, properties);
  return cuts.cut(asked, properties, facts.frameTimes ?? { fps: 0, constantRate: true });
}

/** Returns ranges of a sound in milliseconds. An algorithm without the property gets the whole sound. */
function stretchesOf({ action, prepared, cuts }: Place, properties: Properties): readonly Range[] {
  const { properties: known } = action.algorithm.providesCollection;
  if (!known.some(({ name }) => name === SOUND_SEGMENT_LENGTH)) return [WHOLE];
  const pieces = soundPieces(properties, Number(prepared.facts.metadata['DURATION']), cuts.mostPieces);
  return pieces.length === 0 ? [WHOLE] : pieces;
}

/**
 * True if a task was an annotator that got no tracks, so that the tracks of the tasks before it still count. The first task on a medium has
 * no tracks before it, so it is never one.
 */
function leftAlone({ record, media, medium, prepared }: Place, one: Processed): boolean {
  const action = record.plan.tasks[one.task]?.actions[0];
  if (one.sections?.length !== 0 || action === undefined || media.get(medium)?.processed[0] === one)
    return false;
  return annotates(forPlanning(record, media, action, medium, prepared.facts.mediaType));
}
