/** How much of a document is read, and how its reading fails. A small file may claim to hold any amount. */
import { CodedError } from '../../protocol/coded-error.ts';
import { DetectionError } from '../sdk/detector.ts';

/** Files in a package (DOCX, ODT ...). */
export const MAX_ENTRIES = 50_000;
/** Bytes that one run unpacks from a package, all its parts together. */
export const MAX_UNPACKED_BYTES = 1024 ** 3;
/** Bytes of one picture of a package, which is held in memory. */
export const MAX_PICTURE_BYTES = 256 * 1024 ** 2;
/** Pixels of one picture of a PDF; seven bytes each while it is decoded, and more while its page is drawn. */
export const MAX_PICTURE_PIXELS = 150_000_000;
/** Pixels of one picture of a PDF as it is kept; larger ones are kept at a lower resolution. */
export const MAX_KEPT_PIXELS = 100_000_000;
/** Pixels of a page that is drawn: twelve sheets of A4 at 200 dots an inch. Larger ones are drawn at a lower resolution. */
export const MAX_PAGE_PIXELS = 48_000_000;
/**
 * Milliseconds for the drawing of one PDF page: its forms may draw each other a billion times. Three times as
 * long is still less than the silence after which the component counts as hung.
 */
export const MAX_PAGE_MS = 60_000;
/** Megabytes of memory of the thread that takes a PDF apart, besides the bytes of pictures. */
export const MAX_PDF_MEMORY_MB = 2_048;
/** Characters of what must be known before a document can be read: shared strings of a workbook, footnotes, styles. */
export const MAX_LOOKUP_CHARACTERS = 64 * 1024 ** 2;
/** Characters of text of one document: millions of cells can contain a few shared texts. */
export const MAX_TEXT_LENGTH = 256 * 1024 ** 2;
/** Characters of one finding. A longer section continues in the next one. */
export const MAX_SECTION_LENGTH = 100_000;

/** The document is damaged, too large, or needs its password. */
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

/**
 * Passes on what is read and names failures: COULD_NOT_OPEN_MEDIA for a file that is not there, COULD_NOT_READ_MEDIA for all
 * else that a parser complains about.
 */
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
  // Too few descriptors, too little memory: no fault of the document.
  if (code === 'EMFILE' || code === 'ENFILE' || code === 'ENOMEM') return error;
  return unreadable(`The document is damaged: ${message.split('\n')[0] ?? ''}`);
}
