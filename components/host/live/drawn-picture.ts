/** A picture of a live stream with its detections. Loaded for the first viewer, because drawing and encoding take memory. */
import { sharp } from '../../../media/picture/sharp.ts';
import { uprightOf } from '../../../media/picture/upright.ts';
import type { ReportedDetection } from '../../../domain/types.ts';
import { Drawing } from '../../builtin/markup/draw.ts';
import type { Mark } from '../../builtin/markup/marks.ts';
import { markupSettings } from '../../builtin/markup/settings.ts';
import type { LiveFrame } from './source.ts';
import type { ShownDetection } from './live-scene.ts';

const QUALITY = 80;
const MOST_LETTERS = 30;

export class DrawnPicture {
  #drawing: Drawing | undefined;
  #pixels = new Uint8Array();
  #size = '';

  /** Draws the detections on a copy of the frame. Copies before it returns. */
  draw(frame: LiveFrame, found: readonly ShownDetection[]): void {
    const { width, height } = frame;
    if (this.#size !== `${width}x${height}`) {
      this.#size = `${width}x${height}`;
      this.#drawing = new Drawing(
        uprightOf({}, frame),
        markupSettings({ MARKUP_VIDEO_FRAME_NUMBERS_ENABLED: 'FALSE' }, true),
      );
      this.#pixels = new Uint8Array(width * height * 3);
    }
    this.#drawing!.draw(frame, found.map(markOf), this.#pixels);
  }

  /** Encodes the last drawn picture, which had this size, as a JPEG. */
  encode({ width, height }: LiveFrame): Promise<Buffer> {
    return sharp(this.#pixels, { raw: { width, height, channels: 3 } })
      .jpeg({ quality: QUALITY })
      .toBuffer();
  }
}

function markOf({ detection, track }: ShownDetection): Mark {
  const { x, y, width, height, properties } = detection;
  const rotation = Number(properties['ROTATION'] ?? 0);
  return {
    x,
    y,
    width,
    height,
    rotation,
    flip: 'HORIZONTAL_FLIP' in properties,
    track,
    label: labelOf(detection),
  };
}

function labelOf({ confidence, properties }: ReportedDetection): string {
  const text = properties['CLASSIFICATION'] ?? properties['TEXT'] ?? '';
  return `${text.slice(0, MOST_LETTERS)} ${confidence.toFixed(2)}`.trim();
}
