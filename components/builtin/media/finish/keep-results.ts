/** Files that an answer names: where they can be found once they are written. */
import { pathToFileURL } from 'node:url';
import type { Issue, Properties } from '../../../../domain/types.ts';
import type { WorkContext } from '../../../sdk/work/work-context.ts';
import type { StoreFile } from '../artifacts/artifact-files.ts';
import { resultStore } from '../upload.ts';

interface KeepingWork {
  readonly properties: Properties;
  readonly privateBuckets?: boolean;
}

/** The way into the bucket that the properties name, undefined without one; with the context given here what is sent counts as progress. */
export function resultStoreOf(
  work: KeepingWork,
  context: WorkContext,
): { readonly context: WorkContext; readonly store: StoreFile | undefined } {
  let [done, total, sent] = [0, 0, 0];
  const tell = () => context.progress(done + sent, total);
  const onBytes = () => {
    sent += 1;
    tell();
  };
  const store = resultStore(work.properties, { privateBuckets: work.privateBuckets, onBytes });
  return {
    context: {
      ...context,
      progress: (nowDone, nowTotal) => {
        [done, total] = [nowDone, nowTotal];
        tell();
      },
    },
    store: store === undefined ? undefined : (path) => store(path, context.signal),
  };
}

export interface KeepResult {
  /** URI in the bucket; without one, or when it cannot be reached, of the file itself. */
  uri(path: string): Promise<string>;
  /** What was not uploaded, in one warning. */
  warnings(): readonly Issue[];
}

export function keepingResults(store: StoreFile | undefined, signal: AbortSignal): KeepResult {
  let failures = 0;
  let reason = '';
  return {
    async uri(path) {
      const local = pathToFileURL(path).href;
      if (store === undefined) return local;
      try {
        return await store(path);
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
      const message = `${files} kept on the server instead of in the bucket: ${reason}`;
      return [{ code: 'REMOTE_STORAGE_UPLOAD', message }];
    },
  };
}
