/**
 * Finds the file that MODEL_NAME names. After all links are followed, it must be below a folder of MODEL_ROOTS. ONNX models are checked as
 * far as possible without loading them.
 */
import { realpathSync } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { isWithin, rootsOf } from './roots.ts';
import { DetectionError } from '../../sdk/detector.ts';
import { readFileFacts, type FileFacts } from './file-facts.ts';
import { listModels } from './model-list.ts';
import { ProtoError } from './proto-file.ts';
import { invalidProperty, missingProperty } from '../tracking/settings.ts';

export interface ModelFile {
  /** The name as the user wrote it, for messages. */
  readonly name: string;
  /** Path without symbolic links. */
  readonly path: string;
  /** Path before links are resolved. Files that belong to the model are beside this path. */
  readonly found: string;
  /** Root that contains the file, without symbolic links. */
  readonly root: string;
  readonly bytes: number;
  /** Changes when the file is replaced. */
  readonly version: string;
}

/** Maximum number of names in a message. */
const MOST_NAMED = 10;
/** Folder of the file in exports for Transformers.js, below the folder with the settings. */
const ONNX_FOLDER = 'onnx';

/**
 * Finds a model. `property`: the property with the name, for messages. Throws MISSING_PROPERTY, INVALID_PROPERTY, COULD_NOT_OPEN_DATAFILE.
 */
export async function findModel(
  name: string,
  roots: readonly string[],
  property = 'MODEL_NAME',
): Promise<ModelFile> {
  if (name === '')
    throw missingProperty(
      `The ${property} property is not set: give it the name of a model file (ONNX) in a folder of the setting MODEL_ROOTS.`,
    );
  const resolved = await rootsOf(roots);
  for (const root of resolved) {
    const found = await below(root, name);
    if (found !== undefined) return modelAt(found, { name, root, property });
  }
  throw await missingError(name, roots, property);
}

/** Returns a file or folder below `root`; undefined if it does not exist. */
async function below(root: string, name: string): Promise<string | undefined> {
  if (name.includes('\0')) throw outside(name);
  for (const wanted of spellings(name)) {
    const file = path.resolve(root, wanted);
    const real = await realpath(file).catch(() => undefined);
    if (real !== undefined && isWithin(real, root)) return file;
  }
  return undefined;
}

const spellings = (name: string): readonly string[] =>
  name.endsWith('.onnx') ? [name] : [name, `${name}.onnx`];

interface Wanted extends Pick<ModelFile, 'name' | 'root'> {
  readonly property: string;
}

async function modelAt(named: string, { name, root, property }: Wanted): Promise<ModelFile> {
  const found = (await stat(named)).isDirectory() ? await inFolder(named, name, property) : named;
  const real = await realpath(found);
  if (!isWithin(real, root)) throw outside(name);
  const facts = await stat(real);
  if (!facts.isFile())
    throw invalidProperty(`The model ${name} is no file: set ${property} to an ONNX file.`);
  const version = `${real} ${facts.size} ${facts.mtimeMs} ${facts.ino}`;
  return { name, root, found, path: real, bytes: facts.size, version };
}

/** Returns the only model in a folder, or its `model.onnx`. */
async function inFolder(folder: string, name: string, property: string): Promise<string> {
  for (const where of [folder, path.join(folder, ONNX_FOLDER)]) {
    const entries = await readdir(where).catch(() => []);
    const names = entries.filter((one) => one.endsWith('.onnx')).toSorted();
    const only = names.includes('model.onnx') ? 'model.onnx' : names.length === 1 ? names[0] : undefined;
    if (only !== undefined) return path.join(where, only);
    if (names.length > 1)
      throw invalidProperty(
        `The folder ${name} holds ${names.length} models: set ${property} to one of them, such as ${path.posix.join(name, where === folder ? '' : ONNX_FOLDER, names[0]!)}.`,
      );
  }
  throw invalidProperty(`The folder ${name} holds no file whose name ends in .onnx.`);
}

async function missingError(
  name: string,
  roots: readonly string[],
  property: string,
): Promise<DetectionError> {
  if (path.isAbsolute(name) || name.split(/[/\\]/).includes('..')) return outside(name);
  for (const file of roots.flatMap((root) => spellings(name).map((one) => path.resolve(root, one))))
    // A link that leads outside exists, but is not below the root.
    if ((await realpath(file).catch(() => undefined)) !== undefined) return outside(name);
  const models = (await listModels(roots)).models.filter(({ kind }) => kind === 'ONNX');
  const known = models.slice(0, MOST_NAMED).map((one) => one.name);
  const rest = models.length > MOST_NAMED ? ` and ${models.length - MOST_NAMED} more` : '';
  const there = known.length === 0 ? 'No model lies there yet.' : `There are ${known.join(', ')}${rest}.`;
  return invalidProperty(
    `There is no model ${name} below the folders of the setting MODEL_ROOTS of this host: put the file there, or set ${property} to one that is. ${there}`,
  );
}

const outside = (name: string) =>
  invalidProperty(
    `The model ${name} is not in a folder of the setting MODEL_ROOTS. Put the file there (not a link to another folder), or add its folder to MODEL_ROOTS.`,
  );

/** Returns the facts of a model file. Throws COULD_NOT_OPEN_DATAFILE, COULD_NOT_READ_DATAFILE. The message says what to do. */
export function checkedFacts({ name, path: file, root, bytes }: ModelFile): FileFacts {
  if (bytes === 0) throw unreadable(`The file ${name} is empty (0 bytes): copy the model there again.`);
  const facts = factsOf(name, file);
  const folder = path.dirname(file);
  for (const location of facts.external) {
    const where = path.resolve(folder, location);
    const leadsOut = path.isAbsolute(location) || !isWithin(where, folder) || !isWithin(realOf(where), root);
    if (leadsOut)
      throw unreadable(
        `The model ${name} keeps its weights in "${location}", outside of its own folder: export it with the weights in one file, or in a file beside it.`,
      );
  }
  return facts;
}

function factsOf(name: string, file: string): FileFacts {
  let facts: FileFacts;
  try {
    facts = readFileFacts(file);
  } catch (error) {
    if (error instanceof ProtoError)
      throw unreadable(
        `The file ${name} is not an ONNX model: ${error.message} Export the model to ONNX, or copy the file again (of Git LFS the file itself, not its pointer).`,
      );
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'error';
    throw new DetectionError(
      'COULD_NOT_OPEN_DATAFILE',
      `The model ${name} cannot be read (${code}): give the user of the service the right to read it.`,
    );
  }
  if (!facts.hasGraph)
    throw unreadable(
      `The file ${name} is not an ONNX model: it has no graph. Copy it again, or export it to ONNX.`,
    );
  return facts;
}

/** Resolves symbolic links. If weights are missing, the runtime reports it. */
function realOf(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}

const unreadable = (message: string) => new DetectionError('COULD_NOT_READ_DATAFILE', message);
