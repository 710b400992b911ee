/** Builds the label of a box from icons, `[index]`, a text and a number, in this order. */
import type { Properties } from '../../../domain/types.ts';
import { parseBoolean, parseNumber } from '../../../domain/values.ts';
import type { FinishedDetection, FinishedTrack } from '../media/finish/finished-line.ts';
import type { LabelSettings } from './settings.ts';

/** Characters of the label font. */
export const ICONS = {
  exemplar: '\u2605',
  detected: '\u26B2',
  filledIn: '\u270E',
  animated: '\u2699',
  moving: '\u00BB',
  standing: '\u2693',
} as const;

/** Origin of a box, besides the facts of its detection. */
export interface BoxOrigin {
  readonly isExemplar: boolean;
  readonly isAnimated: boolean;
}

/** Returns null if there is nothing to show. */
export function labelText(
  track: FinishedTrack,
  detection: FinishedDetection,
  origin: BoxOrigin,
  settings: LabelSettings,
): string | null {
  const parts = [
    iconsOf(track, detection, origin, settings),
    settings.trackIndex ? `[${track.index}]` : '',
    textPart(track, detection, settings),
    numberPart(track, detection, settings),
  ];
  const label = parts.filter((part) => part !== '').join(' ');
  return label === '' ? null : label;
}

function iconsOf(
  track: FinishedTrack,
  detection: FinishedDetection,
  { isExemplar, isAnimated }: BoxOrigin,
  settings: LabelSettings,
): string {
  const filledIn = parseBoolean(detection.detectionProperties['FILLED_GAP']) ?? false;
  const source = isAnimated ? ICONS.animated : filledIn ? ICONS.filledIn : ICONS.detected;
  const moves = settings.movingIcons
    ? parseBoolean(propertyOf(track, detection, 'MOVING', settings))
    : undefined;
  return [
    settings.exemplarIcons && isExemplar ? ICONS.exemplar : '',
    settings.sourceIcons ? source : '',
    moves === undefined ? '' : moves ? ICONS.moving : ICONS.standing,
  ].join('');
}

function textPart(track: FinishedTrack, detection: FinishedDetection, settings: LabelSettings): string {
  const { textProperty, maxLength } = settings;
  const text = propertyOf(track, detection, textProperty, settings) ?? '';
  const line = text.replace(/\s+/g, ' ').trim();
  return Array.from(line).slice(0, maxLength).join('').trim();
}

function numberPart(track: FinishedTrack, detection: FinishedDetection, settings: LabelSettings): string {
  const { numberProperty, fromDetections } = settings;
  if (numberProperty.toUpperCase() === 'CONFIDENCE') {
    const { confidence } = fromDetections ? detection : track;
    return confidence < 0 ? '' : confidence.toFixed(3);
  }
  const value = parseNumber(propertyOf(track, detection, numberProperty, settings));
  return value === undefined || !Number.isFinite(value) ? '' : value.toFixed(3);
}

/** Returns a property of the detection or the track, as configured. If the track lacks it, its exemplar's property is used. */
function propertyOf(
  { trackProperties, exemplar }: FinishedTrack,
  { detectionProperties }: FinishedDetection,
  name: string,
  { fromDetections }: LabelSettings,
): string | undefined {
  if (name === '') return undefined;
  const own = (properties: Properties): string | undefined =>
    Object.hasOwn(properties, name) ? properties[name] : undefined;
  if (fromDetections) return own(detectionProperties);
  return own(trackProperties) ?? own(exemplar.detectionProperties);
}
