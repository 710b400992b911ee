/**
 * Where the lines of text are: the network marks the core of each line (its text shrunk inwards), touching marks are one
 * line, and the rectangle around them is grown back to the height of the letters (differentiable binarization).
 */
import type { Network } from './models.ts';
import { meanWithin, outlines } from './regions.ts';
import type { ProbabilityMap } from './regions.ts';
import { grown, scaled, smallestRectangle } from './rectangles.ts';
import type { Rectangle } from './rectangles.ts';
import { scaledPlanes } from './resample.ts';
import type { Normalization, Picture } from './resample.ts';
import type { TextSettings } from './settings.ts';

/** What the network was trained with, in the order blue, green, red. */
const NORMALIZATION: Normalization = {
  mean: [0.485 * 255, 0.456 * 255, 0.406 * 255],
  factor: [1 / (0.229 * 255), 1 / (0.224 * 255), 1 / (0.225 * 255)],
};
/** The network halves its input five times. */
const STEP = 32;
/** Text that fills a small picture up to its edge is only found with some more of that edge around it. */
const SMALLEST = 3 * STEP;
/** Sides of a core and of a line below these, in pixels of the searched picture, are noise. */
const MIN_CORE = 3;
const MIN_LINE = 5;
/**
 * How far a core grows, as a factor of its area by its circumference. The usual 1.5 cuts capitals and closing full stops,
 * and the reader then loses the spaces between words; much more takes in the lines above and below.
 */
const GROWTH = 2.2;

/** Lines in pixels of the picture, in no order. */
export async function findLines(
  picture: Picture,
  find: Network,
  settings: TextSettings,
): Promise<readonly Rectangle[]> {
  const scale = searchScale(picture, settings);
  const width = wholeSteps(picture.width * scale);
  const height = wholeSteps(picture.height * scale);
  const { data } = await find(scaledPlanes(picture, scale, width, height, NORMALIZATION), height, width);
  const map = { data, width, height };
  const lines: Rectangle[] = [];
  for (const outline of outlines(map, settings.pixelThreshold)) {
    const line = lineFrom(smallestRectangle(outline), map, settings);
    if (line !== undefined && isInside(line, picture, scale)) lines.push(scaled(line, 1 / scale));
  }
  return lines;
}

function searchScale(picture: Picture, settings: TextSettings): number {
  const side = Math.max(picture.width, picture.height);
  return Math.min(Math.max(side, settings.minSide), settings.maxSide) / side;
}

function lineFrom(core: Rectangle, map: ProbabilityMap, settings: TextSettings): Rectangle | undefined {
  if (Math.min(core.width, core.height) < MIN_CORE) return undefined;
  if (meanWithin(map, core) < settings.detectionThreshold) return undefined;
  const line = grown(core, (core.width * core.height * GROWTH) / (2 * (core.width + core.height)));
  // The map's pixel i covers the picture from i to i + 1, its middle is i + 0.5.
  const centre = { x: line.centre.x + 0.5, y: line.centre.y + 0.5 };
  return Math.min(line.width, line.height) < MIN_LINE ? undefined : { ...line, centre };
}

/** False for what was found in the border that only fills up the input. */
function isInside(line: Rectangle, picture: Picture, scale: number): boolean {
  return line.centre.x < picture.width * scale && line.centre.y < picture.height * scale;
}

function wholeSteps(length: number): number {
  return Math.max(SMALLEST, Math.ceil(length / STEP) * STEP);
}
