import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The version of the REST interface (specification 9), independent of the version of the product. */
export const INTERFACE_VERSION = '9.0';

/** Specification 2.7, InfoModel. An unofficial build has `unknown` and `0`. */
export interface Info {
  readonly app: string;
  readonly appFamily: string;
  readonly buildNum: string;
  readonly gitBranch: string;
  readonly gitHash: string;
  readonly version: string;
}

/** The folder with package.json, sources, descriptors and samples, also when the code is compiled. */
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

/** Reads the build data that `npm run build` writes beside the compiled code. Without them, the build is unofficial. */
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
