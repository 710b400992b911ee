/** Text files that belong to a model. */
import { readFile, realpath, stat } from 'node:fs/promises';
import { invalidProperty } from '../tracking/settings.ts';
import { isWithin } from './roots.ts';

const MIB = 1024 * 1024;
const LARGEST = 16 * MIB;

/**
 * Returns the text of a file below a model's root; undefined if it does not exist. `most`: maximum number of bytes. Throws
 * INVALID_PROPERTY.
 */
export async function textBelow(
  root: string,
  file: string,
  shown: string,
  most = LARGEST,
): Promise<string | undefined> {
  const real = await realpath(file).catch(() => undefined);
  if (real === undefined || !isWithin(real, root)) return undefined;
  const facts = await stat(real);
  if (!facts.isFile()) return undefined;
  if (facts.size > most) throw invalidProperty(`The file ${shown} has more than ${most / MIB} MiB.`);
  return readFile(real, 'utf8').catch(() => {
    throw invalidProperty(`The file ${shown} cannot be read: let the user of the service read it.`);
  });
}
