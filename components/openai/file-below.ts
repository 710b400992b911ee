import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { isWithin, rootsOf } from '../onnx/model-file.ts';
import { DetectionError } from '../sdk/detector.ts';

/** The file that a property names, below a folder of MODEL_ROOTS: a job must not have others read. Errors: INVALID_PROPERTY. */
export async function fileBelow(roots: readonly string[], property: string, name: string): Promise<string> {
  for (const root of await rootsOf(roots)) {
    const found = await realpath(path.resolve(root, name)).catch(() => undefined);
    if (found !== undefined && isWithin(found, root)) return found;
  }
  throw new DetectionError(
    'INVALID_PROPERTY',
    `${property} names "${name}", which is no file below a folder of the setting MODEL_ROOTS of this host.`,
  );
}
