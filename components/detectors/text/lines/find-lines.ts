/**
 * Finds lines of text. The network marks the core of each line (its text, shrunk inwards). Touching marks are one line. The rectangle
 * around them is grown to the height of the letters (differentiable binarization).
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

/** Normalization of the network's training, in the order blue, green, red. */
const NORMALIZATION: Normalization = {
  mean: [0.485 * 255, 0.456 * 255, 0.406 * 255],
  factor: [1 / (0.229 * 255), 1 / (0.224 * 255), 1 / (0.225 * 255)],
};
/** Factor of input sizes, because the network halves its input five times. */
const STEP = 32;
/** Minimum side of the input. Text that fills a small picture is only found with a wider margin. */
const SMALLEST = 3 * STEP;
/** Minimum sides of a core and a line, in pixels of the searched picture. Smaller ones are noise. */
const MIN_CORE = 3;
const MIN_LINE = 5;
/**
 * Growth of a core, as a factor of its area divided by its perimeter. The usual 1.5 cuts off capitals and full stops, and the reader then
 * loses the spaces between words. Much larger values include lines above and below.
 */
const GROWTH = 2.2;

/**
 * Returns lines in pixels of the picture, in any order. Slanted lines are found only in pieces or not at all. Therefore, the picture is
 * turned by their angle and searched again.
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

/** Returns lines that are horizontal or vertical after the picture is turned by an angle. Coordinates are those of the original picture. */
async function searchTurned(
  planes: Planes,
  angle: number,
  find: Network,
  settings: TextSettings,
): Promise<readonly Rectangle[]> {
  const [cos, sin] = [Math.abs(Math.cos(angle)), Math.abs(Math.sin(angle))];
  const width = planes.width * cos + planes.height * sin;
  const height = planes.width * sin + planes.height * cos;
  // The number of pixels is limited to that of the largest searched picture.
  const scale = Math.min(1, Math.max(settings.maxSide, SMALLEST) / Math.sqrt(width * height));
  const size = { width: wholeSteps(width * scale), height: wholeSteps(height * scale) };
  const turned = turnedPlanes(planes, angle, size, scale);
  return (await search(turned, find, settings))
    .filter((line) => isAlike(line.angle, 0))
    .map((line) => turnedBack(line, angle, size, planes, scale));
}

/** Replaces pieces of lines by the lines of a second search. */
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
  // Pixel i of the map covers i to i + 1 of the picture, and its centre is i + 0.5.
  const centre = { x: line.centre.x + 0.5, y: line.centre.y + 0.5 };
  return Math.min(line.width, line.height) < MIN_LINE ? undefined : { ...line, centre };
}

/** False for a line in the padding of the input. */
function isInside(line: Rectangle, picture: Picture, scale: number): boolean {
  return line.centre.x < picture.width * scale && line.centre.y < picture.height * scale;
}

function wholeSteps(length: number): number {
  return Math.max(SMALLEST, Math.ceil(length / STEP) * STEP);
}
