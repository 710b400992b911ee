/**
 * The hash by which the archive finds a job with the same results. It covers exactly the media and everything that affects the findings
 * (specification 2.1, "compatible" job).
 */
import { createHash } from 'node:crypto';
import { groupBy } from '../grouping.ts';
import { isIgnorable } from '../properties/ignorable-properties.ts';
import type { PipelinePlan, PlannedAction } from '../plan.ts';
import { propertyLevels, propertyLookup, type PropertyLevels } from '../properties/properties.ts';
import type { MediaSelector, MediaType, Properties, Range } from '../types.ts';
import { WORKFLOW_PROPERTIES } from '../properties/workflow-properties.ts';

/** Version of the detection document, major and minor joined: 1.0 is 10. Results of another version are never reused. */
export const OUTPUT_VERSION = '10';
/** Increase it when the same job finds something else, and no algorithm has increased its own counter. */
export const OUTPUT_CHANGED_COUNTER = 1;

/** The settings of a job for all its media. A job's record contains them. */
export interface JobConfiguration {
  readonly plan: PipelinePlan;
  readonly jobProperties: Properties;
  /** By algorithm name, case-insensitive. */
  readonly algorithmProperties: Readonly<Record<string, Properties>>;
  /** Overrides from the server's environment. */
  readonly environmentProperties: Properties;
  /** The server properties stored with the job, by propertiesKey. */
  readonly serverProperties: Properties;
  /** Zones affect the results. Absent: none. */
  readonly zones?: object | undefined;
}

/** A medium of the request. Derivative media are not part of the hash. */
export interface HashedMedium {
  /** Hex SHA-256 of its bytes; '' if unknown. */
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

/** Number of cached texts for property sets that media share. */
const KNOWN = 100;
/** Follows every item, so that two short items differ from one long item. */
const SEPARATOR = '/';
const TASK_END = '$';
const NONE = 'none';

/** Hex SHA-256 of the items of the job. It yields after each medium, because thousands of different media take a while. */
export function* jobConfigHashInSteps(job: HashedJob): Generator<void, string> {
  const done = whatIsDone(job);
  const hash = createHash('sha256').update(text([OUTPUT_VERSION, String(OUTPUT_CHANGED_COUNTER)]));
  if (job.zones !== undefined) hash.update(text([JSON.stringify(job.zones)]));
  const alike = groupBy(job.media, (medium) => text(ownItems(medium)));
  // The order of the media in the request does not matter.
  for (const [own, media] of [...alike].toSorted(([a], [b]) => compare(a, b))) {
    const texts: string[] = [];
    for (const medium of media) {
      texts.push(done(medium));
      yield;
    }
    for (const each of texts.toSorted(compare)) {
      hash.update(own).update(each);
      yield;
    }
  }
  return hash.digest('hex');
}

const text = (items: readonly string[]): string => items.map((item) => `${item}${SEPARATOR}`).join('');

/** The hash is first, so media are sorted by it. */
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

/** Returns the text of what the actions do with a medium. Media of one type with equal properties share it. */
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
    actions.map((action) => textOfAction(job, action, mediaType)),
  );
  const all = job.plan.tasks.flatMap(({ actions }) => actions);
  const relevant = new Set(all.flatMap((action) => relevantNames(action, mediaType)));
  const known = new Map<string, string>();
  return (properties) => {
    const own = Object.entries(properties).filter(([name]) => relevant.has(name));
    const key = JSON.stringify(own.toSorted(([a], [b]) => compare(a, b)));
    const found = known.get(key);
    if (found !== undefined) return found;
    const set = Object.fromEntries(own);
    const done = tasks
      .map((actions) => actions.map((each) => each(set)).join('') + text([TASK_END]))
      .join('');
    if (known.size >= KNOWN) known.clear();
    known.set(key, done);
    return done;
  };
}

/**
 * Looks up only the properties that a medium sets itself. Looking up a hundred properties of thousands of media would take many seconds.
 */
function textOfAction(
  job: HashedJob,
  action: PlannedAction,
  mediaType: MediaType,
): (properties: Properties) => string {
  const { name, outputChangedCounter } = action.algorithm;
  const head = text([name, outputChangedCounter === undefined ? NONE : String(outputChangedCounter)]);
  const names = relevantNames(action, mediaType);
  const places = new Map(names.map((each, place) => [each, place]));
  const valueOf = propertyLookup(levelsOf(job, action), mediaType);
  const textOf = (properties: Properties, each: string): string => {
    const value = valueOf(properties, each);
    return text(value === undefined ? [each] : [each, value]);
  };
  const unset = names.map((each) => textOf({}, each));
  return (properties) => {
    const texts = [...unset];
    for (const each of Object.keys(properties)) {
      const place = places.get(each);
      if (place !== undefined) texts[place] = textOf(properties, each);
    }
    return head + texts.join('');
  };
}

/** The properties that affect results, sorted: those of the algorithm, and the workflow properties of this media type. */
function relevantNames({ algorithm }: PlannedAction, mediaType: MediaType): readonly string[] {
  const workflow = WORKFLOW_PROPERTIES.filter(({ mediaTypes }) => mediaTypes.includes(mediaType));
  const names = [...workflow, ...algorithm.providesCollection.properties].map(({ name }) => name);
  return [...new Set(names)].filter((name) => !isIgnorable(name, mediaType)).toSorted(compare);
}

/** The property levels of an action, without that of the medium. */
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

/** Compares by code unit, which gives the same order on every machine. */
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
