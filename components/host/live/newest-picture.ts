/** The newest picture of a live stream for whoever looks at it, with what was found in it drawn. Nothing is made while nobody looks. */
import { sharp } from '../../../media/picture/sharp.ts';
import { uprightOf } from '../../../media/picture/upright.ts';
import type { ReportedDetection } from '../../../domain/types.ts';
import type { Drawing } from '../../builtin/markup/draw.ts';
import type { Mark } from '../../builtin/markup/marks.ts';
import { markupSettings } from '../../builtin/markup/settings.ts';
import type { LiveFrame } from './source.ts';
import type { ShownDetection } from './live-scene.ts';

/** Between two pictures, so that at most ten a second are made. */
const PICTURE_MS = 100;
const QUALITY = 80;
const MOST_LETTERS = 30;

export class NewestPicture {
  readonly #send: (picture: Buffer) => Promise<void>;
  /** Loaded for the first viewer: most streams have none, and letters take memory. */
  #Drawing: typeof Drawing | undefined;
  #drawing: Drawing | undefined;
  #pixels = new Uint8Array();
  #size = '';
  #isBusy = false;
  #at = -Infinity;

  constructor(send: (picture: Buffer) => Promise<void>) {
    this.#send = send;
  }

  /** Copies the frame before it returns; encodes and sends later. Skips it when the one before is not on its way yet. */
  offer(frame: LiveFrame, found: readonly ShownDetection[]): void {
    const now = performance.now();
    if (this.#isBusy || now - this.#at < PICTURE_MS) return;
    this.#isBusy = true;
    if (this.#Drawing === undefined) return void this.#load().finally(() => (this.#isBusy = false));
    this.#at = now;
    this.#drawPicture(this.#Drawing, frame, found);
    this.#encode(frame)
      // One picture less; the next one may succeed.
      .catch(() => undefined)
      .finally(() => (this.#isBusy = false));
  }

  async #load(): Promise<void> {
    this.#Drawing = (await import('../../builtin/markup/draw.ts')).Drawing;
  }

  #drawPicture(Draw: typeof Drawing, frame: LiveFrame, found: readonly ShownDetection[]): void {
    const { width, height } = frame;
    if (this.#size !== `${width}x${height}`) {
      this.#size = `${width}x${height}`;
      this.#drawing = new Draw(
        uprightOf({}, frame),
        markupSettings({ MARKUP_VIDEO_FRAME_NUMBERS_ENABLED: 'FALSE' }, true),
      );
      this.#pixels = new Uint8Array(width * height * 3);
    }
    this.#drawing!.draw(frame, found.map(markOf), this.#pixels);
  }

  async #encode({ width, height }: LiveFrame): Promise<void> {
    const picture = await sharp(this.#pixels, { raw: { width, height, channels: 3 } })
      .jpeg({ quality: QUALITY })
      .toBuffer();
    await this.#send(picture);
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
