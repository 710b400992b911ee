/** Draws labels as small pictures, and caches them within a limit. */
import { GlobalFonts, createCanvas } from '@napi-rs/canvas';
import { LRUCache } from 'lru-cache';
import type { Colour } from './colours.ts';
import { packageFile } from '../../shared/package-file.ts';
import type { Sprite } from './paint.ts';

/** The font is included, because servers often have none. */
const FONT_FILE = packageFile('components/builtin/markup/font/DejaVuSans-Bold.ttf');
const FONT = 'Markup Label';
const KEPT_BYTES = 48 * 1024 * 1024;

export interface LabelStyle {
  /** Pixels. */
  readonly fontSize: number;
  /** 0 to 1. */
  readonly alpha: number;
  readonly paper: Colour;
  readonly ink: Colour;
}

export type LabelDrawer = (text: string, style: LabelStyle) => Sprite;

/** Creates a drawer of labels. Throws if the font of the package is missing. */
export function labelDrawer(): LabelDrawer {
  if (!GlobalFonts.has(FONT) && GlobalFonts.registerFromPath(FONT_FILE, FONT) === null)
    throw new Error(`The font ${FONT_FILE} could not be loaded: install the package again.`);
  const kept = new LRUCache<string, Sprite>({
    maxSize: KEPT_BYTES,
    sizeCalculation: ({ data }) => data.length,
  });
  return (text, style) => {
    const key = `${style.paper.join()}:${text}`;
    const known = kept.get(key);
    if (known !== undefined) return known;
    const drawn = draw(text, style);
    kept.set(key, drawn);
    return drawn;
  };
}

/** Draws a label. `alpha` is the opacity of the paper. The ink fades only below 0.5, so that it stays readable. */
function draw(text: string, { fontSize, alpha, paper, ink }: LabelStyle): Sprite {
  // Characters that the font lacks (such as Chinese) use the system's fonts, if any.
  const font = `${fontSize}px "${FONT}", sans-serif`;
  const probe = createCanvas(1, 1).getContext('2d');
  probe.font = font;
  const margin = Math.ceil(fontSize / 4);
  const width = Math.ceil(probe.measureText(text).width) + 2 * margin;
  const height = Math.ceil(fontSize * 1.3);
  const context = createCanvas(width, height).getContext('2d');
  context.fillStyle = `rgba(${paper.join()}, ${alpha})`;
  context.fillRect(0, 0, width, height);
  context.font = font;
  context.textBaseline = 'alphabetic';
  const opacity = Math.min(1, alpha * 2);
  const base = Math.round(fontSize * 1.02);
  // An outline in the paper's colour, because the picture behind may be as dark as the ink.
  context.lineJoin = 'round';
  context.lineWidth = fontSize / 6;
  context.strokeStyle = `rgba(${paper.join()}, ${opacity * 0.7})`;
  context.strokeText(text, margin, base);
  context.fillStyle = `rgba(${ink.join()}, ${opacity})`;
  context.fillText(text, margin, base);
  return { width, height, data: context.getImageData(0, 0, width, height).data };
}
