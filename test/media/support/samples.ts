import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MediumError } from '../../../media/medium-error.ts';

/** Absolute path of a sample. Compiled tests run in another folder, so this searches the parent folders. */
export function sample(name: string): string {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'samples', 'ATTRIBUTION.md'))) return join(folder, 'samples', name);
    if (folder === dirname(folder)) throw new Error('there is no folder of samples');
  }
}

export function scratchFolder(): string {
  return mkdtempSync(join(tmpdir(), 'media-test-'));
}

export function md5(data: Uint8Array): string {
  return createHash('md5').update(data).digest('hex');
}

/** The MediumError with which a promise rejects. */
export async function mediumError(attempt: Promise<unknown>): Promise<MediumError> {
  try {
    await attempt;
  } catch (error) {
    if (error instanceof MediumError) return error;
    throw error;
  }
  throw new Error('it went well, which was not expected');
}
