/** Boxes as shapes over a picture: one path per lane, however many boxes there are. */
import type { Box, Medium } from './types.ts';

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** Returns the size of the stored frames of a medium: pixels. Returns undefined if the medium has no frames. */
export function storedSize({ metadata }: Medium): Size | undefined {
  const [width, height] = [Number(metadata['FRAME_WIDTH']), Number(metadata['FRAME_HEIGHT'])];
  return width > 0 && height > 0 ? { width, height } : undefined;
}

/** Maps the stored picture to the shown one: x' = a x + c y + e, y' = b x + d y + f. */
type Matrix = readonly [a: number, b: number, c: number, d: number, e: number, f: number];

export interface Turned extends Size {
  readonly matrix: Matrix;
  /** The same matrix for an SVG element. */
  readonly transform: string;
}

/** Returns the orientation of a shown picture: turned clockwise by ROTATION, then mirrored by HORIZONTAL_FLIP. */
export function turnPicture({ width, height }: Size, metadata: Medium['metadata']): Turned {
  const degrees = Number(metadata['ROTATION'] ?? 0) || 0;
  const radians = (degrees * Math.PI) / 180;
  const [sin, cos] = [Math.sin(radians), Math.cos(radians)];
  const left = Math.min(0, width * cos) + Math.min(0, -height * sin);
  const top = Math.min(0, width * sin) + Math.min(0, height * cos);
  const shown = {
    width: Math.round(width * Math.abs(cos) + height * Math.abs(sin)),
    height: Math.round(width * Math.abs(sin) + height * Math.abs(cos)),
  };
  const isFlipped = metadata['HORIZONTAL_FLIP']?.toLowerCase() === 'true';
  const matrix: Matrix = isFlipped
    ? [-cos, sin, sin, cos, shown.width + left, -top]
    : [cos, sin, -sin, cos, -left, -top];
  return { ...shown, matrix, transform: `matrix(${matrix.join(' ')})` };
}

export interface Area {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** Returns the area of a box in the shown picture, even if the box is rotated. */
export function shownArea(box: Box, [a, b, c, d, e, f]: Matrix): Area {
  const corners = cornersOf(box).map(([x, y]): Corner => [a * x + c * y + e, b * x + d * y + f]);
  const [across, down] = [corners.map(([x]) => x), corners.map(([, y]) => y)];
  return {
    left: Math.min(...across),
    top: Math.min(...down),
    right: Math.max(...across),
    bottom: Math.max(...down),
  };
}

/** Returns the outlines of boxes as a path. */
export const outlines = (boxes: readonly Box[]) =>
  boxes
    .map(({ x, y, width, height, corners }) =>
      corners === null ? `M${x} ${y}h${width}v${height}h${-width}z` : `M${corners.replaceAll(' ', 'L')}z`,
    )
    .join('');

type Corner = readonly [x: number, y: number];

const cornersOf = ({ x, y, width, height, corners }: Box): readonly Corner[] =>
  corners?.split(' ').map((corner): Corner => {
    const [left = 0, top = 0] = corner.split(',').map(Number);
    return [left, top];
  }) ?? [
    [x, y],
    [x + width, y],
    [x + width, y + height],
    [x, y + height],
  ];

/** True if a point is on the same side of all edges. */
function holds(corners: readonly Corner[], x: number, y: number): boolean {
  const sides = corners.map(([fromX, fromY], n) => {
    const [toX, toY] = corners[(n + 1) % corners.length]!;
    return (toX - fromX) * (y - fromY) - (toY - fromY) * (x - fromX);
  });
  return sides.every((side) => side >= 0) || sides.every((side) => side <= 0);
}

/** Returns the smallest box that contains a point of the stored picture. */
export function boxAt(boxes: readonly Box[], x: number, y: number): Box | undefined {
  return boxes
    .filter((box) => holds(cornersOf(box), x, y))
    .toSorted((a, b) => a.width * a.height - b.width * b.height)[0];
}
