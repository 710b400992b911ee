import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Returns the path of a file in the package. `wanted` is relative to its root. Models and fonts are beside the sources; compiled code is in
 * a folder below the same package.
 */
export function packageFile(wanted: string): string {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    const file = join(folder, wanted);
    if (existsSync(file)) return file;
    if (folder === dirname(folder))
      throw new Error(`The file ${wanted} is missing: install the package again, with all of its files.`);
  }
}
