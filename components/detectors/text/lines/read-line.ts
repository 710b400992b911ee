/** What a line says: turn it upright, read it column by column, join what the columns say (greedy CTC decoding). */
import { plausibleConfidence } from '../foreign-script.ts';
import { cutLine } from './line-image.ts';
import type { LineSize, Quarters } from './line-image.ts';
import type { NetworkOutput, TextModels } from '../models.ts';
import { growRectangle } from './rectangles.ts';
import type { Rectangle } from './rectangles.ts';
import type { Picture } from './resample.ts';

export interface Decoded {
  readonly text: string;
  /** Mean probability of its characters; 0 for no text. */
  readonly confidence: number;
}

export interface Reading extends Decoded {
  /** By how many quarters, clockwise, the line is turned from the angle of its rectangle. */
  readonly quarters: Quarters;
}

const READ_SIZE: LineSize = { height: 48, minWidth: 48, maxWidth: 4096 };
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
 * most confident reading counts. Its confidence is lowered when it seems to be in a script that the network does not know.
 */
export async function readLine(picture: Picture, line: Rectangle, models: TextModels): Promise<Reading> {
  const reading = await mostConfident(picture, line, models);
  return { ...reading, confidence: plausibleConfidence(reading.text, reading.confidence) };
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
  const image = cutLine(picture, line, quarters, READ_SIZE);
  const output = await models.read(image.data, image.height, image.width);
  return { ...decode(output, models.characters), quarters };
}

function withoutMargins(line: Rectangle): Rectangle {
  return growRectangle(line, -MARGIN * Math.min(line.width, line.height));
}

function better(a: Reading, b: Reading): Reading {
  return b.confidence > a.confidence ? b : a;
}

/** The likeliest class of each column; a class that repeats counts once, the blank (class 0) not at all. */
export function decode(output: NetworkOutput, characters: readonly string[]): Decoded {
  const [, columns = 0, classes = 0] = output.shape;
  let text = '';
  let [sum, count, previous] = [0, 0, 0];
  for (let column = 0; column < columns; column++) {
    const start = column * classes;
    let best = 0;
    for (let i = 1; i < classes; i++) if (output.data[start + i]! > output.data[start + best]!) best = i;
    if (best !== 0 && best !== previous) {
      text += characters[best] ?? '';
      sum += output.data[start + best]!;
      count++;
    }
    previous = best;
  }
  text = text.trim();
  return { text, confidence: text === '' ? 0 : sum / count };
}
