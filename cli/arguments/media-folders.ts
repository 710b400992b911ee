/** Finds the media in a folder and below it. */
import { lstat, readdir, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { explain, Failure } from '../terminal/failure.ts';

export interface FolderMedia {
  /** Paths, sorted by name. */
  readonly files: readonly string[];
  /** Number of other files that were skipped. */
  readonly others: number;
}

/**
 * Detects media by their first bytes, independent of their names. Skips hidden files, links to folders, and `except`, a
 * folder with files of the service. @throws Failure
 */
export async function mediaBelow(folder: string, except: string): Promise<FolderMedia> {
  const found: FolderMedia & { files: string[]; others: number } = { files: [], others: 0 };
  const isMedium = await mediumTest();
  const left = await realpath(except).catch(() => undefined);
  const walk = async (at: string): Promise<void> => {
    if ((await realpath(at)) === left) return;
    for (const name of await namesIn(at)) {
      const place = path.join(at, name);
      if (await isFolder(place)) await walk(place);
      else if (await isMedium(place)) found.files.push(place);
      else if (!(await isLinkedFolder(place))) found.others += 1;
    }
  };
  await walk(folder);
  return found;
}

async function namesIn(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    throw new Failure(`The folder ${folder} cannot be read: ${explain(error)}`);
  });
  const collator = new Intl.Collator(undefined, { numeric: true });
  return names.filter((name) => !name.startsWith('.')).toSorted((a, b) => collator.compare(a, b));
}

/** True if the path itself is a folder. Links are not followed, because they may form a circle. */
const isFolder = (place: string) =>
  lstat(place).then(
    (found) => found.isDirectory(),
    () => false,
  );

const isLinkedFolder = (place: string) =>
  stat(place).then(
    (found) => found.isDirectory(),
    () => false,
  );

/** Returns the service's own test of media types. It is loaded only if a folder is given. */
async function mediumTest(): Promise<(file: string) => Promise<boolean>> {
  const [{ mimeTypeOf }, { mediaTypeOf }] = await Promise.all([
    import('../../media/inspect/mime.ts'),
    import('../../domain/plan/media-types.ts'),
  ]);
  return async (file) => {
    if (!(await stat(file).catch(() => undefined))?.isFile()) return false;
    const type = await mimeTypeOf(file).catch(() => '');
    return mediaTypeOf(type) !== 'UNKNOWN' || DOCUMENTS.test(type);
  };
}

/** Types of documents that count as media. Text files do not count, but an argument can name them. */
const DOCUMENTS = /^application\/(pdf$|vnd\.(openxmlformats-officedocument|oasis\.opendocument)\.)/;
