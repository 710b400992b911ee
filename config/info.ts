import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The version of the REST interface (specification 9), independent of the version of the product. */
export const INTERFACE_VERSION = '9.0';

/** Specification 2.7, InfoModel; `unknown` and `0` stand for an unofficial build. */
export interface Info {
  readonly app: string;
  readonly appFamily: string;
  readonly buildNum: string;
  readonly gitBranch: string;
  readonly gitHash: string;
  readonly version: string;
}

/** The folder with package.json, and with sources, descriptors and samples, compiled or not. */
export const packageRoot = findRoot(path.dirname(fileURLToPath(import.meta.url)));

export function readInfo(): Info {
  const { version } = JSON.parse(readFileSync(path.join(packageRoot, 'package.json'), 'utf8')) as {
    version: string;
  };
  return {
    app: 'Troupe',
    appFamily: 'Troupe',
    ...readBuild(),
    version,
  };
}

type Build = Pick<Info, 'buildNum' | 'gitBranch' | 'gitHash'>;
const UNOFFICIAL: Build = { buildNum: '0', gitBranch: 'unknown', gitHash: 'unknown' };

/** What `npm run build` has written beside the compiled code; code that runs without it is an unofficial build. */
function readBuild(): Build {
  try {
    const file = new URL('../build-info.json', import.meta.url);
    const { buildNum, gitBranch, gitHash } = JSON.parse(readFileSync(file, 'utf8')) as Build;
    return [buildNum, gitBranch, gitHash].every((value) => typeof value === 'string')
      ? { buildNum, gitBranch, gitHash }
      : UNOFFICIAL;
  } catch {
    return UNOFFICIAL;
  }
}

function findRoot(folder: string): string {
  try {
    readFileSync(path.join(folder, 'package.json'));
    return folder;
  } catch {
    return findRoot(path.dirname(folder));
  }
}
