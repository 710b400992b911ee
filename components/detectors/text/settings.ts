/** The properties of the descriptor, read and checked. */
import { choiceOf, invalidProperty, numberWithin } from '../../shared/tracking/settings.ts';
import type { Properties } from '../../../domain/types.ts';

export interface TextSettings {
  /** Probability above which a pixel belongs to a line. */
  readonly pixelThreshold: number;
  /** Mean probability from which on a region is a line. */
  readonly detectionThreshold: number;
  /** Confidence from which on a reading is reported. */
  readonly confidenceThreshold: number;
  /** Bounds of the longer side of the picture in which lines are searched, in pixels. */
  readonly minSide: number;
  readonly maxSide: number;
  /** Grey levels (0-255) by which a part of a frame must differ from the last frame read to be read again. */
  readonly changeThreshold: number;
  /** Share of equal characters (0-1) from which on two readings at the same place are the same text. */
  readonly similarity: number;
  /** Whether the lines of a picture are one finding. */
  readonly mergeLines: boolean;
  /** A recogniser of the operator's own; empty: the bundled one. */
  readonly recognitionModel: string;
  /** Languages that Tesseract reads; empty: a network reads. */
  readonly tesseractLanguage: string;
}

export function readSettings(properties: Properties): TextSettings {
  const settings = {
    pixelThreshold: numberWithin(properties, 'PIXEL_THRESHOLD', 0, 1),
    detectionThreshold: numberWithin(properties, 'DETECTION_THRESHOLD', 0, 1),
    confidenceThreshold: numberWithin(properties, 'CONFIDENCE_THRESHOLD', 0, 1),
    minSide: numberWithin(properties, 'MIN_SIDE_LENGTH', 0, 4096),
    maxSide: numberWithin(properties, 'MAX_SIDE_LENGTH', 32, 4096),
    changeThreshold: numberWithin(properties, 'CHANGE_THRESHOLD', 0, 255),
    similarity: numberWithin(properties, 'TEXT_SIMILARITY', 0, 1),
    mergeLines: choiceOf(properties, 'MERGE_LINES', ['TRUE', 'FALSE']) === 'TRUE',
    recognitionModel: (properties['RECOGNITION_MODEL'] ?? '').trim(),
    tesseractLanguage: (properties['TESSERACT_LANGUAGE'] ?? '').trim(),
  };
  if (settings.minSide > settings.maxSide)
    throw invalidProperty(
      `MIN_SIDE_LENGTH is ${settings.minSide}, but must not exceed MAX_SIDE_LENGTH, which is ${settings.maxSide}.`,
    );
  if (settings.recognitionModel !== '' && settings.tesseractLanguage !== '')
    throw invalidProperty('RECOGNITION_MODEL and TESSERACT_LANGUAGE are both set. Leave one of them empty.');
  return settings;
}
