/** A system user who owns no files. Processes of this user read no more than a component on another host. */
import { spawnSync } from 'node:child_process';
import { packageRoot } from '../../../config/info.ts';

const ID = 65_534;

export const NOBODY = { uid: ID, gid: ID };

/** True if tests can start processes of this user: the tests run as root, and other users can read the package. */
export function canBeNobody(): boolean {
  if (process.getuid?.() !== 0) return false;
  const look = `require('node:fs').accessSync(${JSON.stringify(`${packageRoot}/package.json`)})`;
  return spawnSync(process.execPath, ['-e', look], { ...NOBODY, cwd: '/', stdio: 'ignore' }).status === 0;
}
