/**
 * The Lua scripts that run within Redis, from the folder `scripts/`. A line `-- include rules/x.lua` stands for the text of that
 * file. Each script starts with the constants that it shares with this code.
 */
import { existsSync, readFileSync } from 'node:fs';
import { LEDGER_LIMITS } from '../ledger-limits.ts';
import { STORED_FORMAT } from '../stored-format.ts';

/** Results in place of a version: the commit was refused, or the store has a newer format. */
export const CONFLICT = -1;
export const NEWER_FORMAT = -2;

const CONSTANTS = { ...LEDGER_LIMITS, FORMAT: STORED_FORMAT, CONFLICT, NEWER_FORMAT };

/** Folder of the scripts. Compiled code is below dist/ of the same package. */
const FOLDER = ['./scripts/', '../../../store/redis/scripts/']
  .map((place) => new URL(place, import.meta.url))
  .find((folder) => existsSync(folder));

const INCLUDE = /^-- include (\S+)$/gm;

/** @param name of a file without its ending: 'work/claim' @throws Error if the package is incomplete */
export function scriptText(name: string): string {
  if (FOLDER === undefined)
    throw new Error(
      'The folder store/redis/scripts is missing: install the package again, with all of its files.',
    );
  const constants = Object.entries(CONSTANTS).map(([key, value]) => `local ${key} = ${value}`);
  return `${constants.join('\n')}\n${withIncludes(`${name}.lua`)}`;
}

const withIncludes = (file: string): string =>
  readFileSync(new URL(file, FOLDER), 'utf8').replace(INCLUDE, (_, other: string) => withIncludes(other));
