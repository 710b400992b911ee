/**
 * Joins pieces of one line. Wide gaps between words split a line into regions. Grown to the height of the letters, these overlap, and the
 * letters between would be read twice. Pure.
 */
import { difference } from './slanted-lines.ts';
import type { Rectangle } from './rectangles.ts';

/** Maximum difference of the angles of pieces, in radians ... */
const SAME_ANGLE = (8 * Math.PI) / 180;
/** ... maximum difference of their levels, as a share of the smaller thickness ... */
const SAME_LEVEL = 0.35;
/** ... and minimum ratio of the smaller to the larger thickness. */
const SAME_THICKNESS = 0.55;
/** Minimum ratio of the sides of a rectangle that has a direction. */
const NO_DIRECTION = 1.5;

export function joinedPieces(lines: readonly Rectangle[]): readonly Rectangle[] {
  const left = lines.toSorted((a, b) => lengthOf(b) - lengthOf(a));
  const joined: Rectangle[] = [];
  for (let line = left.shift(); line !== undefined; line = left.shift()) {
    let whole = line;
    // A joined line is longer than its pieces, so all others are checked again.
    for (let i = 0; i < left.length; i++) {
      const more = withPiece(whole, left[i]!);
      if (more === undefined) continue;
      whole = more;
      left.splice(i, 1);
      i = -1;
    }
    joined.push(whole);
  }
  return joined;
}

/** Returns the rectangle around a line and another piece of it; undefined if they do not belong together or do not touch. */
function withPiece(line: Rectangle, piece: Rectangle): Rectangle | undefined {
  const stands = line.height > line.width;
  const angle = line.angle + (stands ? Math.PI / 2 : 0);
  const [length, thickness] = stands ? [line.height, line.width] : [line.width, line.height];
  const dx = piece.centre.x - line.centre.x;
  const dy = piece.centre.y - line.centre.y;
  if (Math.hypot(dx, dy) > (length + thickness) / 2 + Math.hypot(piece.width, piece.height)) return undefined;
  const own = piecePlacement(piece, angle);
  if (own === undefined) return undefined;
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const along = dx * cos + dy * sin;
  const across = dy * cos - dx * sin;
  const thinner = Math.min(thickness, own.thickness);
  if (Math.abs(across) > SAME_LEVEL * thinner) return undefined;
  if (thinner < SAME_THICKNESS * Math.max(thickness, own.thickness)) return undefined;
  // The piece touches the line, but is not inside it.
  const shared = (length + own.length) / 2 - Math.abs(along);
  if (shared < 0 || shared > Math.max(thickness, own.thickness)) return undefined;
  return around(line, { angle, length, thickness }, { along, across, ...own });
}

/** Returns length and thickness of a piece along an angle; undefined if the piece has another angle. */
function piecePlacement(piece: Rectangle, angle: number): { length: number; thickness: number } | undefined {
  const { width, height } = piece;
  const turned = Math.abs(difference(piece.angle, angle));
  const directed = Math.max(width, height) > NO_DIRECTION * Math.min(width, height);
  if (directed && turned > SAME_ANGLE) return undefined;
  const quarters = Math.round((piece.angle - angle) / (Math.PI / 2));
  const [length, thickness] = quarters % 2 === 0 ? [width, height] : [height, width];
  return directed && thickness > length ? undefined : { length, thickness };
}

function around(
  line: Rectangle,
  own: { readonly angle: number; readonly length: number; readonly thickness: number },
  piece: { along: number; across: number; length: number; thickness: number },
): Rectangle {
  const from = Math.min(-own.length / 2, piece.along - piece.length / 2);
  const to = Math.max(own.length / 2, piece.along + piece.length / 2);
  const top = Math.min(-own.thickness / 2, piece.across - piece.thickness / 2);
  const bottom = Math.max(own.thickness / 2, piece.across + piece.thickness / 2);
  const [cos, sin] = [Math.cos(own.angle), Math.sin(own.angle)];
  const [along, across] = [(from + to) / 2, (top + bottom) / 2];
  const centre = {
    x: line.centre.x + along * cos - across * sin,
    y: line.centre.y + along * sin + across * cos,
  };
  const lies = line.width >= line.height;
  const [length, thickness] = [to - from, bottom - top];
  return lies
    ? { centre, width: length, height: thickness, angle: line.angle }
    : { centre, width: thickness, height: length, angle: line.angle };
}

function lengthOf({ width, height }: Rectangle): number {
  return Math.max(width, height);
}
