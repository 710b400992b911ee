import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageRoot } from './info.ts';

/** Folder of the code that runs: components are found compiled beside it. */
const codeRoot = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

/** The component host, as a path below the package. */
export const HOST_SCRIPT = path
  .relative(packageRoot, path.join(codeRoot, 'components', 'host', 'main.js'))
  .replaceAll(path.sep, '/');

/** Where the components of the package are: descriptors, and compiled detectors in folders of the same names. */
export const BUILT_IN = {
  descriptors: path.join(packageRoot, 'components'),
  code: path.join(codeRoot, 'components'),
} as const;
