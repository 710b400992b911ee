import { readFile, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { isWithin, rootsOf } from '../../shared/model-files/roots.ts';
import { invalidProperty } from '../../shared/tracking/settings.ts';

/** Bytes of a text that is part of a question. */
const LARGEST = 1024 * 1024;
/** Weights are no text, and nobody's to send elsewhere. */
const WEIGHTS = /\.(onnx|bin|data|safetensors)$/i;

/**
 * The text of the file that a property names, below a folder of MODEL_ROOTS: jobs must not read other files. Errors:
 * INVALID_PROPERTY.
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
