/**
 * Checks whether the metadata of a request are sufficient to skip the inspection of a medium (specification 2.1, JobCreationMediaData).
 * Required are MEDIA_HASH, MIME_TYPE, and further keys for each kind of medium.
 */
import type { FrameTimes, Issue, MediaType, MediumFacts, Properties } from '../types.ts';
import { mediaTypeOf, needsConversion } from './media-types.ts';
import { isBlank, parseBoolean, parseInteger, parseNumber } from '../values.ts';

const NEEDED: Readonly<Record<MediaType, readonly string[]>> = {
  VIDEO: ['FRAME_WIDTH', 'FRAME_HEIGHT', 'FRAME_COUNT', 'FPS', 'DURATION'],
  IMAGE: ['FRAME_WIDTH', 'FRAME_HEIGHT'],
  AUDIO: ['DURATION'],
  UNKNOWN: [],
};
/** Maximum number of frames. No video has more: a higher count is a mistake or an attack. */
export const MAX_FRAMES = 2 ** 31 - 1;
const WHOLE_NUMBERS: ReadonlySet<string> = new Set(['FRAME_WIDTH', 'FRAME_HEIGHT', 'FRAME_COUNT']);

export type SkipResult =
  | { readonly facts: MediumFacts; readonly warnings: readonly Issue[] }
  | { readonly insufficient: true; readonly warnings: readonly Issue[] };

/**
 * `insist` is SKIP_MEDIA_INSPECTION. A container without all video keys then counts as audio, and one without the audio key as a generic
 * medium, each with a warning. Contradictory metadata are never used.
 */
export function factsFromMetadata(metadata: Properties, { insist = false } = {}): SkipResult {
  const missing = missingKeys(metadata, ['MIME_TYPE', 'MEDIA_HASH']);
  if (missing.length > 0) return insufficient(insist, `Missing required metadata: ${missing.join(', ')}.`);
  const mimeType = metadata['MIME_TYPE']?.trim() ?? '';
  if (needsConversion(mimeType)) {
    return insufficient(insist, `An image of the type ${mimeType} has to be converted.`);
  }
  const stated = mediaTypeOf(mimeType);
  const kinds = candidates(stated, insist);
  const mediaType = kinds.find((kind) => missingKeys(metadata, NEEDED[kind]).length === 0);
  const passedOver = kinds.slice(0, mediaType === undefined ? kinds.length : kinds.indexOf(mediaType));
  const complaints = passedOver.map(
    (kind) =>
      `Missing required ${kind.toLowerCase()} metadata: ${missingKeys(metadata, NEEDED[kind]).join(', ')}.`,
  );
  if (mediaType === undefined) return insufficient(insist, complaints.join(' '));
  const invalid = invalidMetadata(metadata, mediaType);
  if (invalid !== null) return insufficient(true, `Provided media metadata not valid: ${invalid}`);
  return { facts: facts(metadata, mediaType, mimeType), warnings: complaints.map(warning) };
}

/** The kinds of medium to try, in order. */
function candidates(stated: MediaType, insist: boolean): readonly MediaType[] {
  if (!insist || stated === 'IMAGE' || stated === 'UNKNOWN') return [stated];
  return stated === 'VIDEO' ? ['VIDEO', 'AUDIO', 'UNKNOWN'] : ['AUDIO', 'UNKNOWN'];
}

function insufficient(warn: boolean, reason: string): SkipResult {
  return { insufficient: true, warnings: warn ? [warning(`${reason} Cannot skip media inspection.`)] : [] };
}

function warning(message: string): Issue {
  return { code: 'MEDIA_INSPECTION', message };
}

function missingKeys(metadata: Properties, keys: readonly string[]): readonly string[] {
  return keys.filter((key) => isBlank(metadata[key]));
}

function invalidMetadata(metadata: Properties, mediaType: MediaType): string | null {
  const numbers = NEEDED[mediaType].filter((key) => !isPositive(key, metadata[key]));
  const complaints =
    numbers.length === 0 ? [] : [`The following must be a valid number > 0: ${showKeys(metadata, numbers)}.`];
  if (mediaType === 'VIDEO' || mediaType === 'IMAGE') {
    const flip = metadata['HORIZONTAL_FLIP'];
    if (flip !== undefined && parseBoolean(flip) === undefined) {
      complaints.push(`The following must be "TRUE" or "FALSE": ${flip}.`);
    }
    const rotation = metadata['ROTATION'];
    if (rotation !== undefined && !isRotation(rotation)) {
      complaints.push(`Invalid ROTATION of ${rotation}. Must be in the range [0, 360).`);
    }
  }
  return complaints.length === 0 ? null : complaints.join(' ');
}

function isPositive(key: string, text: string | undefined): boolean {
  const value = WHOLE_NUMBERS.has(key) ? parseInteger(text) : parseNumber(text);
  return value !== undefined && value > 0 && value < (key === 'FRAME_COUNT' ? MAX_FRAMES : Infinity);
}

function isRotation(text: string): boolean {
  const degrees = parseNumber(text);
  return degrees !== undefined && degrees >= 0 && degrees < 360;
}

function showKeys(metadata: Properties, keys: readonly string[]): string {
  return keys.map((key) => `${key}=${metadata[key] ?? ''}`).join(', ');
}

function facts(metadata: Properties, mediaType: MediaType, mimeType: string): MediumFacts {
  const frames = parseInteger(metadata['FRAME_COUNT']) ?? -1;
  const length = mediaType === 'VIDEO' ? frames : mediaType === 'IMAGE' ? 1 : -1;
  return {
    mediaType,
    mimeType,
    sha256: metadata['MEDIA_HASH']?.trim() ?? '',
    length,
    metadata,
    ...(mediaType === 'VIDEO' ? { frameTimes: estimatedTimes(metadata) } : {}),
  };
}

/** Times estimated from the frame rate, because the video was not read. */
function estimatedTimes(metadata: Properties): FrameTimes {
  return {
    fps: parseNumber(metadata['FPS']) ?? 0,
    constantRate: parseBoolean(metadata['HAS_CONSTANT_FRAME_RATE']) ?? false,
    startTime: 0,
    estimated: true,
  };
}
