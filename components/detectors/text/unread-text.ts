/**
 * Detects whether most text of a picture has a confidence so low that the network probably does not know its script. Pure. Lines of
 * English, German, Polish or Chinese have a confidence of 0.92 and more. Lines of Cyrillic, Greek, Arabic, Hebrew, Hangul, Thai or
 * Devanagari have less than 0.85.
 */

/** A found line: its sides in pixels, and the confidence of its reading (0-1). */
export interface FoundLine {
  readonly width: number;
  readonly height: number;
  readonly confidence: number;
}

const SURE = 0.85;
/** Minimum ratio of length to thickness. Shorter lines may be no text. */
const LEAST_RATIO = 5;
/** Minimum thickness in pixels. Thinner lines are too small to read. */
const LEAST_PIXELS = 12;
/** Minimum total length of all uncertain lines, in multiples of their thickness: about 15 letters. */
const LEAST_UNSURE = 7;
const MOST = 0.5;

export function isMostlyUnread(lines: readonly FoundLine[]): boolean {
  let [unsure, all] = [0, 0];
  for (const { width, height, confidence } of lines) {
    const thickness = Math.min(width, height);
    const ratio = Math.max(width, height) / thickness;
    if (thickness < LEAST_PIXELS || ratio < LEAST_RATIO) continue;
    all += ratio;
    if (confidence < SURE) unsure += ratio;
  }
  return unsure >= LEAST_UNSURE && unsure >= MOST * all;
}

export const UNREAD_WARNING =
  'Most of the text is read with little confidence: it is blurred, or in a script that the model does not know, such as Cyrillic, Greek or Arabic. Set RECOGNITION_MODEL or TESSERACT_LANGUAGE for this script.';
