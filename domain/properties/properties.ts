/**
 * Computes effective property values from the levels of a job, from the environment down to the shipped default. Names are compared
 * exactly.
 */
import { MEDIA_TYPES, type AlgorithmProperty, type MediaType, type Properties } from '../types.ts';
import { parseBoolean, parseInteger, parseNumber } from '../values.ts';
import { WORKFLOW_PROPERTIES, defaultOf, workflowProperty } from './workflow-properties.ts';

/** All levels that can set a property for one medium in one action, highest first. */
export interface PropertyLevels {
  /** Overrides from the server's environment. */
  readonly environment: Properties;
  /** `selectionProperties` of a media selector, only for its own sub-jobs. */
  readonly selector?: Properties | undefined;
  readonly media: Properties;
  /** The request's `algorithmProperties` of the action's algorithm. */
  readonly algorithm: Properties;
  /** The request's `jobProperties`. */
  readonly job: Properties;
  readonly action: Properties;
  /** The properties that the algorithm declares, with their defaults. */
  readonly definitions: readonly AlgorithmProperty[];
  /** The server properties stored with the job, by propertiesKey. */
  readonly server: Properties;
}

/** Defaults that components do not get, because AUTO_ROTATE depends on whether a rotation was requested. */
const WITHHELD_DEFAULTS: ReadonlySet<string> = new Set(['ROTATION', 'HORIZONTAL_FLIP']);

/** The levels with explicit values, highest first. */
function setLevels(levels: PropertyLevels): readonly Properties[] {
  const { environment, selector, media, algorithm, job, action } = levels;
  return [environment, ...(selector === undefined ? [] : [selector]), media, algorithm, job, action];
}

/** Cached defaults, by definitions and server properties. Both stay the same objects while a server runs. */
const DEFAULTS = new WeakMap<readonly AlgorithmProperty[], WeakMap<Properties, Properties>>();

function defaultsOf(definitions: readonly AlgorithmProperty[], server: Properties): Properties {
  const known = DEFAULTS.get(definitions) ?? new WeakMap<Properties, Properties>();
  DEFAULTS.set(definitions, known);
  const defaults = known.get(server) ?? Object.freeze(foundDefaults(definitions, server));
  known.set(server, defaults);
  return defaults;
}

const foundDefaults = (definitions: readonly AlgorithmProperty[], server: Properties): Properties =>
  Object.fromEntries(
    definitions.flatMap((property) => {
      const value = defaultOf(property, server);
      return value === undefined ? [] : [[property.name, value]];
    }),
  );

const APPLICABLE = new Map(
  MEDIA_TYPES.map((mediaType) => [
    mediaType,
    WORKFLOW_PROPERTIES.filter(({ mediaTypes }) => mediaTypes.includes(mediaType)),
  ]),
);
/** The workflow properties that components get. */
const SHOWN = new Map(
  [...APPLICABLE].map(([mediaType, properties]) => [
    mediaType,
    properties.filter(({ name }) => !WITHHELD_DEFAULTS.has(name)),
  ]),
);

const workflowDefaults = (mediaType: MediaType, server: Properties): Properties =>
  defaultsOf(APPLICABLE.get(mediaType) ?? [], server);

function allLevels(levels: PropertyLevels, mediaType: MediaType): readonly Properties[] {
  return [
    ...setLevels(levels),
    defaultsOf(levels.definitions, levels.server),
    workflowDefaults(mediaType, levels.server),
  ];
}

/** Merges levels, the first on top. Most levels are empty, and a single non-empty level is returned as it is. */
function overlay(levels: readonly Properties[]): Properties {
  const set = levels.filter(isSet);
  return set.length === 0 ? {} : set.reduceRight((below, level) => ({ ...below, ...level }));
}

function isSet(level: Properties): boolean {
  for (const _ in level) return true;
  return false;
}

/** Every property that applies to a medium of this type: all explicit values, and the defaults of the type. */
export function effectiveProperties(levels: PropertyLevels, mediaType: MediaType): Properties {
  return overlay(allLevels(levels, mediaType));
}

/**
 * Computes the properties for many media of one type. The levels above and below the media are merged once. `levels` excludes those of a
 * medium.
 */
export function propertiesOver(
  levels: Omit<PropertyLevels, 'media' | 'selector'>,
  mediaType: MediaType,
): (media: Properties) => Properties {
  const whole = effectiveProperties({ ...levels, media: {} }, mediaType);
  return (media) => (Object.keys(media).length === 0 ? whole : { ...whole, ...media, ...levels.environment });
}

/**
 * Looks up single properties for media of one type in one action. For jobs with thousands of media, merging all levels for each medium
 * would take seconds.
 */
export function propertyLookup(
  levels: Omit<PropertyLevels, 'media' | 'selector'>,
  mediaType: MediaType,
): (media: Properties, name: string) => string | undefined {
  const below = overlay(allLevels({ ...levels, environment: {}, media: {} }, mediaType));
  return (media, name) => valueOf(levels.environment, name) ?? valueOf(media, name) ?? valueOf(below, name);
}

/** The highest level (0 is the top) on which the property is a number, and that number. */
function findNumber(levels: readonly Properties[], name: string): { level: number; value: number } {
  for (const [level, properties] of levels.entries()) {
    const value = Object.hasOwn(properties, name) ? parseNumber(properties[name]) : undefined;
    if (value !== undefined) return { level, value };
  }
  return { level: levels.length, value: 0 };
}

/** How a component samples frames of a video: every `interval`-th, or at most `cap` per second if the rate varies. */
export interface FrameSampling {
  readonly interval: number;
  /** Frames per second. Undefined if FRAME_INTERVAL applies. */
  readonly cap?: number;
}

/**
 * FRAME_INTERVAL and FRAME_RATE_CAP: the one on the higher level applies; on the same level, the cap. A value of 0 or less disables it, so
 * the other one applies. If both are disabled, every frame is analyzed. `mediaFps` in frames per second.
 */
export function frameSampling(levels: PropertyLevels, mediaFps: number): FrameSampling {
  const all = allLevels(levels, 'VIDEO');
  const interval = findNumber(all, 'FRAME_INTERVAL');
  const cap = findNumber(all, 'FRAME_RATE_CAP');
  const capFirst = cap.level <= interval.level;
  if (cap.value > 0 && (capFirst || interval.value <= 0))
    return { interval: Math.max(1, Math.floor(mediaFps / cap.value) || 1), cap: cap.value };
  return { interval: Math.max(1, Math.floor(interval.value)) };
}

/**
 * The properties that a component gets, without defaults for the orientation. FRAME_INTERVAL is computed. FRAME_RATE_CAP is present only if
 * it applied, for readers that know the times of the frames.
 */
export function componentProperties(
  levels: PropertyLevels,
  medium: { readonly mediaType: MediaType; readonly fps: number },
): Properties {
  const shown = defaultsOf(SHOWN.get(medium.mediaType) ?? [], levels.server);
  const declared = defaultsOf(levels.definitions, levels.server);
  const properties = overlay([...setLevels(levels), declared, shown]);
  if (medium.mediaType !== 'VIDEO') return properties;
  const { interval, cap = -1 } = frameSampling(levels, medium.fps);
  return { ...properties, FRAME_INTERVAL: String(interval), FRAME_RATE_CAP: String(cap) };
}

/** The levels of one action on one medium, from the stored job. */
export function propertyLevels(
  job: {
    readonly environment: Properties;
    readonly jobProperties: Properties;
    /** By algorithm name, case-insensitive. */
    readonly algorithmProperties: Readonly<Record<string, Properties>>;
    readonly server: Properties;
  },
  action: {
    readonly properties: Properties;
    readonly algorithm: {
      readonly name: string;
      readonly providesCollection: { readonly properties: readonly AlgorithmProperty[] };
    };
  },
  medium: { readonly properties: Properties; readonly selector?: Properties | undefined },
): PropertyLevels {
  const forAlgorithm = Object.entries(job.algorithmProperties)
    .filter(([name]) => name.trim().toUpperCase() === action.algorithm.name)
    .map(([, properties]) => properties);
  return {
    environment: job.environment,
    selector: medium.selector,
    media: medium.properties,
    algorithm: overlay(forAlgorithm),
    job: job.jobProperties,
    action: action.properties,
    definitions: action.algorithm.providesCollection.properties,
    server: job.server,
  };
}

function valueOf(properties: Properties, name: string): string | undefined {
  return Object.hasOwn(properties, name) ? properties[name] : undefined;
}

/**
 * Reads a property as text. Blank and unset values give the fallback. The default fallback of a workflow property is its shipped default.
 */
export function textOf(properties: Properties, name: string, fallback?: string): string {
  const value = valueOf(properties, name);
  return value !== undefined && value.trim() !== ''
    ? value
    : (fallback ?? workflowProperty(name)?.defaultValue ?? '');
}

/** Reads a whole number. Other values give the fallback. The default fallback of a workflow property is its shipped default. */
export function integerOf(properties: Properties, name: string, fallback?: number): number {
  return parseInteger(valueOf(properties, name)) ?? fallback ?? shippedNumber(name);
}

/** Reads a number (also -Infinity). Other values give the fallback. The default fallback of a workflow property is its shipped default. */
export function numberOf(properties: Properties, name: string, fallback?: number): number {
  return parseNumber(valueOf(properties, name)) ?? fallback ?? shippedNumber(name);
}

function shippedNumber(name: string): number {
  return parseNumber(workflowProperty(name)?.defaultValue) ?? 0;
}

/**
 * TRUE in any case is true, every other value false. Unset gives the fallback. The default fallback of a workflow property is its shipped
 * default.
 */
export function booleanOf(properties: Properties, name: string, fallback?: boolean): boolean {
  const value = valueOf(properties, name);
  if (value !== undefined && value.trim() !== '') return parseBoolean(value) ?? false;
  return fallback ?? parseBoolean(workflowProperty(name)?.defaultValue) ?? false;
}

/** True if answers may have members that neither the specification nor the reference lists. Strict readers refuse those members. */
export const wantsDetails = (properties: Properties): boolean => booleanOf(properties, 'OUTPUT_DETAILS');
