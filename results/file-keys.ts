/**
 * The name of a file in stored data, relative to DATA_DIR, which may be moved. Its path is computed when the file is opened or sent to a
 * component.
 */
import { isAbsolute, relative, resolve, sep } from 'node:path';

/** A path relative to DATA_DIR. Only media in other folders (below MEDIA_ROOTS) have an absolute path. */
export type FileKey = string;

/** The data folder: as configured, and without symbolic links. */
export interface DataFolder {
  readonly folder: string;
  readonly real: string;
}

export const pathOf = (dataDir: string, key: FileKey): string => resolve(dataDir, key);

/** The key of a file whose path a component has reported. */
export function keyOf({ folder, real }: DataFolder, path: string): FileKey {
  const keys = [folder, real].map((place) => relative(place, path));
  return keys.find((key) => key !== '' && !isAbsolute(key) && key.split(sep)[0] !== '..') ?? path;
}
