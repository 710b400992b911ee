/** Media files of clients, in folders where other programs also write. */
import { openServed, type ServedFile } from '../../results/served-file.ts';

/** The real path of a `file:` medium that may be read; undefined for all else. */
export type LocalPath = (uri: string) => Promise<string | undefined>;

/** The file at `path`, which `localPath` made of the URI. Undefined when it is not there or cannot be read. */
export async function openClientFile(
  localPath: LocalPath,
  uri: string,
  path: string,
): Promise<ServedFile | undefined> {
  const file = await openServed(path);
  if (file === undefined) return undefined;
  // A folder above it may have become a link between the look and the opening.
  const again = await localPath(uri);
  const other = again === path ? await openServed(again) : undefined;
  await other?.close();
  if (other?.identity === file.identity) return file;
  await file.close();
  return undefined;
}
