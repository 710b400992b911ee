import { join } from 'node:path';
import type {
  CopyWork,
  DocumentWork,
  FeedWork,
  FinishWork,
  MarkupWork,
  PrepareWork,
  UploadWork,
  WorkMedium,
} from '../../components/sdk/protocol.ts';
import { MEDIA_QUEUES } from '../../components/sdk/protocol.ts';
import {
  artifactsFolder,
  derivativeFolder,
  derivingFolder,
  detectionFile,
  markupFolder,
  mediaFolder,
  ownDocument,
  resultRoots,
  selectorsOutputFile,
} from '../../output/layout.ts';
import { withoutKeys } from '../../pipeline/buckets.ts';
import { integerOf, textOf } from '../../pipeline/properties.ts';
import type { PlannedAction } from '../../pipeline/plan.ts';
import type { Properties } from '../../pipeline/types.ts';
import { canonicalName, isBlank } from '../../pipeline/values.ts';
import { annotates, forComponent, isFed, jobWide, tasksOn } from './in-force.ts';
import { namesOf, padded, unitPath } from './keys.ts';
import { tracksBefore } from './lineage.ts';
import { mostPieces, WHOLE } from './planning.ts';
import { foldersOf, mediumOf, type JobRecord } from './record.ts';
import type { JobState, SubJobRow, Unit } from './state.ts';
import type { Given } from './transitions.ts';

/** The next piece of a unit: what it is to be fed, or what a component is to look at. */
export function pieceRow(state: JobState, index: number, unit: Unit, given: Given): SubJobRow {
  switch (state.stage.name) {
    case 'PREPARE':
    case 'DERIVED':
      return prepareRow(state, index, unit, given);
    case 'TASK': {
      const task = given.record.plan.tasks[state.stage.index]!;
      if (task.actionType === 'MARKUP') return markupRow(state, index, unit, given);
      return unit.feed === 'WANTED'
        ? feedRow(state, index, unit, given)
        : detectRow(state, index, unit, given);
    }
    case 'DOCUMENT': {
      const work: DocumentWork = { input: '' };
      return { ...fixed(state, index, unit), ...named(state, given, 'document', 'z'), ...OF.DOCUMENT, work };
    }
    case 'UPLOAD': {
      const { record, settings } = given;
      const work: UploadWork = {
        path: detectionFile(settings.dataDir, foldersOf(record, state)),
        properties: jobWide(record),
        privateBuckets: settings.privateBuckets,
        ...(state.status === 'CANCELLING' ? { hurried: true } : {}),
      };
      return { ...fixed(state, index, unit), ...named(state, given, 'upload', 'z/u'), ...OF.UPLOAD, work };
    }
    case 'COPY':
      return {
        ...fixed(state, index, unit),
        ...named(state, given, 'copy', 'z/c'),
        ...OF.COPY,
        work: copyWork(state, given),
      };
    case 'WAITING':
    case 'CHECK':
    case 'ENDED':
      throw new Error(`There is no work in the stage ${state.stage.name}.`);
  }
}

/** Kinds of work that the media component does. */
const OF = {
  PREPARE: { kind: 'PREPARE', queue: MEDIA_QUEUES.PREPARE },
  FEED: { kind: 'FEED', queue: MEDIA_QUEUES.FEED },
  FINISH: { kind: 'FINISH', queue: MEDIA_QUEUES.FINISH },
  ARTIFACTS: { kind: 'ARTIFACTS', queue: MEDIA_QUEUES.ARTIFACTS },
  DOCUMENT: { kind: 'DOCUMENT', queue: MEDIA_QUEUES.DOCUMENT },
  UPLOAD: { kind: 'UPLOAD', queue: MEDIA_QUEUES.UPLOAD },
  COPY: { kind: 'COPY', queue: MEDIA_QUEUES.COPY },
} as const;

function copyWork(state: JobState, { record, settings }: Given): CopyWork {
  const { pastOutput, run } = state;
  const { dataDir, fetchLimits, system } = settings;
  const document = pastOutput ?? '';
  // Only a document that this service has written is believed what it says of files here.
  const own = ownDocument(dataDir, document) !== undefined;
  const { mediaRoots, excluded } = fetchLimits;
  return {
    input: '',
    document,
    files: own ? { roots: resultRoots(dataDir), excluded: [] } : { roots: mediaRoots, excluded },
    folder: join(mediaFolder(dataDir, foldersOf(record, state)), `${run}-copy`),
    properties: jobWide(record),
    privateBuckets: settings.privateBuckets,
    allowedHosts: settings.allowedHosts,
    atOnce: settings.copiesAtOnce,
    maxDocumentBytes: settings.maxArchivedBytes,
    maxFileBytes: fetchLimits.maxBytes,
    version: system.version,
  };
}

const fixed = ({ stage }: Pick<JobState, 'stage'>, index: number, { medium, action }: Unit) =>
  ({ stage, unit: index, medium, action, range: WHOLE, state: 'QUEUED', attempts: 0 }) as const;

const named = (state: JobState, { record }: Given, id: string, path: string) =>
  namesOf(record, state, id, path);

/** A sub-job of a task on a medium. */
function ofUnit(
  state: JobState,
  index: number,
  unit: Unit,
  given: Given,
  end: { readonly id: string; readonly path: string },
) {
  const task = taskIndex(state);
  const id = `${task}.${unit.action}.${unit.medium}.${end.id}`;
  return { ...fixed(state, index, unit), ...named(state, given, id, `${unitPath(task, unit)}/${end.path}`) };
}

const taskIndex = ({ stage }: Pick<JobState, 'stage'>) => (stage.name === 'TASK' ? stage.index : 0);

/** What all sub-jobs of an action on a medium need to know. */
function settingOf(state: JobState, unit: Unit, { record }: Given) {
  const action: PlannedAction = record.plan.tasks[taskIndex(state)]!.actions[unit.action]!;
  const { facts, path, file } = state.media.get(unit.medium)!.prepared!;
  const medium = mediumOf(record, state.media, unit.medium);
  const properties = forComponent(record, action, medium, {
    mediaType: facts.mediaType,
    fps: facts.frameTimes?.fps ?? 0,
  });
  return { action, facts, medium, prepared: file, properties, work: workMedium(state, unit, medium, path) };
}

function workMedium(state: JobState, unit: Unit, { mediaId }: { mediaId: number }, path: string): WorkMedium {
  const { facts, inspected } = state.media.get(unit.medium)!.prepared!;
  const { mediaType, mimeType, length, metadata } = facts;
  return {
    mediaId,
    mediaType,
    mimeType,
    path,
    length,
    metadata,
    fps: facts.frameTimes?.fps ?? 0,
    inspected,
  };
}

function prepareRow(state: JobState, index: number, unit: Unit, given: Given): SubJobRow {
  const { record, settings } = given;
  const { uri, metadata, frameRanges, timeRanges, properties } = mediumOf(record, state.media, unit.medium);
  const derived = state.media.get(unit.medium)?.derived ?? null;
  const work: PrepareWork = {
    uri,
    fetchTo:
      derived?.path ??
      join(mediaFolder(settings.dataDir, foldersOf(record, state)), `${state.run}-${unit.medium}`),
    metadata,
    properties: { ...record.jobProperties, ...properties, ...record.environmentProperties },
    frameRanges,
    timeRanges,
    limits: settings.fetchLimits,
    ...(derived === null ? {} : { stored: true }),
  };
  const names = named(state, given, `prepare.${unit.medium}`, `${padded(unit.medium, 6)}/p`);
  return { ...fixed(state, index, unit), ...names, ...OF.PREPARE, work };
}

function feedRow(state: JobState, index: number, unit: Unit, given: Given): SubJobRow {
  const { record } = given;
  const { properties, work: medium } = settingOf(state, unit, given);
  const first = tasksOn(record, state.media.get(unit.medium)!).length === 0;
  const { selectors } = mediumOf(record, state.media, unit.medium);
  const work: FeedWork = {
    medium,
    properties,
    sources: first ? [] : tracksBefore(record, state.media, unit.medium),
    ...(first && selectors !== undefined ? { selectors } : {}),
    maxPieces: mostPieces(state.media, record.plan.tasks[taskIndex(state)]!),
  };
  return { ...ofUnit(state, index, unit, given, { id: 'feed', path: 'a' }), ...OF.FEED, work };
}

function detectRow(state: JobState, index: number, unit: Unit, given: Given): SubJobRow {
  const { record, settings } = given;
  const { action, properties, facts, work: medium } = settingOf(state, unit, given);
  const piece = unit.made;
  const range = unit.ranges[piece] ?? WHOLE;
  const generic = facts.mediaType === 'UNKNOWN';
  const row = ofUnit(state, index, unit, given, { id: String(piece), path: `d${padded(piece, 7)}` });
  const folder = derivingFolder(settings.dataDir, foldersOf(record, state), state.run, medium.mediaId);
  const work = {
    medium,
    trackType: action.algorithm.trackType,
    properties: withoutKeys(properties),
    range,
    contextFrames:
      unit.fed === null ? Math.min(Math.max(0, range.start), integerOf(properties, 'CONTEXT_FRAMES', 0)) : 0,
    ...(generic ? { outputFolder: join(folder, row.id) } : {}),
  };
  // What media selectors select are no tracks to be given back.
  const annotate = annotates(properties) && isFed(record, properties, state.media.get(unit.medium)!);
  const { selectors = [] } = mediumOf(record, state.media, unit.medium);
  const selective = selectors.some(({ selectionProperties: own }) => Object.keys(own).length > 0);
  const fed =
    unit.fed === null
      ? {}
      : { fed: { ...fedBy(unit.fed), piece, annotate, ...(selective ? { selective } : {}) } };
  return { ...row, kind: 'DETECT', queue: action.algorithm.name, range, work, ...fed };
}

const fedBy = ({ file, indexAt }: NonNullable<Unit['fed']>) => ({ file, indexAt });

/** The sub-job that brings the raw tracks of a unit into their final form. */
export function finishRow(state: JobState, index: number, unit: Unit, given: Given): SubJobRow {
  const { record, settings } = given;
  const { action, properties, facts, prepared, medium, work: workMedium } = settingOf(state, unit, given);
  const { dataDir } = settings;
  const { mediaRoots, excluded } = settings.fetchLimits;
  const folder = foldersOf(record, state);
  const rollUpFile = textOf(properties, 'ROLL_UP_FILE', '');
  const annotating = annotates(properties) && isFed(record, properties, state.media.get(unit.medium)!);
  const work: FinishWork = {
    medium: workMedium,
    sha256: facts.sha256,
    prepared,
    // Filled in when it is claimed: the rows know which pieces were answered, and in which files.
    parts: [],
    action: action.name,
    algorithm: action.algorithm.name,
    trackType: action.algorithm.trackType,
    properties,
    task: taskIndex(state),
    privateBuckets: settings.privateBuckets,
    ...(isBlank(rollUpFile) ? {} : { rollUp: { file: rollUpFile.trim(), roots: mediaRoots, excluded } }),
    ...(annotating ? { annotated: tracksBefore(record, state.media, unit.medium) } : {}),
    ...(unit.derived > 0
      ? {
          derive: {
            folder: derivativeFolder(dataDir, folder, medium.mediaId),
            from: derivingFolder(dataDir, folder, state.run, medium.mediaId),
            firstMediaId: 0,
            most: Math.max(0, settings.maxDerived - (state.media.size - record.media.length)),
          },
        }
      : {}),
    ...(medium.selectors !== undefined && fillsSelectors(medium.selectorsOutputAction, action)
      ? {
          selectorsOutput: {
            selectors: medium.selectors,
            file: selectorsOutputFile(dataDir, folder, medium.mediaId),
          },
        }
      : {}),
  };
  return { ...ofUnit(state, index, unit, given, { id: 'finish', path: 'f' }), ...OF.FINISH, work };
}

const fillsSelectors = (outputAction: string | undefined, { name }: PlannedAction) =>
  outputAction !== undefined && canonicalName(outputAction) === canonicalName(name);

/** The sub-job that extracts artifacts of the tracks in `tracks`, a FINISH answer. */
export function artifactsRow(
  state: JobState,
  index: number,
  unit: Unit,
  tracks: string,
  given: Given,
): SubJobRow {
  const { record, settings } = given;
  const { properties, work: medium } = settingOf(state, unit, given);
  const place = { mediaId: medium.mediaId, task: taskIndex(state), action: unit.action };
  const work = {
    medium,
    properties,
    tracks,
    folder: artifactsFolder(settings.dataDir, foldersOf(record, state), place),
    privateBuckets: settings.privateBuckets,
  };
  return { ...ofUnit(state, index, unit, given, { id: 'artifacts', path: 'g' }), ...OF.ARTIFACTS, work };
}

function markupRow(state: JobState, index: number, unit: Unit, given: Given): SubJobRow {
  const { record, settings } = given;
  const { action, properties, work: medium } = settingOf(state, unit, given);
  const work: MarkupWork = {
    medium,
    properties,
    sources: tracksBefore(record, state.media, unit.medium),
    folder: markupFolder(settings.dataDir, foldersOf(record, state), medium.mediaId),
    privateBuckets: settings.privateBuckets,
  };
  const row = ofUnit(state, index, unit, given, { id: 'markup', path: 'm' });
  return { ...row, kind: 'MARKUP', queue: action.algorithm.name, work };
}

/** The properties of a piece whose tracks come from one media selector. */
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
