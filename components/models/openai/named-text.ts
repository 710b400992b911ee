import { readFile, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { isWithin, rootsOf } from '../../shared/model-files/roots.ts';
import { invalidProperty } from '../../shared/tracking/settings.ts';

/** Maximum size of a text in a question, in bytes. */
const LARGEST = 1024 * 1024;
/** Extensions of model weights, which are not text and must not be sent to a server. */
const WEIGHTS = /\.(onnx|bin|data|safetensors)$/i;

/**
 * Returns the text of the file that a property names. It must be below a folder of MODEL_ROOTS, because jobs must not read other files.
 * Throws INVALID_PROPERTY.
 */
export async function namedText(roots: readonly string[], property: string, name: string): Promise<string> {
  for (const root of await rootsOf(roots)) {
    const found = await realpath(path.resolve(root, name)).catch(() => undefined);
    if (found !== undefined && isWithin(found, root)) return read(found, property, name);
  }
  throw refusalOf(property, name, 'which is no file below a folder of the setting MODEL_ROOTS of this host');
}

async function read(file: string, property: string, name: string): Promise<string> {
  const facts = await stat(file);
  if (!facts.isFile()) throw refusalOf(property, name, 'which is no file');
  if (WEIGHTS.test(file)) throw refusalOf(property, name, 'which is a model and no text');
  if (facts.size > LARGEST) throw refusalOf(property, name, `which has more than ${LARGEST} bytes`);
  return readFile(file, 'utf8');
}

const refusalOf = (property: string, name: string, why: string) =>
  invalidProperty(`${property} names "${name}", ${why}.`);
