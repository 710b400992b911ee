/** The folders of the setting MODEL_ROOTS, below which everything lies that jobs may name: models, prompts, schemas, lists. */
import { realpath } from 'node:fs/promises';
import path from 'node:path';

/** Folders without symbolic links; one that does not exist serves nothing. */
export async function rootsOf(roots: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(roots.map((root) => realpath(root).catch(() => undefined)));
  return found.filter((root) => root !== undefined);
}

/** Both without symbolic links. */
export const isWithin = (file: string, folder: string): boolean =>
  file === folder || file.startsWith(folder.endsWith(path.sep) ? folder : folder + path.sep);
