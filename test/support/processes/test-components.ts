import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ComponentFolder } from '../../../actors/node-manager/installed-components.ts';
import { packageRoot } from '../../../config/info.ts';

/** Components that tests control. */
export const TEST_COMPONENTS: ComponentFolder = {
  descriptors: path.join(packageRoot, 'test', 'support', 'components'),
  code: fileURLToPath(new URL('../components', import.meta.url)),
};
