/** All lines of text of one picture, in reading order. */
import type { DetectionJob } from '../../sdk/detector.ts';
import { findLines } from './lines/find-lines.ts';
import type { TextModels } from './models.ts';
import { directionOf, placementOf } from './placement.ts';
import type { Placement } from './placement.ts';
import { readLine, readTurnedOver } from './lines/read-line.ts';
import type { Reading } from './lines/read-line.ts';
import type { Decoded } from './readers/line-reader.ts';
import { boxOf, inReadingOrder } from './reading-order.ts';
import type { Written } from './reading-order.ts';
import { boxAround } from './lines/rectangles.ts';
import type { Rectangle } from './lines/rectangles.ts';
import type { Picture } from './lines/resample.ts';
import type { TextSettings } from './settings.ts';
import { isMostlyUnread } from './unread-text.ts';

/** A read line: its text, confidence (0-1), upright box in pixels, and position. */
export interface TextLine extends Written {
  readonly confidence: number;
  readonly placed: Placement;
}

interface ReadLine {
  readonly line: Rectangle;
  readonly reading: Reading;
}

/** Minimum confidence of a single character. Otherwise, it is often a wheel, a cup or a pedestrian. */
const SURE_CHARACTER = 0.9;
/** Maximum length of readings that may make sense upside down ("and" is "pue") ... */
const FEW_CHARACTERS = 5;
/** ... and maximum loss of confidence to read them in the direction of the other lines. */
const LESS_CONFIDENT = 0.15;

export interface ReadPicture {
  /** Lines in reading order. */
  readonly lines: readonly TextLine[];
  /** True if most of its text has low confidence. */
  readonly isUnread: boolean;
}

export async function readPicture(
  picture: Picture,
  models: TextModels,
  settings: TextSettings,
  signal: DetectionJob['signal'],
): Promise<ReadPicture> {
  const read: ReadLine[] = [];
  for (const line of await findLines(picture, models.find, settings)) {
    signal.throwIfAborted();
    read.push({ line, reading: await readLine(picture, line, models) });
  }
  const lines: TextLine[] = [];
  for (const { line, reading } of await likeTheOthers(picture, read, models)) {
    if (!isText(reading, settings.confidenceThreshold)) continue;
    const { text, confidence, quarters } = reading;
    const direction = directionOf(line, quarters);
    const placed = placementOf(line, quarters, picture);
    lines.push({ text, confidence, direction, placed, ...boxAround(line, picture.width, picture.height) });
  }
  const blocks = inReadingOrder(lines);
  const found = read.map(({ line, reading }) => ({ ...line, confidence: reading.confidence }));
  return {
    lines: settings.mergeLines ? mergeBlocks(blocks) : blocks.flat(2),
    isUnread: isMostlyUnread(found),
  };
}

/** Reads short lines in the direction of longer ones if they seem to be upside down. */
async function likeTheOthers(
  picture: Picture,
  read: readonly ReadLine[],
  models: TextModels,
): Promise<readonly ReadLine[]> {
  const long = read.filter(({ reading }) => reading.text.length > FEW_CHARACTERS);
  const turned: ReadLine[] = [];
  for (const one of read) {
    const { line, reading } = one;
    const isShort = reading.text.length > 0 && reading.text.length <= FEW_CHARACTERS;
    if (!isShort || !standsOnItsHead(one, long)) turned.push(one);
    else {
      const other = await readTurnedOver(picture, line, reading, models);
      const likely = other.confidence >= reading.confidence - LESS_CONFIDENT && other.text !== '';
      turned.push(likely ? { line, reading: other } : one);
    }
  }
  return turned;
}

/** True if other lines have the opposite direction, and none has the same one. */
function standsOnItsHead({ line, reading }: ReadLine, others: readonly ReadLine[]): boolean {
  const own = directionOf(line, reading.quarters);
  const cosines = others.map((other) =>
    Math.cos(((directionOf(other.line, other.reading.quarters) - own) * Math.PI) / 180),
  );
  return cosines.some((cosine) => cosine < -0.9) && !cosines.some((cosine) => cosine > 0.9);
}

/** True for a reading of text. Readings without letters and digits are rims, stripes and stars. */
function isText({ text, confidence }: Decoded, threshold: number): boolean {
  if (!/[\p{L}\p{N}]/u.test(text)) return false;
  return confidence >= (text.length === 1 ? Math.max(threshold, SURE_CHARACTER) : threshold);
}

/** Returns all lines as one, with an empty line between blocks. The confidence is the average of all characters. */
function mergeBlocks(blocks: ReturnType<typeof inReadingOrder<TextLine>>): readonly TextLine[] {
  const lines = blocks.flat(2);
  if (lines.length === 0) return [];
  const text = blocks
    .map((block) => block.map((row) => row.map((line) => line.text).join(' ')).join('\n'))
    .join('\n\n');
  const letters = lines.reduce((sum, line) => sum + line.text.length, 0);
  const confidence = lines.reduce((sum, line) => sum + line.confidence * line.text.length, 0) / letters;
  const box = boxOf(lines);
  return [{ text, confidence, direction: 0, placed: { ...box, rotation: 0 }, ...box }];
}
