/**
 * The figure in docs/reference/detection-document.md: one box in the stored picture and in the displayed
 * picture.
 */
import { uprightBoxes } from '../../../components/builtin/media/finish/upright-boxes.ts';
import { cornersInFrame, type Box, type Point } from '../../../domain/geometry/geometry.ts';

const STORED = { width: 240, height: 160 };
const BOX = { x: 70, y: 105, width: 60, height: 80 };
const ROTATION = 90;
const FACE = '#c9a27e';

/** Labels and boxes of an SVG with two pictures side by side. */
export function documentPicture(): string {
  const stored = cornersInFrame(BOX, { rotation: ROTATION, flip: false });
  const shown = shownBox();
  const { x, y, width, height } = BOX;
  return `${[
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 600 350" font-family="sans-serif" font-size="12">',
    '<rect width="600" height="350" fill="white"/>',
    group(20, 60, [
      frame(STORED),
      head(middleOf(stored), -ROTATION),
      `<polygon points="${stored.map(({ x: u, y: v }) => `${round(u)},${round(v)}`).join(' ')}" fill="none" stroke="#c00" stroke-width="2"/>`,
      dot({ x, y }),
      text(0, -12, `as stored: ${STORED.width} x ${STORED.height}, ROTATION ${ROTATION} in its metadata`),
      text(0, STORED.height + 20, `x ${x}, y ${y}, width ${width}, height ${height}, ROTATION ${ROTATION}`),
      text(0, STORED.height + 38, 'The dot is x, y: the top left corner to an upright viewer.'),
    ]),
    group(380, 60, [
      frame({ width: STORED.height, height: STORED.width }),
      head({ x: shown.x + shown.width / 2, y: shown.y + shown.height / 2 }, 0),
      `<rect x="${shown.x}" y="${shown.y}" width="${shown.width}" height="${shown.height}" fill="none" stroke="#c00" stroke-width="2"/>`,
      dot(shown),
      text(0, -12, `as a viewer shows it: ${STORED.height} x ${STORED.width}`),
      text(0, STORED.width + 20, `uprightBox: x ${shown.x}, y ${shown.y},`),
      text(0, STORED.width + 36, `width ${shown.width}, height ${shown.height}`),
    ]),
    '</svg>',
  ].join('\n')}\n`;
}

/** The box as in the document. */
function shownBox(): Box {
  const detection = { ...BOX, detectionProperties: { ROTATION: String(ROTATION) } };
  const rewrite = uprightBoxes({
    FRAME_WIDTH: String(STORED.width),
    FRAME_HEIGHT: String(STORED.height),
    ROTATION: String(ROTATION),
  });
  const line = rewrite(JSON.stringify({ exemplar: detection, detections: [detection] }));
  return (JSON.parse(line) as { exemplar: { uprightBox: Box } }).exemplar.uprightBox;
}

const round = (value: number): number => Math.round(value * 100) / 100;

const middleOf = (points: readonly Point[]): Point => ({
  x: points.reduce((sum, { x }) => sum + x, 0) / points.length,
  y: points.reduce((sum, { y }) => sum + y, 0) / points.length,
});

const group = (x: number, y: number, parts: readonly string[]): string =>
  `<g transform="translate(${x} ${y})">\n${parts.join('\n')}\n</g>`;

const frame = ({ width, height }: { width: number; height: number }): string =>
  `<rect width="${width}" height="${height}" fill="#eef2f6" stroke="#456"/>`;

const text = (x: number, y: number, words: string): string =>
  `<text x="${x}" y="${y}" fill="#222">${words}</text>`;

const dot = ({ x, y }: Point): string => `<circle cx="${round(x)}" cy="${round(y)}" r="4" fill="#c00"/>`;

/** A face with hair at the top, rotated clockwise by this angle. */
function head({ x, y }: Point, degrees: number): string {
  return [
    `<g transform="translate(${round(x)} ${round(y)}) rotate(${degrees})">`,
    `<ellipse rx="28" ry="38" fill="${FACE}"/>`,
    '<path d="M-27.65,-6 A28,38 0 0 1 27.65,-6 Z" fill="#543"/>',
    '<circle cx="-10" cy="2" r="3"/><circle cx="10" cy="2" r="3"/>',
    '<path d="M-10,18 Q0,26 10,18" fill="none" stroke="black" stroke-width="2"/>',
    '</g>',
  ].join('');
}
