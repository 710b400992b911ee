/** Shows how a job would use a model file, without running a job. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Properties } from '../../../domain/types.ts';
import { wrongHint } from '../../shared/onnx-session/hints.ts';
import { checkedFacts, findModel } from '../../shared/model-files/model-file.ts';
import { hintsIn } from './settings.ts';
import { tryModel } from '../../shared/onnx-session/try-model.ts';
import { hintsFor, understand, type UnderstoodModel } from './understand-model.ts';

/** Checks a model. Throws DetectionError, whose message contains advice. */
export async function checkModel(
  file: string,
  properties: Properties,
  { checkMs, signal }: { readonly checkMs: number; readonly signal: AbortSignal },
): Promise<UnderstoodModel> {
  const name = path.resolve(file);
  if (!existsSync(name)) throw wrongHint(`There is no file ${file}.`);
  // The user of this command may read any file.
  const roots = [path.parse(name).root];
  const found = { ...(await findModel(name, roots)), name: file };
  const hints = await hintsFor(
    found,
    checkedFacts(found).metadata,
    await hintsIn(properties, [process.cwd()]),
  );
  const options = { threads: 1, provider: (properties['EXECUTION_PROVIDER'] ?? 'CPU').toLowerCase() };
  const question = { name: file, path: found.path, options, hints };
  return understand(file, await tryModel(question, checkMs, signal), hints);
}
