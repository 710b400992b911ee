/** Texts that are too long for the store. They are appended to one file that is synced once, and can be read separately. */
import { open, type FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { TextPlace } from '../protocol/media-work.ts';
import { receive } from './spool.ts';

const NO_LIMITS = { maxBytes: Infinity, maxLines: Infinity };

/** Writes texts to a file and syncs it. Returns the place of each text in it. */
export async function writeTexts(
  path: string,
  texts: readonly string[],
): Promise<readonly Omit<TextPlace, 'path'>[]> {
  await receive(Readable.from(texts), path, NO_LIMITS);
  let offset = 0;
  return texts.map((text) => {
    const place = { offset, bytes: Buffer.byteLength(text) };
    offset += place.bytes;
    return place;
  });
}

/** Reads one text. Returns undefined if it no longer exists. */
export const readText = async ({ path, ...place }: TextPlace): Promise<string | undefined> =>
  (await readTexts(path, [place]))[0];

/** Reads several texts of one file, with undefined for those that no longer exist. */
export async function readTexts(
  path: string,
  places: readonly Omit<TextPlace, 'path'>[],
): Promise<readonly (string | undefined)[]> {
  let file: FileHandle;
  try {
    file = await open(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return places.map(() => undefined);
    throw error;
  }
  try {
    const texts: (string | undefined)[] = [];
    for (const place of places) texts.push(await textAt(file, place));
    return texts;
  } finally {
    await file.close();
  }
}

async function textAt(
  file: FileHandle,
  { offset, bytes }: Omit<TextPlace, 'path'>,
): Promise<string | undefined> {
  const text = Buffer.alloc(bytes);
  let read = 0;
  for (let more = 1; more > 0 && read < bytes; read += more)
    more = (await file.read(text, read, bytes - read, offset + read)).bytesRead;
  return read === bytes ? text.toString('utf8') : undefined;
}
