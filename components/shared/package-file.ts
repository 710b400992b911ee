import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Models and fonts lie with the sources, and compiled code in a folder below the same package: `wanted` from its root. */
export function packageFile(wanted: string): string {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    const file = join(folder, wanted);
    if (existsSync(file)) return file;
    if (folder === dirname(folder))
      throw new Error(`The file ${wanted} is missing: install the package again, with all of its files.`);
  }
}
