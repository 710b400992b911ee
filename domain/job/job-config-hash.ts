/**
 * The hash by which the archive finds a job that gave the same results: it covers the media and everything that decides
 * what the detectors find in them, and nothing else (specification 2.1, "compatible" job).
 */
import { createHash } from 'node:crypto';
import { groupBy } from '../grouping.ts';
import { isIgnorable } from '../properties/ignorable-properties.ts';
import type { PipelinePlan, PlannedAction } from '../plan.ts';
import { propertyLevels, propertyLookup, type PropertyLevels } from '../properties/properties.ts';
import type { MediaSelector, MediaType, Properties, Range } from '../types.ts';
import { WORKFLOW_PROPERTIES } from '../properties/workflow-properties.ts';

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
  /** What happens in them is a part of the results; absent: none. */
  readonly zones?: object | undefined;
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

/** Texts of sets of properties that are kept for media with the same ones. */
const KNOWN = 100;
/** Put after every item, so that two short ones are not taken for a long one. */
const SEPARATOR = '/';
const TASK_END = '$';
const NONE = 'none';

/** Hex SHA-256 over the items of the job: medium by medium, for of thousands that all differ it takes a while. */
export function* jobConfigHashInSteps(job: HashedJob): Generator<void, string> {
  const done = whatIsDone(job);
  const hash = createHash('sha256').update(text([OUTPUT_VERSION, String(OUTPUT_CHANGED_COUNTER)]));
  if (job.zones !== undefined) hash.update(text([JSON.stringify(job.zones)]));
  const alike = groupBy(job.media, (medium) => text(ownItems(medium)));
  // The order in which the request names its media is of no account.
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

/** Of a medium only what it sets itself is looked up: thousands of media times a hundred properties would take many seconds. */
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
