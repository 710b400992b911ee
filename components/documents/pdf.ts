/** Opens PDF documents, page by page. Nothing is drawn, no script runs and nothing is fetched. */
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { getDocument, VerbosityLevel } from 'pdfjs-dist/legacy/build/pdf.mjs';
import type { PDFPageProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { MAX_PAGE_MS, MAX_PICTURE_PIXELS, passwordNeeded, tooLarge } from './limits.ts';

export type { PDFPageProxy };

const installed = dirname(createRequire(import.meta.url).resolve('pdfjs-dist/package.json'));
/** A folder of the library's own files: it wants the slash at the end. */
const assets = (folder: string): string => join(installed, folder, '/');

/** After so many pages everything that pages share is dropped, and read again where it is needed. */
const TIDY_PAGES = 20;

/** Errors: COULD_NOT_READ_MEDIA when a password is needed; those of the PDF reader. */
export async function* pdfPages(path: string, signal: AbortSignal): AsyncGenerator<PDFPageProxy> {
  const task = getDocument({
    url: pathToFileURL(path),
    // Parts are read when they are wanted, so that memory does not grow with the file.
    disableAutoFetch: true,
    disableStream: true,
    verbosity: VerbosityLevel.ERRORS,
    isEvalSupported: false,
    enableXfa: false,
    useSystemFonts: false,
    disableFontFace: true,
    isOffscreenCanvasSupported: false,
    isImageDecoderSupported: false,
    maxImageSize: MAX_PICTURE_PIXELS,
    cMapUrl: assets('cmaps'),
    standardFontDataUrl: assets('standard_fonts'),
    wasmUrl: assets('wasm'),
    iccUrl: assets('iccs'),
  });
  try {
    const document = await task.promise;
    for (let number = 1; number <= document.numPages; number++) {
      signal.throwIfAborted();
      const page = await document.getPage(number);
      yield page;
      page.cleanup();
      // Pictures that several pages show, and fonts, are kept beyond the page.
      if (number % TIDY_PAGES === 0) await document.cleanup();
    }
  } catch (error) {
    throw (error as Error).name === 'PasswordException' ? passwordNeeded() : error;
  } finally {
    await task.destroy();
  }
}

/**
 * What the reader says of a page. It cannot be told to stop; leaving `pdfPages` ends it. Errors: COULD_NOT_READ_MEDIA when it takes
 * longer than `mostMs`; the reason of the signal.
 */
export async function inTime<T>(said: Promise<T>, signal: AbortSignal, mostMs = MAX_PAGE_MS): Promise<T> {
  const done = new AbortController();
  const limit = sleep(mostMs, undefined, { signal: AbortSignal.any([signal, done.signal]) }).then(() => {
    throw tooLarge(`one of its pages takes longer than ${mostMs / 1000} s`);
  });
  try {
    return await Promise.race([said, limit]);
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    done.abort();
  }
}
