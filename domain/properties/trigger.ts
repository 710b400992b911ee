/** TRIGGER=PROPERTY=VALUE1;VALUE2 feeds only those tracks into a task whose property has one of the values. */
import type { Properties } from '../types.ts';
import { isBlank } from '../values.ts';

export interface Trigger {
  readonly property: string;
  readonly values: readonly string[];
}

const FEED_FORWARD_TYPES = ['FRAME', 'REGION', 'SUPERSET_REGION'] as const;
export type FeedForwardType = (typeof FEED_FORWARD_TYPES)[number];

/** Reads FEED_FORWARD_TYPE, case-insensitive. Null if tracks are not fed forward. */
export function feedForwardType(value: string | undefined): FeedForwardType | null {
  const upper = value?.trim().toUpperCase();
  return FEED_FORWARD_TYPES.find((type) => type === upper) ?? null;
}

/** The trigger, null if there is none, or a sentence that says what is wrong with it. */
export function parseTrigger(text: string | undefined): Trigger | null | { readonly refused: string } {
  if (text === undefined || isBlank(text)) return null;
  const equals = text.indexOf('=');
  const property = text.slice(0, Math.max(equals, 0)).trim();
  if (equals < 0)
    return { refused: `The TRIGGER property was set to "${text}", but it does not contain "=".` };
  if (property === '') {
    return { refused: `The TRIGGER property was set to "${text}", but it names no property before the "=".` };
  }
  return { property, values: triggerValues(text.slice(equals + 1)) };
}

/** Parses a TRIGGER that was validated when the job was created. */
export function triggerIn(text: string): Trigger | null {
  const trigger = parseTrigger(text);
  return trigger === null || 'refused' in trigger ? null : trigger;
}

/** Splits at semicolons. A backslash escapes the next character. */
function triggerValues(text: string): readonly string[] {
  const values: string[] = [];
  let current = '';
  for (let i = 0; i < text.length; i++) {
    const character = text.charAt(i);
    if (character === '\\') current += text.charAt(++i);
    else if (character === ';') {
      values.push(current.trim());
      current = '';
    } else current += character;
  }
  values.push(current.trim());
  return values.length === 1 ? values : values.filter((value) => value !== '');
}

export function triggerMatches(trigger: Trigger, trackProperties: Properties): boolean {
  const value = Object.hasOwn(trackProperties, trigger.property)
    ? trackProperties[trigger.property]
    : undefined;
  return value !== undefined && trigger.values.includes(value.trim());
}

/** Why a job with these properties is refused, or null. */
export function refusedTrigger(properties: Properties): string | null {
  const trigger = parseTrigger(properties['TRIGGER']);
  if (trigger === null) return null;
  if ('refused' in trigger) return trigger.refused;
  return feedForwardType(properties['FEED_FORWARD_TYPE']) === null
    ? 'The TRIGGER property was set, but feed forward is not enabled: FEED_FORWARD_TYPE must be FRAME, REGION or SUPERSET_REGION.'
    : null;
}
