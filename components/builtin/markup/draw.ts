/** Draws boxes, labels and frame numbers into the pictures of one medium, or conceals the content of the boxes. */
import { cornersInFrame, type Point } from '../../../domain/geometry/geometry.ts';
import type { Upright } from '../../../media/picture/upright.ts';
import type { Frame } from '../../sdk/detector.ts';
import { blur, pixelate } from './conceal.ts';
import { trackColour, type Colour } from './colours.ts';
import { labelDrawer } from './labels.ts';
import type { Mark } from './marks.ts';
import { disc, lay, outline, type Sprite, type Surface } from './paint.ts';
import type { MarkupSettings } from './settings.ts';

const BLACK: Colour = [0, 0, 0];
const WHITE: Colour = [255, 255, 255];

const CONCEAL = { BLUR: blur, PIXELATE: pixelate } as const;

/** Sizes in pixels that depend on the size of the picture. */
interface Measures {
  readonly border: number;
  readonly line: number;
  readonly font: number;
}

function measuresOf({ width, height }: Upright, settings: MarkupSettings): Measures {
  const side = Math.min(width, height);
  return {
    border: settings.border ? 2 * Math.max(8, Math.round(side / 16)) : 0,
    line: Math.max(2, Math.round(side / 200)),
    font: Math.min(120, Math.max(12, Math.round(side / 36))),
  };
}

export class Drawing {
  /** Size of the drawn pictures. */
  readonly width: number;
  readonly height: number;
  readonly #upright: Upright;
  readonly #settings: MarkupSettings;
  readonly #measures: Measures;
  readonly #labelOf = labelDrawer();

  constructor(upright: Upright, settings: MarkupSettings) {
    this.#upright = upright;
    this.#settings = settings;
    this.#measures = measuresOf(upright, settings);
    this.width = upright.width + 2 * this.#measures.border;
    this.height = upright.height + 2 * this.#measures.border;
  }

  /** Draws the stored picture upright into `to` (width x height RGB pixels), and draws the marks over it. */
  draw(frame: Frame, marks: readonly Mark[], to: Uint8Array): void {
    const surface = { width: this.width, height: this.height, data: to };
    put(this.#upright.apply(frame), surface, this.#measures.border);
    const placed = marks.map((mark) => ({ mark, points: this.#corners(mark) })).filter(isSeen(surface));
    const { style } = this.#settings;
    for (const box of placed)
      if (style === 'BOX') drawBox(surface, box, this.#measures.line);
      else CONCEAL[style](surface, box.points);
    for (const box of placed) this.#drawLabel(surface, box);
    this.#drawNumber(surface, frame.index);
  }

  #corners(mark: Mark): readonly Point[] {
    const { border } = this.#measures;
    return cornersInFrame(mark, mark).map((corner) => {
      const { x, y } = this.#upright.point(corner);
      return { x: snapToPixel(x + border), y: snapToPixel(y + border) };
    });
  }

  #drawLabel(surface: Surface, { mark, points }: Placed): void {
    const { labels } = this.#settings;
    if (labels === null || mark.label === null) return;
    const { font, line } = this.#measures;
    const style = { fontSize: font, alpha: labels.alpha, paper: trackColour(mark.track), ink: BLACK };
    const sprite = this.#labelOf(mark.label, style);
    const { x, y } = labelPlace(surface, sprite, points, line, labels.chooseSide);
    lay(surface, sprite, x, y);
  }

  #drawNumber(surface: Surface, frame: number): void {
    const { frameNumbers } = this.#settings;
    if (frameNumbers === null) return;
    const style = { fontSize: this.#measures.font, alpha: frameNumbers, paper: BLACK, ink: WHITE };
    const sprite = this.#labelOf(String(frame), style);
    lay(surface, sprite, this.width - sprite.width, this.height - sprite.height);
  }
}

/** A mark and the corners of its box in the drawn picture, starting with the box's own top left corner. */
interface Placed {
  readonly mark: Mark;
  readonly points: readonly Point[];
}

/** Rounds values that are almost whole. Rounding errors of right angles would make straight lines slanted. */
function snapToPixel(value: number): number {
  const whole = Math.round(value);
  return Math.abs(value - whole) < 1e-3 ? whole : value;
}

function put({ width, height, data }: Frame, surface: Surface, border: number): void {
  if (border === 0) return surface.data.set(data);
  surface.data.fill(0);
  for (let y = 0; y < height; y++)
    surface.data.set(
      data.subarray(y * width * 3, (y + 1) * width * 3),
      ((y + border) * surface.width + border) * 3,
    );
}

const isSeen =
  ({ width, height }: Surface) =>
  ({ points }: Placed): boolean => {
    const xs = points.map(({ x }) => x);
    const ys = points.map(({ y }) => y);
    return (
      Math.max(...xs) >= 0 && Math.max(...ys) >= 0 && Math.min(...xs) <= width && Math.min(...ys) <= height
    );
  };

/** Draws a box. A turned or mirrored box gets a dot at its own top left corner. */
function drawBox(surface: Surface, { mark, points }: Placed, line: number): void {
  const colour = trackColour(mark.track);
  outline(surface, points, line, colour);
  const [corner] = points;
  if (corner !== undefined && (mark.rotation % 360 !== 0 || mark.flip))
    disc(surface, corner, line * 1.5 + 1, colour);
}

/**
 * Places the label above the topmost corner, extending to the right. With `chooseSide`, the side with less cut off is used, and the label
 * moves inside. The label is never above the picture.
 */
function labelPlace(
  { width, height }: Surface,
  sprite: Sprite,
  points: readonly Point[],
  line: number,
  chooseSide: boolean,
): Point {
  const top = points.reduce((best, point) =>
    point.y < best.y || (point.y === best.y && point.x < best.x) ? point : best,
  );
  const half = line >> 1;
  const right = Math.round(top.x) - half;
  const left = Math.round(top.x) + half - sprite.width;
  const inside = (at: number, most: number): number => Math.min(Math.max(0, at), Math.max(0, most));
  const overhang = (x: number): number => Math.max(0, -x) + Math.max(0, x + sprite.width - width);
  const better = overhang(left) < overhang(right) ? left : right;
  const x = chooseSide ? inside(better, width - sprite.width) : right;
  return { x, y: inside(Math.round(top.y) - half - sprite.height, height - sprite.height) };
}
