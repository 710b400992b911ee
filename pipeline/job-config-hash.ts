/**
 * The hash by which the archive finds a job that gave the same results: it covers the media and everything that decides
 * what the detectors find in them, and nothing else (specification 2.1, "compatible" job).
 */
import { createHash } from 'node:crypto';
import { isIgnorable } from './ignorable-properties.ts';
import type { PipelinePlan, PlannedAction } from './plan.ts';
import { propertyLevels, propertyLookup, type PropertyLevels } from './properties.ts';
import type { MediaSelector, MediaType, Properties, Range } from './types.ts';
import { WORKFLOW_PROPERTIES } from './workflow-properties.ts';

/** Version of the detection document, major and minor glued: 1.0 is 10. Results of another version are never taken over. */
export const OUTPUT_VERSION = '10';
/** To be raised when the same job finds something else than before, though no algorithm says so by its own counter. */
export const OUTPUT_CHANGED_COUNTER = 1;

/** What a job says about all its media; a job's record is one. */
export interface JobConfiguration {
  readonly plan: PipelinePlan;
  readonly jobProperties: Properties;
  /** By algorithm name, in any case. */
  readonly algorithmProperties: Readonly<Record<string, Properties>>;
  /** Overrides from the server's environment. */
  readonly environmentProperties: Properties;
  /** The server properties frozen with the job, by propertiesKey. */
  readonly serverProperties: Properties;
}

/** A medium that the request named; those derived from it have no part in the hash. */
export interface HashedMedium {
  /** Hex SHA-256 of its bytes; '' when nobody knows it. */
  readonly sha256: string;
  readonly mediaType: MediaType;
  readonly properties: Properties;
  readonly frameRanges: readonly Range[];
  readonly timeRanges: readonly Range[];
  readonly selectors?: readonly MediaSelector[];
}

export interface HashedJob extends JobConfiguration {
  readonly media: readonly HashedMedium[];
}

/** Put after every item, so that two short ones are not taken for a long one. */
const SEPARATOR = '/';
const TASK_END = '$';
const NONE = 'none';

/** Hex SHA-256 over the items of the job. */
export function jobConfigHash(job: HashedJob): string {
  const done = whatIsDone(job);
  const media = job.media.map((medium) => ({ own: text(ownItems(medium)), done: done(medium) }));
  const hash = createHash('sha256').update(text([OUTPUT_VERSION, String(OUTPUT_CHANGED_COUNTER)]));
  // The order in which the request names its media is of no account.
  const sorted = media.toSorted((a, b) => compare(a.own, b.own) || compare(a.done, b.done));
  for (const medium of sorted) hash.update(medium.own).update(medium.done);
  return hash.digest('hex');
}

const text = (items: readonly string[]): string => items.map((item) => `${item}${SEPARATOR}`).join('');

/** The hash comes first, so that media sort by it. */
function ownItems(medium: HashedMedium): readonly string[] {
  const { sha256, frameRanges, timeRanges } = medium;
  return [
    sha256.trim().toLowerCase(),
    ...rangeItems(frameRanges),
    ...rangeItems(timeRanges),
    ...selectorItems(medium),
  ];
}

function selectorItems({ selectors = [], mediaType }: HashedMedium): readonly string[] {
  if (selectors.length === 0) return [NONE];
  const items = selectors.map(({ expression, type, resultDetectionProperty, selectionProperties }) => [
    ...[expression, type, resultDetectionProperty],
    ...Object.entries(selectionProperties)
      .filter(([name]) => !isIgnorable(name, mediaType))
      .toSorted(([a], [b]) => compare(a, b))
      .flat(),
  ]);
  return items.toSorted((a, b) => compare(text(a), text(b))).flat();
}

function rangeItems(ranges: readonly Range[]): readonly string[] {
  if (ranges.length === 0) return [NONE];
  const sorted = ranges.toSorted((a, b) => a.start - b.start || a.stop - b.stop);
  return sorted.map(({ start, stop }) => `${start} - ${stop}`);
}

/** For each medium what the actions do with it; thousands of media of one type and with equal properties have it in common. */
function whatIsDone(job: HashedJob): (medium: HashedMedium) => string {
  const byType = new Map<MediaType, (properties: Properties) => string>();
  return ({ mediaType, properties }) => {
    const done = byType.get(mediaType) ?? doneWithType(job, mediaType);
    byType.set(mediaType, done);
    return done(properties);
  };
}

function doneWithType(job: HashedJob, mediaType: MediaType): (properties: Properties) => string {
  const tasks = job.plan.tasks.map(({ actions }) =>
    actions.map((action) => itemsOfAction(job, action, mediaType)),
  );
  const all = job.plan.tasks.flatMap(({ actions }) => actions);
  const relevant = new Set(all.flatMap((action) => relevantNames(action, mediaType)));
  const known = new Map<string, string>();
  return (properties) => {
    const own = Object.entries(properties).filter(([name]) => relevant.has(name));
    const key = JSON.stringify(own.toSorted(([a], [b]) => compare(a, b)));
    const found = known.get(key);
    if (found !== undefined) return found;
    const items = tasks.flatMap((actions) => [...actions.flatMap((each) => each(properties)), TASK_END]);
    const done = text(items);
    known.set(key, done);
    return done;
  };
}

function itemsOfAction(
  job: HashedJob,
  action: PlannedAction,
  mediaType: MediaType,
): (properties: Properties) => readonly string[] {
  const { name, outputChangedCounter } = action.algorithm;
  const head = [name, outputChangedCounter === undefined ? NONE : String(outputChangedCounter)];
  const names = relevantNames(action, mediaType);
  const inForce = propertyLookup(levelsOf(job, action), mediaType);
  return (properties) => [
    ...head,
    ...names.flatMap((each) => {
      const value = inForce(properties, each);
      return value === undefined ? [each] : [each, value];
    }),
  ];
}

/** What the algorithm declares and the workflow properties of this type of medium, sorted, without what changes no result. */
function relevantNames({ algorithm }: PlannedAction, mediaType: MediaType): readonly string[] {
  const workflow = WORKFLOW_PROPERTIES.filter(({ mediaTypes }) => mediaTypes.includes(mediaType));
  const names = [...workflow, ...algorithm.providesCollection.properties].map(({ name }) => name);
  return [...new Set(names)].filter((name) => !isIgnorable(name, mediaType)).toSorted(compare);
}

/** The levels of an action, those of the medium left out. */
export function levelsOf(
  { environmentProperties, jobProperties, algorithmProperties, serverProperties }: JobConfiguration,
  action: PlannedAction,
): Omit<PropertyLevels, 'media' | 'selector'> {
  const job = {
    environment: environmentProperties,
    jobProperties,
    algorithmProperties,
    server: serverProperties,
  };
  return propertyLevels(job, action, { properties: {} });
}

/** By code unit: the same on every machine. */
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
