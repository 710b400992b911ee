/**
 * Whether most of the text of a picture is read with so little confidence that the network hardly knows its script. Pure. Lines of
 * English, German, Polish or Chinese are read with 0.92 and more, those of Cyrillic, Greek, Arabic, Hebrew, Hangul, Thai or Devanagari
 * with less than 0.85.
 */

/** A line that was found: its sides in pixels, and how sure its reading is (0-1). */
export interface FoundLine {
  readonly width: number;
  readonly height: number;
  readonly confidence: number;
}

const SURE = 0.85;
/** Shorter lines, by their thickness, may be no text. */
const LEAST_RATIO = 5;
/** Thinner ones are too small to read. */
const LEAST_PIXELS = 12;
/** All unsure lines together are at least so long, by their thickness: about 15 letters. */
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
