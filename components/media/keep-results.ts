/** Files that an answer names: where they can be found once they are written. */
import { pathToFileURL } from 'node:url';
import type { Issue, Properties } from '../../pipeline/types.ts';
import { resultStore } from './upload.ts';

export interface KeepResult {
  /** URI in the bucket that the properties name; without one, or when it cannot be reached, of the file itself. */
  uri(path: string): Promise<string>;
  /** What was not uploaded, in one warning. */
  warnings(): readonly Issue[];
}

export function keepingResults(
  work: { readonly properties: Properties; readonly privateBuckets?: boolean },
  signal: AbortSignal,
): KeepResult {
  const store = resultStore(work.properties, { privateBuckets: work.privateBuckets });
  let failures = 0;
  let reason = '';
  return {
    async uri(path) {
      const local = pathToFileURL(path).href;
      if (store === undefined) return local;
      try {
        return await store(path, signal);
      } catch (error) {
        signal.throwIfAborted();
        if (failures === 0) reason = error instanceof Error ? error.message : String(error);
        failures += 1;
        return local;
      }
    },
    warnings() {
      if (failures === 0) return [];
      const files = failures === 1 ? '1 file was' : `${failures} files were`;
      return [
        {
          code: 'REMOTE_STORAGE_UPLOAD',
          message: `${files} kept on the server instead of in the bucket: ${reason}`,
        },
      ];
    },
  };
}
