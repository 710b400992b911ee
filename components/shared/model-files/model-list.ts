/** The model files in MODEL_ROOTS. */
import { opendir, realpath, stat } from 'node:fs/promises';
import path from 'node:path';

export type ModelKind = 'ONNX' | 'WHISPER';

export interface ListedModel {
  /** Its path below its root: of an ONNX file the value of MODEL_NAME. */
  readonly name: string;
  readonly kind: ModelKind;
  readonly bytes: number;
  /** Milliseconds since the epoch. */
  readonly modified: number;
}

export interface ModelList {
  /** By name. */
  readonly models: readonly ListedModel[];
  /** There are more than are listed. */
  readonly more: boolean;
}

const MOST_MODELS = 1_000;
/** Entries of folders that are looked at; a root may lie above much else. */
const MOST_ENTRIES = 20_000;
const DEEPEST = 6;

/** A name in several roots is listed once: the first root counts. */
export async function listModels(roots: readonly string[]): Promise<ModelList> {
  const found = new Map<string, ListedModel>();
  const left = { entries: MOST_ENTRIES };
  for (const root of roots) {
    const real = await realpath(root).catch(() => undefined);
    if (real === undefined) continue;
    for await (const file of filesBelow(real, 0, left)) {
      const name = path.relative(real, file).split(path.sep).join('/');
      const facts = await stat(file).catch(() => undefined);
      if (facts?.isFile() !== true || found.has(name) || found.size > MOST_MODELS) continue;
      found.set(name, { name, kind: kindOf(name)!, bytes: facts.size, modified: Math.floor(facts.mtimeMs) });
    }
  }
  const models = [...found.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return { models: models.slice(0, MOST_MODELS), more: models.length > MOST_MODELS || left.entries <= 0 };
}

/** By the ending of its name; undefined: no model. Whisper's are named as whisper.cpp names them. */
function kindOf(file: string): ModelKind | undefined {
  if (file.endsWith('.onnx')) return 'ONNX';
  return /(?:^|\/)ggml-[^/]*\.bin$/.test(file) ? 'WHISPER' : undefined;
}

/** Links are not followed: what they name lies elsewhere. A folder that cannot be read holds nothing. */
async function* filesBelow(folder: string, depth: number, left: { entries: number }): AsyncGenerator<string> {
  const entries = await opendir(folder).catch(() => undefined);
  if (entries === undefined) return;
  for await (const entry of entries) {
    if (--left.entries <= 0) return;
    const where = path.join(folder, entry.name);
    const kind = entry.isFile() ? kindOf(entry.name) : undefined;
    // WHISPERSPEECH looks for its files in the roots themselves.
    if (kind === 'ONNX' || (kind === 'WHISPER' && depth === 0)) yield where;
    else if (entry.isDirectory() && depth < DEEPEST && !entry.name.startsWith('.'))
      yield* filesBelow(where, depth + 1, left);
  }
}
