/** Reads barcodes in pictures with ZXing-C++ as WebAssembly from its package. Nothing is downloaded. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { prepareZXingModule, readBarcodes, type ReaderOptions, type ReadResult } from 'zxing-wasm/reader';
import type { Frame } from '../../sdk/detector.ts';
import type { Box } from '../../../domain/geometry/geometry.ts';
import type { Formats } from './settings.ts';

export interface Barcode extends Box {
  readonly text: string;
  readonly format: string;
}

/** Returns all readable codes of a picture, from top to bottom and left to right. Boxes are in its pixels and inside it. */
export type ReadCodes = (frame: Frame, formats: Formats) => Promise<readonly Barcode[]>;

const THOROUGH: ReaderOptions = { tryHarder: true, tryRotate: true, tryInvert: true, textMode: 'Plain' };

export async function loadReader(): Promise<ReadCodes> {
  const file = createRequire(import.meta.url).resolve('zxing-wasm/reader/zxing_reader.wasm');
  const wasmBinary = new Uint8Array(await readFile(file)).buffer;
  await prepareZXingModule({ overrides: { wasmBinary }, fireImmediately: true });
  let pixels = new Uint8ClampedArray();
  return async (frame, formats) => {
    const { width, height } = frame;
    if (pixels.length !== width * height * 4) pixels = new Uint8ClampedArray(width * height * 4);
    addAlpha(frame.data, pixels);
    const picture = { data: pixels, width, height, colorSpace: 'srgb' } as const;
    const results = await readBarcodes(picture, { ...THOROUGH, formats: [...formats] });
    const codes = results.map((result) => ({
      ...boxOf(result, width, height),
      text: result.text,
      format: result.format,
    }));
    return codes.toSorted((a, b) => a.y - b.y || a.x - b.x);
  };
}

function addAlpha(rgb: Uint8Array, rgba: Uint8ClampedArray): void {
  for (let from = 0, to = 0; to < rgba.length; from += 3, to += 4) {
    rgba[to] = rgb[from]!;
    rgba[to + 1] = rgb[from + 1]!;
    rgba[to + 2] = rgb[from + 2]!;
    rgba[to + 3] = 255;
  }
}

/** Returns the upright box around the corners. A linear code that was read along one line has a height of one pixel. */
function boxOf({ position }: ReadResult, width: number, height: number): Box {
  const corners = [position.topLeft, position.topRight, position.bottomRight, position.bottomLeft];
  const x = span(
    corners.map((corner) => corner.x),
    width,
  );
  const y = span(
    corners.map((corner) => corner.y),
    height,
  );
  return { x: x.first, y: y.first, width: x.length, height: y.length };
}

function span(values: readonly number[], size: number): { readonly first: number; readonly length: number } {
  const first = Math.min(Math.max(0, Math.floor(Math.min(...values))), size - 1);
  const end = Math.min(Math.ceil(Math.max(...values)), size);
  return { first, length: Math.max(1, end - first) };
}
