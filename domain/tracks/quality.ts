/** Filters detections by quality, and selects the best ones and the exemplar of a track. */
import type { Detection, Issue, MediaType, Properties, Track } from '../types.ts';
import { numberOf, textOf } from '../properties/properties.ts';
import { isBlank, parseNumber } from '../values.ts';

type Rated = Pick<Detection, 'confidence' | 'properties'>;

function ratesByConfidence(property: string): boolean {
  return isBlank(property) || property.trim().toUpperCase() === 'CONFIDENCE';
}

/** The quality of a detection or track by QUALITY_SELECTION_PROPERTY. -Infinity if the property is not a number. */
export function qualityOf(rated: Rated, property: string): number {
  if (ratesByConfidence(property)) return rated.confidence;
  return parseNumber(rated.properties[property]) ?? -Infinity;
}

export interface QualityRule {
  readonly property: string;
  /** -Infinity disables the threshold. */
  readonly threshold: number;
}

export function qualityRule(properties: Properties): QualityRule {
  return {
    property: textOf(properties, 'QUALITY_SELECTION_PROPERTY'),
    threshold: numberOf(properties, 'QUALITY_SELECTION_THRESHOLD'),
  };
}

/** Warnings about an invalid threshold. It drops nothing, although its author expects fewer tracks. */
export function thresholdWarnings(properties: Properties): readonly Issue[] {
  const text = textOf(properties, 'QUALITY_SELECTION_THRESHOLD');
  if (isBlank(text) || parseNumber(text) !== undefined) return [];
  const message = `The QUALITY_SELECTION_THRESHOLD property was set to "${text}", which is not a number, and nothing was dropped for its quality. Set it to a number such as 0.5.`;
  return [{ code: 'OTHER', message }];
}

/**
 * The track without its detections below the threshold. Null if none is left. A video track itself is checked, too, but by a property only
 * if it has that property.
 */
export function aboveThreshold(track: Track, rule: QualityRule, mediaType: MediaType): Track | null {
  const { property, threshold } = rule;
  if (threshold === -Infinity) return track;
  const isJudged = ratesByConfidence(property) || Object.hasOwn(track.properties, property);
  if (mediaType === 'VIDEO' && isJudged && qualityOf(track, property) < threshold) return null;
  const detections = track.detections.filter((detection) => qualityOf(detection, property) >= threshold);
  if (detections.length === 0) return null;
  return detections.length === track.detections.length ? track : { ...track, detections };
}

/** The best first. Of equal ones, the one in the lowest frame. */
function byQuality(property: string): (a: Detection, b: Detection) => number {
  return (a, b) => {
    const [ofA, ofB] = [qualityOf(a, property), qualityOf(b, property)];
    return ofA === ofB ? a.frame - b.frame : ofB > ofA ? 1 : -1;
  };
}

/** The best `count` detections in order of frame. All of them if `count` is 0 or less. */
export function topQuality(
  detections: readonly Detection[],
  count: number,
  property: string,
): readonly Detection[] {
  if (count <= 0 || count >= detections.length) return detections;
  const best = detections.toSorted(byQuality(property)).slice(0, count);
  return best.toSorted((a, b) => a.frame - b.frame);
}

/**
 * The detection that represents a track. Policies, case-insensitive: FIRST, LAST, MIDDLE (the frame nearest to the middle of the track; of
 * two, the earlier). Every other text means QUALITY, the best detection.
 */
export function exemplarOf(
  track: Pick<Track, 'startFrame' | 'stopFrame' | 'detections'>,
  policy: string,
  qualityProperty: string,
): Detection {
  const { detections } = track;
  const found = pickExemplar(track, policy.trim().toUpperCase(), qualityProperty) ?? detections[0];
  if (found === undefined) throw new RangeError('A track must have at least one detection.');
  return found;
}

function pickExemplar(
  { startFrame, stopFrame, detections }: Pick<Track, 'startFrame' | 'stopFrame' | 'detections'>,
  policy: string,
  qualityProperty: string,
): Detection | undefined {
  const first = (before: (a: Detection, b: Detection) => number): Detection | undefined =>
    detections.reduce<Detection | undefined>(
      (best, next) => (best === undefined || before(next, best) < 0 ? next : best),
      undefined,
    );
  const middle = Math.floor((startFrame + stopFrame) / 2);
  const distance = (detection: Detection): number => Math.abs(detection.frame - middle);
  switch (policy) {
    case 'FIRST':
      return first((a, b) => a.frame - b.frame);
    case 'LAST':
      return first((a, b) => b.frame - a.frame);
    case 'MIDDLE':
      return first((a, b) => distance(a) - distance(b) || a.frame - b.frame);
    default:
      return first(byQuality(qualityProperty));
  }
}
