/** Lists the model files in MODEL_ROOTS. */
import { opendir, realpath, stat } from 'node:fs/promises';
import path from 'node:path';

export type ModelKind = 'ONNX' | 'WHISPER';

export interface ListedModel {
  /** Path below its root. For an ONNX file, this is the value of MODEL_NAME. */
  readonly name: string;
  readonly kind: ModelKind;
  readonly bytes: number;
  /** Milliseconds since the epoch. */
  readonly modified: number;
}

export interface ModelList {
  /** Models in order of their names. */
  readonly models: readonly ListedModel[];
  /** True if there are more models than listed. */
  readonly more: boolean;
}

const MOST_MODELS = 1_000;
/** Maximum number of folder entries that are read, because a root may contain many other files. */
const MOST_ENTRIES = 20_000;
const DEEPEST = 6;

/** Lists the models. A name in several roots is listed once, and the first root counts. */
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

/** Returns the kind by file name, or undefined if it is no model. Whisper models are named as in whisper.cpp. */
function kindOf(file: string): ModelKind | undefined {
  if (file.endsWith('.onnx')) return 'ONNX';
  return /(?:^|\/)ggml-[^/]*\.bin$/.test(file) ? 'WHISPER' : undefined;
}

/** Yields the model files below a folder. Links are not followed, because they lead elsewhere. Unreadable folders are skipped. */
async function* filesBelow(folder: string, depth: number, left: { entries: number }): AsyncGenerator<string> {
  const entries = await opendir(folder).catch(() => undefined);
  if (entries === undefined) return;
  for await (const entry of entries) {
    if (--left.entries <= 0) return;
    const where = path.join(folder, entry.name);
    const kind = entry.isFile() ? kindOf(entry.name) : undefined;
    // WHISPERSPEECH looks for its files only directly in the roots.
    if (kind === 'ONNX' || (kind === 'WHISPER' && depth === 0)) yield where;
    else if (entry.isDirectory() && depth < DEEPEST && !entry.name.startsWith('.'))
      yield* filesBelow(where, depth + 1, left);
  }
}
