/** Limits of document reading, and its errors. A small file may claim to contain any amount. */
import { CodedError } from '../../protocol/coded-error.ts';
import { DetectionError } from '../sdk/detector.ts';

/** Maximum number of files in a package (DOCX, ODT ...). */
export const MAX_ENTRIES = 50_000;
/** Maximum number of bytes that one run unpacks from a package, in all parts together. */
export const MAX_UNPACKED_BYTES = 1024 ** 3;
/** Maximum size of one picture in a package, which is held in memory. */
export const MAX_PICTURE_BYTES = 256 * 1024 ** 2;
/** Maximum number of pixels of a PDF picture. Each takes seven bytes during decoding, and more while its page is drawn. */
export const MAX_PICTURE_PIXELS = 150_000_000;
/** Maximum number of pixels of a stored PDF picture. Larger ones are stored at a lower resolution. */
export const MAX_KEPT_PIXELS = 100_000_000;
/** Maximum number of pixels of a drawn page: twelve A4 sheets at 200 dots per inch. Larger ones are drawn at a lower resolution. */
export const MAX_PAGE_PIXELS = 48_000_000;
/**
 * Timeout of drawing one PDF page in milliseconds, because its forms may draw each other a billion times. Three times this is still below
 * the silence after which the component counts as hung.
 */
export const MAX_PAGE_MS = 60_000;
/** Memory limit in megabytes of the thread that parses a PDF, without the bytes of pictures. */
export const MAX_PDF_MEMORY_MB = 2_048;
/** Maximum number of characters of lookup data: shared strings of a workbook, footnotes, styles. */
export const MAX_LOOKUP_CHARACTERS = 64 * 1024 ** 2;
/** Maximum number of characters of a document's text: millions of cells can contain a few shared texts. */
export const MAX_TEXT_LENGTH = 256 * 1024 ** 2;
/** Maximum number of characters of one finding. A longer section continues in the next one. */
export const MAX_SECTION_LENGTH = 100_000;

/** Error for a document that is damaged, too large, or needs a password. */
export function unreadable(message: string): DetectionError {
  return new DetectionError('COULD_NOT_READ_MEDIA', message);
}

export function passwordNeeded(): DetectionError {
  return unreadable(
    'The document is protected by a password. Remove the protection and submit the document again.',
  );
}

export function tooLarge(what: string): DetectionError {
  return unreadable(`The document cannot be read: ${what}.`);
}

/** Passes on the items and converts failures: COULD_NOT_OPEN_MEDIA for a missing file, COULD_NOT_READ_MEDIA for errors of a parser. */
export async function* namingFailures<T>(items: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  try {
    yield* items;
  } catch (error) {
    signal.throwIfAborted();
    throw nameError(error);
  }
}

function nameError(error: unknown): unknown {
  if (error instanceof CodedError) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT' || code === 'EACCES' || code === 'EISDIR')
    return new DetectionError('COULD_NOT_OPEN_MEDIA', `The document's file cannot be opened (${code}).`);
  if (code === 'ENOSPC' || code === 'EDQUOT' || code === 'EROFS')
    return new DetectionError('FILE_WRITE_ERROR', `A picture of the document could not be stored (${code}).`);
  // Too few file descriptors or too little memory are no fault of the document.
  if (code === 'EMFILE' || code === 'ENFILE' || code === 'ENOMEM') return error;
  return unreadable(`The document is damaged: ${message.split('\n')[0] ?? ''}`);
}
