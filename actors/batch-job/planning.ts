import { List } from 'immutable';
import type { FetchLimits, FinishSummary } from '../../components/sdk/protocol.ts';
import { followUpRanges } from '../../pipeline/segments.ts';
import type { PlannedAction, PlannedTask } from '../../pipeline/plan.ts';
import type { Properties, Range } from '../../pipeline/types.ts';
import { annotates, derives, forPlanning, isFed, passesBy, tasksOn } from './in-force.ts';
import { tracksBefore } from './lineage.ts';
import type { JobRecord } from './record.ts';
import { SegmentCuts } from './segment-cuts.ts';
import type { JobState, MediumState, Prepared, Processed, Stage, SubJobRow, Unit } from './state.ts';
import type { Steps } from '../runtime/steps.ts';
import { atOnce } from '../runtime/steps.ts';
import type { Given } from './transitions.ts';
import { NO_WEIGHT, unitOf } from './units.ts';

/** Settings of the server that a job's decisions depend on. */
export interface JobSettings {
  readonly dataDir: string;
  /** Sub-jobs of one job that are queued or run at a time. */
  readonly window: number;
  /** Attempts at a sub-job before it is given up. */
  readonly attempts: number;
  readonly fetchLimits: FetchLimits;
  /** Media that may be derived from those of one job. */
  readonly maxDerived: number;
  /** Whether buckets for results may have loopback and private addresses. */
  readonly privateBuckets: boolean;
  /** Hosts that results of earlier jobs may be fetched from in any case. */
  readonly allowedHosts: readonly string[];
  /** Files of an earlier job that are copied at a time. */
  readonly copiesAtOnce: number;
  /** Of the document of an earlier job of another service. */
  readonly maxArchivedBytes: number;
  /** How the service names itself towards an archive. */
  readonly system: { readonly version: string; readonly host: string };
}

/** Sub-jobs of one task: a job that would have more gets longer segments, and several tracks in a sub-job that are fed. */
const MAX_PIECES = 100_000;
/** Actions on media from which on a stage is planned in turns with other work. */
const LARGE_STAGE = 1_000;
export const WHOLE: Range = { start: 0, stop: -1 };

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

/** As the log has it. */
export const errorText = ({ code, message }: { readonly code: string; readonly message: string }) =>
  `${code}: ${message}`.slice(0, 300);

/** The media before anything is known of them but what was wrong at creation. */
export const untouched = (record: JobRecord): List<MediumState> =>
  List(
    record.media.map(({ problem }) => ({
      prepared: null,
      failedIn: problem === undefined ? null : -1,
      processed: [],
      found: {},
      derived: null,
    })),
  );

/** The units of a stage: a pure function of the record and of what the earlier stages found out, so a restart finds the same. */
export const planStage = (state: JobState, stage: Stage, given: Pick<Given, 'record'>): List<Unit> =>
  List(atOnce(stageInSteps(state, stage, given)));

/** The same in steps, for a stage that may be a large one. */
export function* stageInSteps(
  { media }: Pick<JobState, 'media'>,
  stage: Stage,
  { record }: Pick<Given, 'record'>,
): Steps<readonly Unit[]> {
  switch (stage.name) {
    case 'WAITING':
    case 'CHECK':
    case 'ENDED':
      return [];
    case 'PREPARE':
      return record.media.flatMap(({ problem }, medium) =>
        problem === undefined ? [unitOf(medium, 0, [WHOLE])] : [],
      );
    case 'DERIVED':
      return underived(media).map((medium) => unitOf(medium, 0, [WHOLE]));
    case 'COPY':
    case 'DOCUMENT':
    case 'UPLOAD':
      return [unitOf(0, 0, [WHOLE])];
    case 'TASK': {
      const units: Unit[] = [];
      for (const ofMedium of plannedMedia(record, media, stage.index)) {
        for (const unit of ofMedium) units.push(unit);
        yield;
      }
      return units;
    }
  }
}

/** The next task of a large job, as far as it can be planned before the answer that ends the stage; undefined: not yet, or it is no large one. */
export function planAhead(
  record: JobRecord,
  { media, stage, outstanding }: JobState,
): Steps<void> | undefined {
  const next = stageIndex(stage) + 1;
  const actions = record.plan.tasks[next]?.actions.length ?? 0;
  if (outstanding.size > 1 || media.size * actions < LARGE_STAGE) return undefined;
  return planned(record, media, next);
}

function* planned(record: JobRecord, media: List<MediumState>, task: number): Steps<void> {
  for (const _ of plannedMedia(record, media, task)) yield;
}

/** The units of a task, medium by medium. */
function* plannedMedia(
  record: JobRecord,
  media: List<MediumState>,
  index: number,
): Generator<readonly Unit[], void> {
  const task = record.plan.tasks[index];
  if (task === undefined) return;
  const cuts = new SegmentCuts(mostPieces(media, task));
  for (const [medium, state] of media.entries()) {
    const known = PLANNED.get(state);
    if (known?.task === task && known.mostPieces === cuts.mostPieces) {
      yield known.units;
      continue;
    }
    const units = unitsOn({ record, media, task, cuts }, index, medium);
    PLANNED.set(state, { task, mostPieces: cuts.mostPieces, units });
    yield units;
  }
}

/** What was planned last for a medium of which nothing else has become known since. */
const PLANNED = new WeakMap<
  MediumState,
  { readonly task: PlannedTask; readonly mostPieces: number; readonly units: readonly Unit[] }
>();

function unitsOn(
  { record, media, task, cuts }: Pick<Place, 'record' | 'media' | 'task' | 'cuts'>,
  index: number,
  medium: number,
): readonly Unit[] {
  const { prepared, failedIn } = media.get(medium)!;
  if (prepared === null || (failedIn !== null && failedIn < index)) return [];
  return task.actions.flatMap((action, number) => {
    const unit = unitOfAction({ record, media, task, action, medium, prepared, cuts }, number);
    return unit === null ? [] : [unit];
  });
}

/** Media that were derived and that nobody has looked at yet. */
export const underived = (media: List<MediumState>): readonly number[] =>
  media
    .toArray()
    .flatMap(({ derived, prepared, failedIn }, index) =>
      derived !== null && prepared === null && failedIn === null ? [index] : [],
    );

/** An action on a medium. */
interface Place {
  readonly record: JobRecord;
  readonly media: List<MediumState>;
  readonly task: PlannedTask;
  readonly action: PlannedAction;
  readonly medium: number;
  readonly prepared: Prepared;
  /** Those of the stage. */
  readonly cuts: SegmentCuts;
}

/** What an action has to do on a medium; null when that is nothing. */
function unitOfAction(place: Place, number: number): Unit | null {
  const { record, media, task, action, medium, prepared } = place;
  const state = media.get(medium)!;
  const { mediaType } = prepared.facts;
  const properties = forPlanning(record, media, action, medium, mediaType);
  if (passesBy(properties, state.derived !== null)) return null;
  const visual = mediaType === 'VIDEO' || mediaType === 'IMAGE';
  if (task.actionType === 'MARKUP') return visual ? unitOf(medium, number, [WHOLE]) : null;
  const wanted: Unit = { ...unitOf(medium, number, []), feed: 'WANTED', pieces: 1 };
  if (tasksOn(record, state).length === 0 && record.media[medium]?.selectors !== undefined) return wanted;
  if (!derives(action) && isFed(record, properties, state))
    return tracksBefore(record, media, medium).length > 0 ? wanted : null;
  const ranges = rangesOf(place, properties);
  return ranges.length === 0 ? null : unitOf(medium, number, ranges);
}

/** Pieces of one unit at most. */
export function mostPieces(media: List<MediumState>, { actions }: PlannedTask): number {
  return Math.max(2, Math.floor(MAX_PIECES / media.size / actions.length));
}

/**
 * What an action looks at: in the first task on a medium the frames that were asked for, later those in which the task before
 * found something; no tracks there, nothing to do. Only videos are cut.
 */
function rangesOf(place: Place, properties: Properties): readonly Range[] {
  const { record, media, medium, prepared, cuts } = place;
  const { facts, ranges } = prepared;
  const before = tasksOn(record, media.get(medium)!).findLast((one) => !leftAlone(place, one));
  if (before?.tracks === 0) return [];
  if (facts.mediaType !== 'VIDEO') return [WHOLE];
  const asked = before === undefined ? ranges : followUpRanges(before.ranges, properties);
  return cuts.cut(asked, properties, facts.frameTimes ?? { fps: 0, constantRate: true });
}

/** An annotator that was fed nothing: the tracks before it stand as they did. The first task on a medium has none before it. */
function leftAlone({ record, media, medium, prepared }: Place, one: Processed): boolean {
  const action = record.plan.tasks[one.task]?.actions[0];
  if (one.sections?.length !== 0 || action === undefined || media.get(medium)?.processed[0] === one)
    return false;
  return annotates(forPlanning(record, media, action, medium, prepared.facts.mediaType));
}

/** A task that was fed nothing has found nothing, and has taken nothing away. */
export function withNothingFed(
  medium: MediumState,
  { action, stage, file = '' }: Pick<SubJobRow, 'action' | 'stage' | 'file'>,
): MediumState {
  if (action !== 0) return medium;
  const nothing = { task: stageIndex(stage), file, tracks: 0, ranges: [], sections: [] };
  return { ...medium, processed: [...medium.processed, nothing] };
}

/** What the finishing of an action on a medium, or the extraction of its artifacts, adds to what is known of the medium. */
export function withFound(
  medium: MediumState,
  { action, stage, kind, file = '' }: Pick<SubJobRow, 'action' | 'stage' | 'kind' | 'file'>,
  { types, tracks, ranges, sections }: FinishSummary,
): MediumState {
  const task = stageIndex(stage);
  // Artifacts and annotators find nothing new.
  const found = kind === 'FINISH' && sections === undefined ? sumOf(medium.found, types) : medium.found;
  if (action !== 0) return { ...medium, found };
  const processed = { task, file, tracks, ranges, ...(sections === undefined ? {} : { sections }) };
  // Only the frames of the last task are looked at again.
  const others = medium.processed
    .filter((other) => other.task !== task)
    .map((other) => (other.ranges.length === 0 ? other : { ...other, ranges: [] }));
  return { ...medium, found, processed: [...others, processed] };
}

/** A component may name its types as it likes, also as what every object has. */
function sumOf(a: MediumState['found'], b: MediumState['found']): MediumState['found'] {
  const sum = new Map(Object.entries(a));
  for (const [type, number] of Object.entries(b)) sum.set(type, (sum.get(type) ?? 0) + number);
  return Object.fromEntries(sum);
}

/** The media with those that were derived from one of them. */
export function withDerived(
  media: List<MediumState>,
  { medium, derivedAt }: Pick<SubJobRow, 'medium' | 'derivedAt'>,
  { derived = [] }: FinishSummary,
): List<MediumState> {
  if (derivedAt === undefined) return media;
  return derived.reduce(
    (all, one, n) =>
      all.set(derivedAt + n, {
        prepared: null,
        failedIn: null,
        processed: [],
        found: {},
        derived: { ...one, parent: medium },
      }),
    media,
  );
}

/** The task that a stage is, or belongs to; -1 before the first. */
export const stageIndex = (stage: Stage): number =>
  stage.name === 'TASK' || stage.name === 'DERIVED' ? stage.index : -1;
