/** Reads and checks the properties of the descriptor. */
import { choiceOf, invalidProperty, numberWithin } from '../../shared/tracking/settings.ts';
import type { Properties } from '../../../domain/types.ts';

export interface TextSettings {
  /** Minimum probability of a pixel in a line. */
  readonly pixelThreshold: number;
  /** Minimum mean probability of a region that is a line. */
  readonly detectionThreshold: number;
  /** Minimum confidence of a reported reading. */
  readonly confidenceThreshold: number;
  /** Limits of the longer side of the searched picture, in pixels. */
  readonly minSide: number;
  readonly maxSide: number;
  /** Minimum difference in grey levels (0-255) between a part of a frame and the last read frame, for the frame to be read. */
  readonly changeThreshold: number;
  /** Minimum share of equal characters (0-1) of two readings at the same place that are the same text. */
  readonly similarity: number;
  /** True to report the lines of a picture as one finding. */
  readonly mergeLines: boolean;
  /** The operator's recogniser; empty for the bundled one. */
  readonly recognitionModel: string;
  /** Languages for Tesseract; empty to use a network. */
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
