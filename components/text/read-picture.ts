/** All lines of text of one picture, in reading order. */
import type { DetectionJob } from '../sdk/detector.ts';
import { findLines } from './find-lines.ts';
import type { TextModels } from './models.ts';
import { readLine } from './read-line.ts';
import type { Reading } from './read-line.ts';
import { boxAround } from './rectangles.ts';
import type { Box } from './rectangles.ts';
import type { Picture } from './resample.ts';
import type { TextSettings } from './settings.ts';

/** A line that was read: its words, how sure they are (0-1), and the upright box around it in pixels. */
export interface TextLine extends Box {
  readonly text: string;
  readonly confidence: number;
}

/** A single character that is read with less confidence is more often a wheel, a cup or a walker than text. */
const SURE_CHARACTER = 0.9;

export async function readPicture(
  picture: Picture,
  models: TextModels,
  settings: TextSettings,
  signal: DetectionJob['signal'],
): Promise<readonly TextLine[]> {
  const lines: TextLine[] = [];
  for (const line of await findLines(picture, models.find, settings)) {
    signal.throwIfAborted();
    const reading = await readLine(picture, line, models);
    if (!isText(reading, settings.confidenceThreshold)) continue;
    lines.push({ ...reading, ...boxAround(line, picture.width, picture.height) });
  }
  return inReadingOrder(lines);
}

/** Readings without letters and digits are rims, stripes and stars. */
function isText({ text, confidence }: Reading, threshold: number): boolean {
  if (!/[\p{L}\p{N}]/u.test(text)) return false;
  return confidence >= (text.length === 1 ? Math.max(threshold, SURE_CHARACTER) : threshold);
}

/** Rows from top to bottom, each from left to right; boxes that share half of the lower one's height are one row. */
export function inReadingOrder(lines: readonly TextLine[]): readonly TextLine[] {
  const rows: TextLine[][] = [];
  for (const line of lines.toSorted((a, b) => middle(a) - middle(b))) {
    const row = rows.at(-1);
    if (row !== undefined && sharesRow(row[0]!, line)) row.push(line);
    else rows.push([line]);
  }
  return rows.flatMap((row) => row.toSorted((a, b) => a.x - b.x));
}

function sharesRow(a: Box, b: Box): boolean {
  const shared = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
  return shared * 2 >= Math.min(a.height, b.height);
}

function middle(box: Box): number {
  return box.y + box.height / 2;
}
