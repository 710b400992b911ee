/** Another user of the system, to whom nothing belongs: what a process of his can read, one on another host could have, too. */
import { spawnSync } from 'node:child_process';
import { packageRoot } from '../../../config/info.ts';

const ID = 65_534;

export const NOBODY = { uid: ID, gid: ID };

/** Whether processes can be his: only root may start them, and where root has hidden the package from others they could not run. */
export function canBeNobody(): boolean {
  if (process.getuid?.() !== 0) return false;
  const look = `require('node:fs').accessSync(${JSON.stringify(`${packageRoot}/package.json`)})`;
  return spawnSync(process.execPath, ['-e', look], { ...NOBODY, cwd: '/', stdio: 'ignore' }).status === 0;
}
