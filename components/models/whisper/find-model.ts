/** Finds the model file, which must be below a folder of MODEL_ROOTS after all symbolic links are followed. */
import { realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { isWithin, rootsOf } from '../../shared/model-files/roots.ts';
import { DetectionError } from '../../sdk/detector.ts';
import { checkModel, type ModelFacts } from './model-file.ts';

export interface FoundModel extends ModelFacts {
  readonly path: string;
}

/** Checked files by path, with size and time of the file at the check. */
const checked = new Map<string, { readonly version: string; readonly facts: ModelFacts }>();

/** Returns the first of these names that exists. Throws COULD_NOT_OPEN_DATAFILE, COULD_NOT_READ_DATAFILE, with advice. */
export async function findModel(roots: readonly string[], names: readonly string[]): Promise<FoundModel> {
  const found = await placeOf(roots, names);
  return { path: found, ...(await factsOf(found)) };
}

/** Returns its path without symbolic links, and does not open the file. Throws COULD_NOT_OPEN_DATAFILE. */
export async function placeOf(roots: readonly string[], names: readonly string[]): Promise<string> {
  const folders = await rootsOf(roots);
  for (const name of names)
    for (const root of folders) {
      const found = await realpath(path.join(root, name)).catch(() => undefined);
      if (found === undefined) continue;
      if (!isWithin(found, root)) throw outside(name);
      return found;
    }
  const [name = ''] = names;
  const where = roots.length === 0 ? 'the folders that MODEL_ROOTS names' : roots.join(' or ');
  throw new DetectionError(
    'COULD_NOT_OPEN_DATAFILE',
    `There is no Whisper model ${name}: put this file (ggml format of whisper.cpp) into ${where}, or name another one by WHISPER_MODEL_SIZE and WHISPER_MODEL_LANG.`,
  );
}

const outside = (name: string) =>
  new DetectionError(
    'COULD_NOT_OPEN_DATAFILE',
    `The Whisper model ${name} is a link that leads out of MODEL_ROOTS: put the file itself there, or add its folder to MODEL_ROOTS.`,
  );

async function factsOf(file: string): Promise<ModelFacts> {
  const { size, mtimeMs, ino } = await stat(file);
  const version = `${size} ${mtimeMs} ${ino}`;
  const known = checked.get(file);
  if (known?.version === version) return known.facts;
  const facts = await checkModel(file);
  checked.set(file, { version, facts });
  return facts;
}
