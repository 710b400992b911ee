/** Decodes the pictures of a PDF page. */
import { ImageKind, OPS } from 'pdfjs-dist/legacy/build/pdf.mjs';
import type { PDFPageProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';
import type { PdfPage } from './pdf.ts';

/** Tightly packed pixels. Channels: 1 grey, 3 RGB, 4 RGB and opacity. */
export interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly channels: 1 | 3 | 4;
  readonly data: Uint8Array;
}

/** A picture from the PDF reader. Stencils, through which colour is painted, have no kind and one bit per pixel. */
interface Decoded {
  readonly width: number;
  readonly height: number;
  readonly kind?: number;
  readonly data?: Uint8Array | Uint8ClampedArray | string;
}

/** A shown picture that cannot be decoded. */
export interface Undecodable {
  /** Number among its page's pictures in the order in which they are shown, from 1. */
  readonly number: number;
  /** Size in pixels; 0 if unknown. */
  readonly width: number;
  readonly height: number;
}

/**
 * Yields each picture of the page once, however often it is shown. Very small ones, which PDF draws in bundles of ten and more, are left
 * out. `droppedSince` of the page counts the pictures that the reader left out.
 */
export async function* picturesOf(page: PdfPage): AsyncGenerator<Pixels | Undecodable> {
  const seen = new Set<unknown>();
  const { fnArray, argsArray } = await page.askPage((one) => one.getOperatorList());
  for (const [index, operator] of fnArray.entries()) {
    const args = argsArray[index] as readonly unknown[];
    for (const shown of shownBy(operator, args)) {
      const named = nameOf(shown);
      if (seen.has(named ?? shown)) continue;
      seen.add(named ?? shown);
      const decoded =
        named === undefined ? (shown as Decoded) : await page.askPage((one) => objectOf(one, named));
      const pixels = decoded === null ? undefined : pixelsOf(decoded);
      yield pixels ?? { number: seen.size, ...sizeIn(args) };
    }
  }
}

function sizeIn([, width, height]: readonly unknown[]): Pick<Undecodable, 'width' | 'height'> {
  return { width: typeof width === 'number' ? width : 0, height: typeof height === 'number' ? height : 0 };
}

/** Returns what an operator shows: names of pictures, or pictures. */
function shownBy(operator: number, args: readonly unknown[]): readonly unknown[] {
  switch (operator) {
    case OPS.paintImageXObject:
    case OPS.paintImageXObjectRepeat:
    case OPS.paintInlineImageXObject:
    case OPS.paintImageMaskXObject:
    case OPS.paintImageMaskXObjectRepeat:
      return args.slice(0, 1);
    case OPS.paintImageMaskXObjectGroup:
      return (args[0] ?? []) as readonly unknown[];
    default:
      return [];
  }
}

function nameOf(shown: unknown): string | undefined {
  if (typeof shown === 'string') return shown;
  const { data } = shown as Decoded;
  return typeof data === 'string' ? data : undefined;
}

/** Returns the object of a name. Names that begin with g_ are pictures that several pages share. */
function objectOf(page: PDFPageProxy, name: string): Promise<Decoded | null> {
  const objects = (name.startsWith('g_') ? page.commonObjs : page.objs) as {
    get(name: string, done: (object: Decoded | null) => void): unknown;
  };
  return new Promise((resolve) => {
    objects.get(name, resolve);
  });
}

function pixelsOf({ width, height, kind, data }: Decoded): Pixels | undefined {
  if (data === undefined || typeof data === 'string') return undefined;
  const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  if (kind === ImageKind.RGB_24BPP) return { width, height, channels: 3, data: bytes };
  if (kind === ImageKind.RGBA_32BPP) return { width, height, channels: 4, data: bytes };
  return { width, height, channels: 1, data: grey(width, height, bytes) };
}

/**
 * Converts one bit per pixel, in rows of whole bytes, to grey; 1 is white. A stencil is painted where bits are 0, so it becomes black on
 * white.
 */
function grey(width: number, height: number, bits: Uint8Array): Uint8Array {
  const row = Math.ceil(width / 8);
  const pixels = new Uint8Array(width * height);
  let to = 0;
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x += 8) {
      const byte = bits[y * row + (x >> 3)] ?? 0;
      const last = 8 - Math.min(8, width - x);
      for (let bit = 7; bit >= last; bit--) pixels[to++] = (byte >> bit) & 1 ? 255 : 0;
    }
  return pixels;
}
