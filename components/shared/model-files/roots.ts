/** The folders of the setting MODEL_ROOTS. All files that jobs may name are below them: models, prompts, schemas, lists. */
import { realpath } from 'node:fs/promises';
import path from 'node:path';

/** Resolves symbolic links of folders. Folders that do not exist are left out. */
export async function rootsOf(roots: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(roots.map((root) => realpath(root).catch(() => undefined)));
  return found.filter((root) => root !== undefined);
}

/** True if the file is in the folder. Both must be without symbolic links. */
export const isWithin = (file: string, folder: string): boolean =>
  file === folder || file.startsWith(folder.endsWith(path.sep) ? folder : folder + path.sep);
