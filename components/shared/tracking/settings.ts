/** Properties of a sub-job as checked numbers and words. */
import { DetectionError, numberProperty } from '../../sdk/detector.ts';
import type { Properties } from '../../../domain/types.ts';

/** A number from `least` to `most`; INVALID_PROPERTY when it lies outside. */
export function numberWithin(properties: Properties, name: string, least: number, most: number): number {
  const value = numberProperty(properties, name);
  if (value < least || value > most) {
    const bounds = most === Infinity ? `${least} or more` : `from ${least} to ${most}`;
    throw new DetectionError('INVALID_PROPERTY', `The ${name} property is ${value}; it must be ${bounds}.`);
  }
  return value;
}

/** A whole number of at least `least`; INVALID_PROPERTY when it is not. */
export function countOf(properties: Properties, name: string, least: number): number {
  const value = numberWithin(properties, name, least, Infinity);
  if (!Number.isSafeInteger(value))
    throw new DetectionError(
      'INVALID_PROPERTY',
      `The ${name} property is ${value}; it must be a whole number.`,
    );
  return value;
}

/** One of these words, in any case; INVALID_PROPERTY for any other text. */
export function choiceOf<T extends string>(properties: Properties, name: string, words: readonly T[]): T {
  const text = properties[name]?.trim().toUpperCase() ?? '';
  if (text === '') throw new DetectionError('MISSING_PROPERTY', `The ${name} property is not set.`);
  const choice = words.find((word) => word === text);
  if (choice === undefined)
    throw new DetectionError(
      'INVALID_PROPERTY',
      `The ${name} property is "${text}"; it must be one of ${words.join(', ')}.`,
    );
  return choice;
}
