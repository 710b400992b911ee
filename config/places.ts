import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageRoot } from './info.ts';

/** Folder of the running code. Compiled components are beside it. */
const codeRoot = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

/** The component host, as a path below the package. */
export const HOST_SCRIPT = path
  .relative(packageRoot, path.join(codeRoot, 'components', 'host', 'main.js'))
  .replaceAll(path.sep, '/');

/** Folders of the package's components: descriptors, and compiled detectors in folders of the same names. */
export const BUILT_IN = {
  descriptors: path.join(packageRoot, 'components'),
  code: path.join(codeRoot, 'components'),
} as const;
