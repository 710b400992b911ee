/**
 * Draws pages of a PDF as PNG files in a separate thread. A page can block the thread for minutes, and then only ending the thread helps.
 * The whole reader runs here, so that no two threads share a page.
 */
import { createCanvas } from '@napi-rs/canvas';
import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';
import { getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { readerOptions } from './pdf-options.ts';

export interface DrawingOrder {
  readonly page: number;
  readonly dotsPerInch: number;
  /** Maximum number of pixels. Larger pages are drawn at a lower resolution. */
  readonly maxPixels: number;
  readonly file: string;
}
/** Distinguishes a page that cannot be drawn, which is an error of the document, from a file that cannot be written. */
export type DrawingAnswer = { readonly undrawable?: string; readonly unwritten?: string };

const POINTS_PER_INCH = 72;

// Loaded here, so that the library does not start its own thread. The package has no types for this file.
const reader = createRequire(import.meta.url).resolve('pdfjs-dist/legacy/build/pdf.worker.mjs');
Object.assign(globalThis, { pdfjsWorker: await import(pathToFileURL(reader).href) });
const document = getDocument(readerOptions(workerData as string)).promise;

parentPort?.on('message', (order: DrawingOrder) => void answer(order));

async function answer({ file, ...order }: DrawingOrder): Promise<void> {
  parentPort?.postMessage(
    await draw(order).then(
      (png) => writePng(file, png),
      (error: unknown): DrawingAnswer => ({ undrawable: textOf(error) }),
    ),
  );
}

const writePng = (file: string, png: Buffer): Promise<DrawingAnswer> =>
  writeFile(file, png).then(
    () => ({}),
    (error: unknown) => ({ unwritten: textOf(error) }),
  );

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

async function draw({ page: number, dotsPerInch, maxPixels }: Omit<DrawingOrder, 'file'>): Promise<Buffer> {
  const page = await (await document).getPage(number);
  const paper = page.getViewport({ scale: 1 });
  const wanted = dotsPerInch / POINTS_PER_INCH;
  const scale = Math.min(wanted, Math.sqrt(maxPixels / (paper.width * paper.height)));
  const viewport = page.getViewport({ scale });
  const [width, height] = [Math.max(1, Math.floor(viewport.width)), Math.max(1, Math.floor(viewport.height))];
  const canvas = createCanvas(width, height);
  // The library's types only know the canvas of browsers.
  await page.render({ canvas: canvas as never, viewport, background: '#ffffff' }).promise;
  const png = await canvas.encode('png');
  page.cleanup();
  await (await document).cleanup();
  return png;
}
