/** Pages of a PDF as pictures, and which pages hold what is neither their text nor one of their pictures. */
import { Worker } from 'node:worker_threads';
import { OPS } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { MAX_PAGE_PIXELS, MAX_PDF_MEMORY_MB, tooLarge, unreadable } from './limits.ts';
import type { DrawingAnswer, DrawingOrder } from './pdf-drawing-thread.ts';
import { inTime } from './pdf.ts';
import type { PdfPage } from './pdf.ts';

/** Fewer coordinates are rules, frames and the paper's colour; a bar code or a word as outlines has more. */
const LEAST_COORDINATES = 100;
/** So many pictures are the strips of one. */
const MANY_PICTURES = 10;

/** True for a page without embedded text that draws something with lines and areas, or with a host of little pictures. */
export async function isDrawn(page: PdfPage): Promise<boolean> {
  const { items } = await page.said((one) => one.getTextContent({ includeMarkedContent: false }));
  if (items.some((item) => 'str' in item && item.str.trim() !== '')) return false;
  const { fnArray, argsArray } = await page.said((one) => one.getOperatorList());
  let [coordinates, pictures] = [0, 0];
  for (const [index, operator] of fnArray.entries()) {
    if (operator === OPS.constructPath) coordinates += coordinatesOf(argsArray[index] as readonly unknown[]);
    else if (PICTURES.has(operator)) pictures++;
    if (coordinates >= LEAST_COORDINATES || pictures >= MANY_PICTURES) return true;
  }
  return false;
}

const PICTURES = new Set([OPS.paintImageXObject, OPS.paintInlineImageXObject, OPS.paintImageMaskXObject]);

/** What a path is used for, and its coordinates; one that only bounds what is drawn next is not seen. */
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
  #thread: { readonly worker: Worker; readonly broken: AbortController } | undefined;

  constructor(path: string, signal: AbortSignal) {
    this.#path = path;
    this.#signal = signal;
  }

  /** Writes a page as PNG. Errors: COULD_NOT_READ_MEDIA when it takes too long or too much memory, or cannot be drawn. */
  async draw(page: number, dotsPerInch: number, file: string): Promise<void> {
    const { worker, broken } = (this.#thread ??= this.#open());
    const order: DrawingOrder = { page, dotsPerInch, maxPixels: MAX_PAGE_PIXELS, file };
    const answered = new Promise<DrawingAnswer>((resolve) => worker.once('message', resolve));
    worker.postMessage(order);
    const answer = await inTime(answered, AbortSignal.any([this.#signal, broken.signal]));
    if ('error' in answer) throw unreadable(`Page ${page} of the document cannot be drawn: ${answer.error}`);
  }

  async close(): Promise<void> {
    await this.#thread?.worker.terminate();
    this.#thread = undefined;
  }

  #open(): { readonly worker: Worker; readonly broken: AbortController } {
    const worker = new Worker(new URL('./pdf-drawing-thread.js', import.meta.url), {
      workerData: this.#path,
      resourceLimits: { maxOldGenerationSizeMb: MAX_PDF_MEMORY_MB },
    });
    const broken = new AbortController();
    worker.once('error', (error: NodeJS.ErrnoException) => {
      const full = error.code === 'ERR_WORKER_OUT_OF_MEMORY';
      broken.abort(full ? tooLarge(`a page takes more than ${MAX_PDF_MEMORY_MB} MB of memory`) : error);
    });
    return { worker, broken };
  }
}
