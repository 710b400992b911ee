/** What a line says: turn it upright, and read it as often as it takes. */
import { cutLine } from './line-image.ts';
import type { LineSize, Quarters } from './line-image.ts';
import type { TextModels } from '../models.ts';
import type { Decoded } from '../readers/line-reader.ts';
import { growRectangle } from './rectangles.ts';
import type { Rectangle } from './rectangles.ts';
import type { Picture } from './resample.ts';

export interface Reading extends Decoded {
  /** By how many quarters, clockwise, the line is turned from the angle of its rectangle. */
  readonly quarters: Quarters;
}

const TURN_SIZE: LineSize = { height: 48, minWidth: 192, maxWidth: 192 };
/** A rectangle so much higher than wide is a line that runs down or up. */
const TALL = 1.5;
/** ... or, up to this, a single narrow character. */
const TALL_CHARACTER = 3;
const UPSIDE_DOWN = 0.9;
/** By quarters turned: two more. */
const TURNED_OVER = [2, 3, 0, 1] as const;
/** A reading as confident as this is taken as it is. */
const SURE = 0.9;
/** What a line loses on each side for the second look, as a share of its thickness. */
const MARGIN = 0.1;

/**
 * Reads a line again when its confidence is low: upside down, and without its margins, which show the neighbours of a dense line. The
 * most confident reading counts. Its confidence is lowered when it seems to be in a script that the reader does not know.
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

/** What a line says the other way up. */
export function readTurnedOver(
  picture: Picture,
  line: Rectangle,
  { quarters }: Reading,
  models: TextModels,
): Promise<Reading> {
  return readTurned(picture, line, TURNED_OVER[quarters], models);
}

/** By how many quarters a line is turned: by so many as given, or by two more when it stands on its head. */
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
