import { PART } from '../../files/part-file.ts';

/** Bytes of a name in UTF-8; disks take 255, and the ending of a part file comes behind it. */
const MAX_BYTES = 120;
/** All but letters and digits of any script, blanks, and the signs that are plain in names everywhere. */
const UNUSUAL = /[^\p{L}\p{M}\p{N} ._()-]+/gu;
const NAMELESS = 'medium';

/**
 * The name of the file of an upload: similar enough to the client's name that users recognize it, and never a path, a hidden file, or a
 * name of an unfinished upload.
 */
export function uploadFileName(given: string): string {
  const last = given.normalize('NFC').split(/[/\\]/).at(-1) ?? '';
  let name = last.replaceAll(UNUSUAL, '_').replace(/^[ .-]+/, '');
  while (name.toLowerCase().endsWith(PART)) name = name.slice(0, -PART.length);
  name = shortenName(withoutEnd(name));
  return name.replaceAll('_', '') === '' ? NAMELESS : name;
}

/** Without blanks and dots at its end, which some disks drop. */
function withoutEnd(name: string): string {
  let end = name.length;
  while (end > 0 && ' .'.includes(name[end - 1]!)) end--;
  return name.slice(0, end);
}

/** The ending stays, since it tells kinds of text apart. */
function shortenName(name: string): string {
  const ending = /\.[a-z0-9]{1,10}$/i.exec(name)?.[0] ?? '';
  let stem = '';
  let room = MAX_BYTES - ending.length;
  for (const character of name.slice(0, name.length - ending.length)) {
    room -= Buffer.byteLength(character);
    if (room < 0) break;
    stem += character;
  }
  return stem === '' && ending !== '' ? NAMELESS + ending : stem + ending;
}
