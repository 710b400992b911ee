import { PART } from '../../files/part-file.ts';

/** Maximum bytes of a name in UTF-8. Disks allow 255, and a part file has a suffix. */
const MAX_BYTES = 120;
/** All characters except letters and digits of any script, spaces, and punctuation that is safe in file names everywhere. */
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

/** Removes spaces and dots at the end of a name, which some file systems drop. */
function withoutEnd(name: string): string {
  let end = name.length;
  while (end > 0 && ' .'.includes(name[end - 1]!)) end--;
  return name.slice(0, end);
}

/** Shortens a name. The extension stays, because it distinguishes kinds of text. */
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
