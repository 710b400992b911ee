import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** Specification 2.7, InfoModel; `unknown` and `0` stand for an unofficial build. */
export interface Info {
  readonly app: string;
  readonly appFamily: string;
  readonly buildNum: string;
  readonly gitBranch: string;
  readonly gitHash: string;
  readonly version: string;
}

/** The folder that holds package.json: sources, descriptors and samples lie below it, compiled or not. */
export const packageRoot = findRoot(path.dirname(fileURLToPath(import.meta.url)));

export function readInfo(): Info {
  const { version } = JSON.parse(readFileSync(path.join(packageRoot, 'package.json'), 'utf8')) as {
    version: string;
  };
  return {
    app: 'Troupe',
    appFamily: 'Troupe',
    buildNum: '0',
    gitBranch: 'unknown',
    gitHash: 'unknown',
    version,
  };
}

function findRoot(folder: string): string {
  try {
    readFileSync(path.join(folder, 'package.json'));
    return folder;
  } catch {
    return findRoot(path.dirname(folder));
  }
}
