/** What media are called, as people write it. */
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { printable, shortenText } from '../../domain/text/printable.ts';

const NAME_LENGTH = 120;

/** A file as one would type it here; another URI without percent signs where letters stand, and without the data in it. */
export function placeName(uri: string, length = NAME_LENGTH): string {
  if (/^data:/i.test(uri)) return `${shortenText(printable(uri.replace(/,.*$/s, ',')), length)}…`;
  return /^file:/i.test(uri) ? printable(fileName(uri)) : shortenText(printable(decodeText(uri)), length);
}

/** The last part of it. */
export function baseName(uri: string): string {
  if (/^data:/i.test(uri)) return 'data:…';
  if (/^file:/i.test(uri)) return printable(path.basename(fileName(uri)));
  const parts = uri.replace(/[?#].*$/s, '').split('/');
  return printable(decodeText(parts.findLast((part) => part !== '') ?? uri));
}

/** A file as one would type it here. */
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

/** What stands for another sign than a letter in a URI (%2F, %3F) stays as it is. */
function decodeText(uri: string): string {
  try {
    return decodeURI(uri);
  } catch {
    return uri;
  }
}
