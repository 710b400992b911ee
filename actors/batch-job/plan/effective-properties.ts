import type { List } from 'immutable';
import {
  booleanOf,
  componentProperties,
  effectiveProperties,
  propertiesOver,
  propertyLevels,
  textOf,
  type PropertyLevels,
} from '../../../domain/properties/properties.ts';
import type { PlannedAction } from '../../../domain/plan.ts';
import { SOUND_SEGMENT_LENGTH } from '../../../domain/frames/segments.ts';
import { feedForwardType } from '../../../domain/properties/trigger.ts';
import type { MediaType, Properties } from '../../../domain/types.ts';
import { isBlank } from '../../../domain/values.ts';
import { mediumOf, type JobRecord } from '../state/record.ts';
import type { MediumState } from '../state/state.ts';

/** Cache of the properties of each action for all media of a type, for jobs in memory. */
const KNOWN = new WeakMap<JobRecord, Map<string, (media: Properties) => Properties>>();

/** The properties that apply to an action on a medium. */
export function effectivePropertiesOf(
  record: JobRecord,
  media: List<MediumState>,
  action: PlannedAction,
  index: number,
  mediaType: MediaType,
): Properties {
  return forMedium(record, action, mediumOf(record, media, index), mediaType);
}

/** The properties that apply to an action on a medium with these properties of its own. */
export function forMedium(
  record: JobRecord,
  action: PlannedAction,
  medium: { readonly properties: Properties },
  mediaType: MediaType,
): Properties {
  const known = KNOWN.get(record) ?? new Map<string, (media: Properties) => Properties>();
  KNOWN.set(record, known);
  const key = `${mediaType} ${action.name}`;
  const over = known.get(key) ?? propertiesOver(levelsOf(record, action, { properties: {} }), mediaType);
  known.set(key, over);
  return over(medium.properties);
}

/** The properties that decide what an action has to do on a medium. */
const PLANNING = [
  'SOURCE_MEDIA_ONLY',
  'DERIVATIVE_MEDIA_ONLY',
  'FEED_FORWARD_TYPE',
  'IS_ANNOTATOR',
  'TARGET_SEGMENT_LENGTH',
  'MIN_SEGMENT_LENGTH',
  'VFR_TARGET_SEGMENT_LENGTH',
  'VFR_MIN_SEGMENT_LENGTH',
  'SEGMENT_LENGTH_SPECIFICATION',
  'MIN_GAP_BETWEEN_SEGMENTS',
  SOUND_SEGMENT_LENGTH,
];

const PLANNED = new WeakMap<JobRecord, Map<PlannedAction, Map<MediaType, Properties>>>();
const OWN = new WeakMap<Properties, Properties | null>();

/**
 * Returns only the effective properties that planning reads. A stage of a large job has 100,000 actions on media, and reading all
 * properties of each would take seconds.
 */
export function forPlanning(
  record: JobRecord,
  media: List<MediumState>,
  action: PlannedAction,
  index: number,
  mediaType: MediaType,
): Properties {
  const shared = sharedBy(record, action, mediaType);
  const { properties } = mediumOf(record, media, index);
  let own = OWN.get(properties);
  if (own === undefined) OWN.set(properties, (own = ownOf(properties)));
  return own === null ? shared : { ...shared, ...own, ...pickProperties(record.environmentProperties) };
}

/** Returns the planning properties of all media of a type that have none of their own. */
function sharedBy(record: JobRecord, action: PlannedAction, mediaType: MediaType): Properties {
  let byAction = PLANNED.get(record);
  if (byAction === undefined)
    PLANNED.set(record, (byAction = new Map<PlannedAction, Map<MediaType, Properties>>()));
  let byType = byAction.get(action);
  if (byType === undefined) byAction.set(action, (byType = new Map<MediaType, Properties>()));
  let shared = byType.get(mediaType);
  if (shared === undefined)
    byType.set(mediaType, (shared = pickProperties(forAction(record, action, mediaType))));
  return shared;
}

function ownOf(properties: Properties): Properties | null {
  const own = pickProperties(properties);
  return Object.keys(own).length === 0 ? null : own;
}

function pickProperties(properties: Properties): Properties {
  const found: Record<string, string> = {};
  for (const name of PLANNING) {
    const value = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (value !== undefined) found[name] = value;
  }
  return found;
}

/** Returns the properties that a component receives, including those of a media selector. */
export function forComponent(
  record: JobRecord,
  action: PlannedAction,
  medium: { readonly properties: Properties; readonly selector?: Properties | undefined },
  facts: { readonly mediaType: MediaType; readonly fps: number },
): Properties {
  return componentProperties(levelsOf(record, action, medium), facts);
}

/** The properties of an action on media without properties of their own. */
export const forAction = (record: JobRecord, action: PlannedAction, mediaType: MediaType): Properties =>
  effectiveProperties(levelsOf(record, action, { properties: {} }), mediaType);

/** The properties of the whole job, independent of media and actions. */
export function jobWide(
  record: Pick<JobRecord, 'environmentProperties' | 'jobProperties' | 'serverProperties'>,
): Properties {
  const none: PropertyLevels = {
    environment: record.environmentProperties,
    media: {},
    algorithm: {},
    job: record.jobProperties,
    action: {},
    definitions: [],
    server: record.serverProperties,
  };
  return effectiveProperties(none, 'UNKNOWN');
}

const levelsOf = (
  record: JobRecord,
  action: PlannedAction,
  medium: { readonly properties: Properties; readonly selector?: Properties | undefined },
): PropertyLevels =>
  propertyLevels(
    {
      environment: record.environmentProperties,
      jobProperties: record.jobProperties,
      algorithmProperties: record.algorithmProperties,
      server: record.serverProperties,
    },
    action,
    medium,
  );

/** True if an action skips a medium because it is (not) derived from another one. */
export function passesBy(properties: Properties, isDerived: boolean): boolean {
  return booleanOf(properties, isDerived ? 'SOURCE_MEDIA_ONLY' : 'DERIVATIVE_MEDIA_ONLY');
}

/**
 * Returns the tasks that have run on a medium, for conditions of later tasks. A task that extracts media does not count: a document without
 * pictures still has text, and a document with four pictures has its text once.
 */
export const tasksOn = ({ plan }: JobRecord, { processed }: Pick<MediumState, 'processed'>) =>
  processed.filter(({ task }) => !derives(plan.tasks[task]?.actions[0]));

/** True if an action extracts media from others. It always processes the whole medium. */
export const derives = (action: PlannedAction | undefined) => action?.algorithm.trackType === 'MEDIA';

/** True if an action is fed the tracks of earlier tasks. The first task on a medium has no earlier tracks. */
export function isFed(record: JobRecord, properties: Properties, medium: MediumState): boolean {
  return tasksOn(record, medium).length > 0 && feedForwardType(properties['FEED_FORWARD_TYPE']) !== null;
}

/** True if an action adds properties to the tracks that it is fed. */
export const annotates = (properties: Properties): boolean => booleanOf(properties, 'IS_ANNOTATOR');

/** Returns the TRIGGER that applies, or null if there is none. */
export function triggerOf(properties: Properties): string | null {
  const trigger = textOf(properties, 'TRIGGER', '');
  return isBlank(trigger) ? null : trigger;
}
