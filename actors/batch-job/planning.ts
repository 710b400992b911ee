import type { DocumentWork, FetchLimits, FinishSummary, WorkMedium } from '../../components/sdk/protocol.ts';
import { MEDIA_QUEUES } from '../../components/sdk/protocol.ts';
import { join } from 'node:path';
import { mediaFolder, spoolFile } from '../../output/layout.ts';
import {
  componentProperties,
  effectiveProperties,
  integerOf,
  propertyLevels,
  type PropertyLevels,
} from '../../pipeline/properties.ts';
import { boundedLimits, cutRanges, followUpRanges, segmentLimits } from '../../pipeline/segments.ts';
import type { PlannedAction } from '../../pipeline/plan.ts';
import type { Properties, Range } from '../../pipeline/types.ts';
import type { JobRecord } from './record.ts';
import type { JobState, MediumState, Prepared, Stage, SubJobRow, Unit } from './state.ts';
import type { Given } from './transitions.ts';

/** Settings of the server that a job's decisions depend on. */
export interface JobSettings {
  readonly dataDir: string;
  /** Sub-jobs of one job that are queued or run at a time. */
  readonly window: number;
  /** Attempts at a sub-job before it is given up. */
  readonly attempts: number;
  readonly fetchLimits: FetchLimits;
  /** How the service names itself towards an archive. */
  readonly system: { readonly version: string; readonly host: string };
}

/** Sub-jobs of one task: a job that would have more gets longer segments. */
const MAX_PIECES = 100_000;
const WHOLE: Range = { start: 0, stop: -1 };

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
    priority: start.priority,
    stage: { name: 'WAITING' },
    startedAt: start.at,
    endedAt: null,
    objectId: start.objectId,
    hasDocument: false,
    cancelledBy: null,
    checkArchive: false,
    pastOutput: null,
    documentHash: null,
    callback: null,
    archive: null,
    removed: false,
    issues: [],
    media: untouched(record),
    units: [],
    cursor: 0,
    outstanding: new Map(),
  };
}

/** The media before anything is known of them but what was wrong at creation. */
export const untouched = (record: JobRecord): readonly MediumState[] =>
  record.media.map(({ problem }) => ({
    prepared: null,
    failedIn: problem === undefined ? null : -1,
    trackRanges: null,
    found: {},
  }));

/** The units of a stage: a pure function of the record and of what the earlier stages found out, so a restart finds the same. */
export function planStage(state: JobState, stage: Stage, { record }: Pick<Given, 'record'>): readonly Unit[] {
  switch (stage.name) {
    case 'WAITING':
    case 'CHECK':
    case 'ENDED':
      return [];
    case 'PREPARE':
      return record.media.flatMap(({ problem }, medium) =>
        problem === undefined ? [unitOf(medium, 0, [WHOLE])] : [],
      );
    case 'DOCUMENT':
      return [unitOf(0, 0, [WHOLE])];
    case 'TASK': {
      const actions = record.plan.tasks[stage.index]?.actions ?? [];
      return state.media.flatMap((medium, index) => {
        if (medium.prepared === null || (medium.failedIn !== null && medium.failedIn < stage.index))
          return [];
        const prepared = medium.prepared;
        return actions.flatMap((action, number) => {
          const ranges = rangesOf(record, stage.index, action, index, medium, prepared);
          return ranges.length === 0 ? [] : [unitOf(index, number, ranges)];
        });
      });
    }
  }
}

/** What a finished action leaves for the next task to look at: nothing, the frames with tracks, or the medium as a whole. */
function foundRanges({ tracks, ranges }: FinishSummary): readonly Range[] {
  if (tracks === 0) return [];
  return ranges.length > 0 ? ranges : [WHOLE];
}

/** What the finishing of an action on a medium adds to what is known of the medium. */
export function withFound(
  medium: MediumState,
  { action }: Pick<SubJobRow, 'action'>,
  summary: FinishSummary,
): MediumState {
  const found = { ...medium.found };
  for (const [type, tracks] of Object.entries(summary.types)) found[type] = (found[type] ?? 0) + tracks;
  return { ...medium, found, trackRanges: action === 0 ? foundRanges(summary) : medium.trackRanges };
}

/** The task that a stage is; -1 before the first. */
export const stageIndex = (stage: Stage): number => (stage.name === 'TASK' ? stage.index : -1);

const unitOf = (medium: number, action: number, ranges: readonly Range[]): Unit => ({
  medium,
  action,
  ranges,
  made: 0,
  done: 0,
  failed: 0,
  finish: 'NONE',
});

/**
 * What an action looks at: in the first task the frames that were asked for, later those in which the last task's first
 * action found something; no tracks there, nothing to do. Only videos are cut.
 */
function rangesOf(
  record: JobRecord,
  task: number,
  action: PlannedAction,
  index: number,
  medium: MediumState,
  { facts, ranges }: Prepared,
): readonly Range[] {
  if (task > 0 && medium.trackRanges?.length === 0) return [];
  if (facts.mediaType !== 'VIDEO') return [WHOLE];
  const properties = effectiveProperties(levelsOf(record, action, index), facts.mediaType);
  const asked = task === 0 ? ranges : followUpRanges(medium.trackRanges ?? [], properties);
  const limits = segmentLimits(properties, facts.frameTimes ?? { fps: 0, constantRate: true });
  const actions = record.plan.tasks[task]?.actions.length ?? 1;
  const most = Math.max(2, Math.floor(MAX_PIECES / record.media.length / actions));
  return cutRanges(asked, boundedLimits(asked, limits, most));
}

const levelsOf = (record: JobRecord, action: PlannedAction, medium: number): PropertyLevels =>
  propertyLevels(
    {
      environment: record.environmentProperties,
      jobProperties: record.jobProperties,
      algorithmProperties: record.algorithmProperties,
      server: record.serverProperties,
    },
    action,
    record.media[medium]!,
  );

/** The next piece of a unit. */
export function pieceRow(state: JobState, index: number, unit: Unit, given: Given): SubJobRow {
  const { record, settings } = given;
  const range = unit.ranges[unit.made]!;
  const base = { stage: state.stage, unit: index, medium: unit.medium, action: unit.action, range } as const;
  const fixed = { ...base, state: 'QUEUED', attempts: 0 } as const;
  switch (state.stage.name) {
    case 'PREPARE': {
      const medium = record.media[unit.medium]!;
      const names = namesOf(record, state, `prepare.${unit.medium}`, `${padded(unit.medium, 6)}/p`);
      const { uri, metadata, frameRanges, timeRanges } = medium;
      const fetchTo = join(mediaFolder(settings.dataDir, record.jobId), `${state.run}-${unit.medium}`);
      const properties = { ...record.jobProperties, ...medium.properties };
      const work = {
        uri,
        fetchTo,
        metadata,
        properties,
        frameRanges,
        timeRanges,
        limits: settings.fetchLimits,
      };
      return { ...fixed, ...names, kind: 'PREPARE', queue: MEDIA_QUEUES.PREPARE, work };
    }
    case 'TASK': {
      const action = record.plan.tasks[state.stage.index]!.actions[unit.action]!;
      const place = `${state.stage.index}.${unit.action}.${unit.medium}.${unit.made}`;
      const names = namesOf(
        record,
        state,
        place,
        `${unitPath(state.stage.index, unit)}/d${padded(unit.made, 7)}`,
      );
      const { facts, path } = state.media[unit.medium]!.prepared!;
      const properties = propertiesOf(record, action, unit.medium, facts);
      const work = {
        medium: workMedium(record, state, unit.medium, path),
        trackType: action.algorithm.trackType,
        properties,
        range,
        contextFrames: Math.min(Math.max(0, range.start), integerOf(properties, 'CONTEXT_FRAMES', 0)),
      };
      return { ...fixed, ...names, kind: 'DETECT', queue: action.algorithm.name, work };
    }
    case 'DOCUMENT': {
      const names = namesOf(record, state, 'document', 'z');
      const work: DocumentWork = { input: '' };
      return { ...fixed, ...names, kind: 'DOCUMENT', queue: MEDIA_QUEUES.DOCUMENT, work };
    }
    case 'WAITING':
    case 'CHECK':
    case 'ENDED':
      throw new Error(`There is no work in the stage ${state.stage.name}.`);
  }
}

/** The sub-job that brings the raw tracks of a unit into their final form. */
export function finishRow(state: JobState, index: number, unit: Unit, { record }: Given): SubJobRow {
  const task = state.stage.name === 'TASK' ? state.stage.index : 0;
  const action = record.plan.tasks[task]!.actions[unit.action]!;
  const { facts, path, file } = state.media[unit.medium]!.prepared!;
  const place = `${task}.${unit.action}.${unit.medium}.finish`;
  return {
    ...namesOf(record, state, place, `${unitPath(task, unit)}/f`),
    stage: state.stage,
    unit: index,
    medium: unit.medium,
    action: unit.action,
    range: WHOLE,
    state: 'QUEUED',
    attempts: 0,
    kind: 'FINISH',
    queue: MEDIA_QUEUES.FINISH,
    work: {
      medium: workMedium(record, state, unit.medium, path),
      sha256: facts.sha256,
      prepared: file,
      // Filled in when it is claimed: the rows know which pieces were answered, and in which files.
      parts: [],
      action: action.name,
      algorithm: action.algorithm.name,
      trackType: action.algorithm.trackType,
      properties: propertiesOf(record, action, unit.medium, facts),
    },
  };
}

/** Where a sub-job's answer is spooled; the token keeps the answer of a lost lease out of the way of the next one's. */
export const answerFile = ({ id, jobId, run }: SubJobRow, token: string, dataDir: string) =>
  spoolFile(dataDir, jobId, run, `${id}.${token}`);

/** Keys of the rows of one run, and within it of one medium, sort together: `<run>/<medium>/...`. */
export const runPrefix = (run: number) => `${padded(run, 4)}/`;
export const mediumPrefix = (run: number, medium: number) => `${runPrefix(run)}${padded(medium, 6)}/`;
export const unitPrefix = (run: number, task: number, unit: Pick<Unit, 'medium' | 'action'>) =>
  `${runPrefix(run)}${unitPath(task, unit)}/`;

const unitPath = (task: number, { medium, action }: Pick<Unit, 'medium' | 'action'>) =>
  `${padded(medium, 6)}/t${padded(task, 3)}/a${padded(action, 3)}`;
const padded = (value: number, width: number) => String(value).padStart(width, '0');

function namesOf(record: JobRecord, state: JobState, id: string, path: string) {
  const { jobId } = record;
  const { run } = state;
  return { id: `${jobId}.${run}.${id}`, key: `${runPrefix(run)}${path}`, jobId, run };
}

function workMedium(record: JobRecord, state: JobState, index: number, path: string): WorkMedium {
  const { facts, inspected } = state.media[index]!.prepared!;
  const { mediaType, mimeType, length, metadata } = facts;
  return {
    mediaId: record.media[index]!.mediaId,
    mediaType,
    mimeType,
    path,
    length,
    metadata,
    fps: facts.frameTimes?.fps ?? 0,
    inspected,
  };
}

function propertiesOf(
  record: JobRecord,
  action: PlannedAction,
  medium: number,
  facts: Prepared['facts'],
): Properties {
  return componentProperties(levelsOf(record, action, medium), {
    mediaType: facts.mediaType,
    fps: facts.frameTimes?.fps ?? 0,
  });
}
