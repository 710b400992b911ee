/** Reads a line: turns it upright, and reads it once or several times. */
import { cutLine } from './line-image.ts';
import type { LineSize, Quarters } from './line-image.ts';
import type { TextModels } from '../models.ts';
import type { Decoded } from '../readers/line-reader.ts';
import { growRectangle } from './rectangles.ts';
import type { Rectangle } from './rectangles.ts';
import type { Picture } from './resample.ts';

export interface Reading extends Decoded {
  /** Number of clockwise quarter turns of the line from the angle of its rectangle. */
  readonly quarters: Quarters;
}

const TURN_SIZE: LineSize = { height: 48, minWidth: 192, maxWidth: 192 };
/** Minimum ratio of height to width of a line that runs down or up. */
const TALL = 1.5;
/** Maximum ratio up to which it may also be a single narrow character. */
const TALL_CHARACTER = 3;
const UPSIDE_DOWN = 0.9;
/** Quarter turns after turning upside down. */
const TURNED_OVER = [2, 3, 0, 1] as const;
/** Minimum confidence of a reading that is accepted at once. */
const SURE = 0.9;
/** Width that is removed on each side for the second reading, as a share of the line's thickness. */
const MARGIN = 0.1;

/**
 * Reads a line again if its confidence is low: upside down, and without its margins, which show the neighbours of a dense line. The most
 * confident reading is used. Its confidence is reduced if it seems to be in a script that the reader does not know.
 */
export async function readLine(picture: Picture, line: Rectangle, models: TextModels): Promise<Reading> {
  const reading = await mostConfident(picture, line, models);
  const { plausible = ({ confidence }) => confidence } = models.reader;
  return { ...reading, confidence: plausible(reading) };
}

async function mostConfident(picture: Picture, line: Rectangle, models: TextModels): Promise<Reading> {
  const ratio = line.height / line.width;
  const quarters = await upright(picture, line, ratio >= TALL ? 1 : 0, models);
  let reading = await readTurned(picture, line, quarters, models);
  if (reading.confidence >= SURE) return reading;
  reading = better(reading, await readTurned(picture, line, TURNED_OVER[quarters], models));
  reading = better(reading, await readTurned(picture, withoutMargins(line), quarters, models));
  if (ratio < TALL || ratio > TALL_CHARACTER) return reading;
  return better(reading, await readTurned(picture, line, 0, models));
}

/** Reads a line upside down. */
export function readTurnedOver(
  picture: Picture,
  line: Rectangle,
  { quarters }: Reading,
  models: TextModels,
): Promise<Reading> {
  return readTurned(picture, line, TURNED_OVER[quarters], models);
}

/** Returns the quarter turns of a line: the given number, or two more if the line is upside down. */
async function upright(
  picture: Picture,
  line: Rectangle,
  quarters: Quarters,
  models: TextModels,
): Promise<Quarters> {
  const image = cutLine(picture, line, quarters, TURN_SIZE);
  const { data } = await models.turn(image.data, image.height, image.width);
  return data[1]! > UPSIDE_DOWN ? TURNED_OVER[quarters] : quarters;
}

async function readTurned(
  picture: Picture,
  line: Rectangle,
  quarters: Quarters,
  models: TextModels,
): Promise<Reading> {
  const image = cutLine(picture, line, quarters, models.reader.size);
  return { ...(await models.reader.read(image)), quarters };
}

function withoutMargins(line: Rectangle): Rectangle {
  return growRectangle(line, -MARGIN * Math.min(line.width, line.height));
}

function better(a: Reading, b: Reading): Reading {
  return b.confidence > a.confidence ? b : a;
}
