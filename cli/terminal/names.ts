/** Readable names of media. */
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { printable, shortenText } from '../../domain/text/printable.ts';

const NAME_LENGTH = 120;

/** Returns a file as a path, relative if it is below the working directory. Decodes other URIs. Removes the data of data URIs. */
export function placeName(uri: string, length = NAME_LENGTH): string {
  if (/^data:/i.test(uri)) return `${shortenText(printable(uri.replace(/,.*$/s, ',')), length)}…`;
  return /^file:/i.test(uri) ? printable(fileName(uri)) : shortenText(printable(decodeText(uri)), length);
}

/** Returns the last part of a URI. */
export function baseName(uri: string): string {
  if (/^data:/i.test(uri)) return 'data:…';
  if (/^file:/i.test(uri)) return printable(path.basename(fileName(uri)));
  const parts = uri.replace(/[?#].*$/s, '').split('/');
  return printable(decodeText(parts.findLast((part) => part !== '') ?? uri));
}

/** Returns the path of a file, relative if it is below the working directory. */
export const nearName = (file: string) => printable(near(path.resolve(file)));

function near(file: string): string {
  const below = path.relative('.', file);
  return below === '' || below.startsWith('..') ? file : below;
}

function fileName(uri: string): string {
  try {
    return near(fileURLToPath(uri));
  } catch {
    return uri;
  }
}

/** Decodes a URI. Escapes of separators (%2F, %3F) stay as they are. */
function decodeText(uri: string): string {
  try {
    return decodeURI(uri);
  } catch {
    return uri;
  }
}
