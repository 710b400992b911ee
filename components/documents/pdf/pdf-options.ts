/** Options of opening PDF documents: scripts do not run, and nothing is fetched. */
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { VerbosityLevel } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { MAX_PICTURE_PIXELS } from '../limits.ts';

const installed = dirname(createRequire(import.meta.url).resolve('pdfjs-dist/package.json'));
/** Returns a folder of the library's files, with the required slash at the end. */
const assets = (folder: string): string => join(installed, folder, '/');

export function readerOptions(path: string) {
  return {
    url: pathToFileURL(path),
    // Parts are read on demand, so that memory does not grow with the file.
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
  };
}
