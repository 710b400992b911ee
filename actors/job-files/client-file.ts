/** Media files of clients, in folders where other programs also write. */
import { openServed, type ServedFile } from '../../results/served-file.ts';

/** The real path of a `file:` medium that may be read. Returns undefined for all other URIs. */
export type LocalPath = (uri: string) => Promise<string | undefined>;

/** Opens the file at `path`, which `localPath` made from the URI. Returns undefined if the file does not exist or cannot be read. */
export async function openClientFile(
  localPath: LocalPath,
  uri: string,
  path: string,
): Promise<ServedFile | undefined> {
  const file = await openServed(path);
  if (file === undefined) return undefined;
  // A folder above the file may have become a link between the check and the opening.
  const again = await localPath(uri);
  const other = again === path ? await openServed(again) : undefined;
  await other?.close();
  if (other?.identity === file.identity) return file;
  await file.close();
  return undefined;
}
