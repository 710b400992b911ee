/**
 * Where the lines of text are: the network marks the core of each line (its text shrunk inwards), touching marks are one
 * line, and the rectangle around them is grown back to the height of the letters (differentiable binarization).
 */
import type { Network } from '../models.ts';
import { meanWithin, outlines } from './regions.ts';
import type { ProbabilityMap } from './regions.ts';
import { joinedPieces } from './join-pieces.ts';
import { contains, growRectangle, scaleRectangle, smallestRectangle } from './rectangles.ts';
import type { Rectangle } from './rectangles.ts';
import { scaledPlanes } from './resample.ts';
import type { Normalization, Picture } from './resample.ts';
import type { TextSettings } from '../settings.ts';
import { isAlike, slantsOf, turnedBack, turnedPlanes } from './slanted-lines.ts';
import type { Planes } from './slanted-lines.ts';

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

/**
 * Lines in pixels of the picture, in no order. Where it shows slanting lines it is turned by their angle and searched once
 * more, for lines that slant are found in pieces or not at all.
 */
export async function findLines(
  picture: Picture,
  find: Network,
  settings: TextSettings,
): Promise<readonly Rectangle[]> {
  const scale = searchScale(picture, settings);
  const size = { width: wholeSteps(picture.width * scale), height: wholeSteps(picture.height * scale) };
  const planes = { data: scaledPlanes(picture, scale, size.width, size.height, NORMALIZATION), ...size };
  let lines = await search(planes, find, settings);
  for (const angle of slantsOf(lines))
    lines = replacePieces(lines, await searchTurned(planes, angle, find, settings));
  const inside = lines.filter((line) => isInside(line, picture, scale));
  return joinedPieces(inside).map((line) => scaleRectangle(line, 1 / scale));
}

async function search(planes: Planes, find: Network, settings: TextSettings): Promise<readonly Rectangle[]> {
  const { width, height } = planes;
  const { data } = await find(planes.data, height, width);
  const map = { data, width, height };
  const lines: Rectangle[] = [];
  for (const outline of outlines(map, settings.pixelThreshold)) {
    const line = lineFrom(smallestRectangle(outline), map, settings);
    if (line !== undefined) lines.push(line);
  }
  return lines;
}

/** Lines that lie or stand when the picture is turned by an angle, as they lie in the picture. */
async function searchTurned(
  planes: Planes,
  angle: number,
  find: Network,
  settings: TextSettings,
): Promise<readonly Rectangle[]> {
  const [cos, sin] = [Math.abs(Math.cos(angle)), Math.abs(Math.sin(angle))];
  const width = planes.width * cos + planes.height * sin;
  const height = planes.width * sin + planes.height * cos;
  // No more pixels than the largest picture that is searched has.
  const scale = Math.min(1, Math.max(settings.maxSide, SMALLEST) / Math.sqrt(width * height));
  const size = { width: wholeSteps(width * scale), height: wholeSteps(height * scale) };
  const turned = turnedPlanes(planes, angle, size, scale);
  return (await search(turned, find, settings))
    .filter((line) => isAlike(line.angle, 0))
    .map((line) => turnedBack(line, angle, size, planes, scale));
}

/** Lines that were found anew take the place of the pieces that were found of them. */
function replacePieces(lines: readonly Rectangle[], anew: readonly Rectangle[]): readonly Rectangle[] {
  const kept = lines.filter(
    (line) => !anew.some((other) => contains(other, line.centre) || contains(line, other.centre)),
  );
  return [...kept, ...anew];
}

function searchScale(picture: Picture, settings: TextSettings): number {
  const side = Math.max(picture.width, picture.height);
  return Math.min(Math.max(side, settings.minSide), settings.maxSide) / side;
}

function lineFrom(core: Rectangle, map: ProbabilityMap, settings: TextSettings): Rectangle | undefined {
  if (Math.min(core.width, core.height) < MIN_CORE) return undefined;
  if (meanWithin(map, core) < settings.detectionThreshold) return undefined;
  const line = growRectangle(core, (core.width * core.height * GROWTH) / (2 * (core.width + core.height)));
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
