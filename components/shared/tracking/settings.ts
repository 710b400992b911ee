/** Checks properties of a sub-job and returns numbers and words. */
import { DetectionError, numberProperty } from '../../sdk/detector.ts';
import type { Properties } from '../../../domain/types.ts';
import type { TrackingRules } from './tracker.ts';

export const invalidProperty = (message: string) => new DetectionError('INVALID_PROPERTY', message);
export const missingProperty = (message: string) => new DetectionError('MISSING_PROPERTY', message);

/** Returns a number from `least` to `most`. Throws INVALID_PROPERTY if it is outside. */
export function numberWithin(properties: Properties, name: string, least: number, most: number): number {
  const value = numberProperty(properties, name);
  if (value < least || value > most) {
    const bounds = most === Infinity ? `${least} or more` : `from ${least} to ${most}`;
    throw invalidProperty(`The ${name} property is ${value}; it must be ${bounds}.`);
  }
  return value;
}

/** Returns a whole number of at least `least`. Throws INVALID_PROPERTY otherwise. */
export function countOf(properties: Properties, name: string, least: number): number {
  const value = numberWithin(properties, name, least, Infinity);
  if (!Number.isSafeInteger(value))
    throw invalidProperty(`The ${name} property is ${value}; it must be a whole number.`);
  return value;
}

/** Returns one of these words, case-insensitive. Throws INVALID_PROPERTY for other texts. */
export function choiceOf<T extends string>(properties: Properties, name: string, words: readonly T[]): T {
  const text = properties[name]?.trim().toUpperCase() ?? '';
  if (text === '') throw missingProperty(`The ${name} property is not set.`);
  const choice = words.find((word) => word === text);
  if (choice === undefined)
    throw invalidProperty(`The ${name} property is "${text}"; it must be one of ${words.join(', ')}.`);
  return choice;
}

/** Reads the TRACKING_* properties. */
export const trackingRules = (properties: Properties, startConfidence: number): TrackingRules => ({
  minOverlap: numberWithin(properties, 'TRACKING_MIN_OVERLAP', 0, 1),
  maxDistance: numberWithin(properties, 'TRACKING_MAX_DISTANCE', 0, Infinity),
  maxGap: countOf(properties, 'TRACKING_MAX_GAP', 0),
  startConfidence,
});
