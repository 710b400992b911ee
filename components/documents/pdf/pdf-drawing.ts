/** Draws pages of a PDF, and finds pages with content that is neither embedded text nor a picture. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { OPS } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { MAX_PAGE_MS, MAX_PAGE_PIXELS, MAX_PDF_MEMORY_MB } from '../limits.ts';
import type { DrawingAnswer, DrawingOrder } from './pdf-drawing-thread.ts';
import type { PdfPage } from './pdf.ts';

/**
 * Minimum number of coordinates of a drawing. Fewer are lines, frames and the paper's colour. A bar code or a word in outlines has more.
 */
const LEAST_COORDINATES = 100;
/** Number of pictures from which they are strips of one picture. */
const MANY_PICTURES = 10;

/** True for a page without embedded text that has line drawings, or many small pictures. */
export async function isDrawn(page: PdfPage): Promise<boolean> {
  const { items } = await page.askPage((one) => one.getTextContent({ includeMarkedContent: false }));
  if (items.some((item) => 'str' in item && item.str.trim() !== '')) return false;
  const { fnArray, argsArray } = await page.askPage((one) => one.getOperatorList());
  let [coordinates, pictures] = [0, 0];
  for (const [index, operator] of fnArray.entries()) {
    if (operator === OPS.constructPath) coordinates += coordinatesOf(argsArray[index] as readonly unknown[]);
    else if (PICTURES.has(operator)) pictures++;
    if (coordinates >= LEAST_COORDINATES || pictures >= MANY_PICTURES) return true;
  }
  return false;
}

const PICTURES = new Set([OPS.paintImageXObject, OPS.paintInlineImageXObject, OPS.paintImageMaskXObject]);

/** Returns the number of coordinates of a path; 0 if the path only clips later drawings. */
function coordinatesOf([use, data]: readonly unknown[]): number {
  if (use === OPS.endPath || !Array.isArray(data)) return 0;
  return data.reduce(
    (sum: number, part: unknown) => sum + (part instanceof Float32Array ? part.length : 0),
    0,
  );
}

export class PageDrawer {
  readonly #path: string;
  readonly #signal: AbortSignal;
  #worker: Worker | undefined;

  constructor(path: string, signal: AbortSignal) {
    this.#path = path;
    this.#signal = signal;
  }

  /** Writes a page as PNG. Returns the reason if it cannot be drawn, or takes too long or too much memory. */
  async draw(page: number, dotsPerInch: number, file: string): Promise<string | undefined> {
    const order: DrawingOrder = { page, dotsPerInch, maxPixels: MAX_PAGE_PIXELS, file };
    const { undrawable, unwritten } = await this.#answerTo(order);
    if (unwritten !== undefined) throw new Error(`The picture of a page was not written: ${unwritten}`);
    return undrawable;
  }

  async close(): Promise<void> {
    await this.#worker?.terminate();
    this.#worker = undefined;
  }

  async #answerTo(order: DrawingOrder): Promise<DrawingAnswer> {
    const worker = (this.#worker ??= this.#open());
    const late = AbortSignal.timeout(MAX_PAGE_MS);
    const answered = once(worker, 'message', { signal: AbortSignal.any([this.#signal, late]) });
    worker.postMessage(order);
    try {
      const [answer] = (await answered) as [DrawingAnswer];
      return answer;
    } catch (error) {
      await this.close();
      this.#signal.throwIfAborted();
      return { undrawable: late.aborted ? `it takes longer than ${MAX_PAGE_MS / 1000} s` : endOf(error) };
    }
  }

  #open(): Worker {
    const worker = new Worker(new URL('./pdf-drawing-thread.js', import.meta.url), {
      workerData: this.#path,
      resourceLimits: { maxOldGenerationSizeMb: MAX_PDF_MEMORY_MB },
    });
    // Pending requests also receive the error.
    worker.once('error', () => (this.#worker = undefined));
    return worker;
  }
}

/** Returns the reason why the thread ended. */
function endOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code === 'ERR_WORKER_OUT_OF_MEMORY'
    ? `it takes more than ${MAX_PDF_MEMORY_MB} MB of memory`
    : message;
}
