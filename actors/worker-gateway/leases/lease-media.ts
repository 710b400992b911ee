/** The media of sub-jobs, for components that have the lease but cannot read the server's files. */
import { basename, isAbsolute } from 'node:path';
import type { ReadStream } from 'node:fs';
import { pathToFileURL } from 'node:url';
import type { WorkMedium } from '../../../protocol/media-work.ts';
import { isViewKind } from '../../../protocol/worker-protocol.ts';
import { keyOf, pathOf } from '../../../results/file-keys.ts';
import { runFolder } from '../../../results/layout.ts';
import { openServed, type ServedFile } from '../../../results/served-file.ts';
import type { Lease } from '../../../store/ledger.ts';
import type { Store } from '../../../store/store.ts';
import type { SubJobRow } from '../../batch-job/state/state.ts';
import { openClientFile, type LocalPath } from '../../job-files/client-file.ts';
import type { JobFile } from '../../job-files/job-files.ts';
import { rowOf } from './assignments.ts';

export interface LeaseMediaDeps {
  readonly store: Store;
  readonly dataDir: string;
  /** DATA_DIR without symbolic links. */
  readonly realDataDir: string;
  readonly heartbeatMs: number;
  readonly localPath: LocalPath;
}

export type LeaseMedium =
  | {
      readonly kind: 'medium';
      readonly file: JobFile;
      /** With the path of its file on this host. */
      readonly medium: WorkMedium;
      /** The name of the folders of its run. */
      readonly folder: string;
    }
  /** Another component has the lease, or no component has it. */
  | { readonly kind: 'lost' }
  /** `none`: this kind of work has no medium. `gone`: the file of the medium does not exist. */
  | { readonly kind: 'none' | 'gone'; readonly message: string };

const NONE = 'The lease is of work on no medium.';
const GONE = 'The medium can no longer be read: its file was moved or deleted.';
const CHANGED = 'The medium has changed since the job inspected it. Resubmit the job.';

/** Returns the medium of a sub-job, as in its assignment. */
async function workMediumOf(store: Store, { item }: Lease): Promise<[WorkMedium, SubJobRow] | undefined> {
  if (item.kind === 'STREAM' || isViewKind(item.kind)) return undefined;
  const row = await rowOf(store, item);
  return row?.work != null && 'medium' in row.work ? [row.work.medium, row] : undefined;
}

export class LeaseMedia {
  readonly #deps: LeaseMediaDeps;

  constructor(deps: LeaseMediaDeps) {
    this.#deps = deps;
  }

  /** Opens the medium of a sub-job for the worker with its lease. The caller streams or closes it. */
  async medium(token: string, worker: string): Promise<LeaseMedium> {
    const { store } = this.#deps;
    const lease = await store.work.look(token, worker);
    if (typeof lease === 'string') return { kind: 'lost' };
    const found = await workMediumOf(store, lease);
    if (found === undefined) return { kind: 'none', message: NONE };
    const [medium, { jobId, run }] = found;
    const file = await this.#openFile(medium.path);
    if (file === undefined) return { kind: 'gone', message: GONE };
    if (medium.bytes !== undefined && medium.bytes !== file.bytes) {
      await file.close();
      return { kind: 'gone', message: CHANGED };
    }
    const { mimeType, path } = medium;
    return {
      kind: 'medium',
      file: { file: this.#withProgress(file, token), mimeType, name: basename(path) },
      medium: { ...medium, path: pathOf(this.#deps.dataDir, path) },
      folder: runFolder(jobId, run),
    };
  }

  /**
   * Opens a stored file. Files of clients are checked again, because settings and symbolic links may have changed since the job checked
   * them.
   */
  #openFile(stored: string): Promise<ServedFile | undefined> {
    const { dataDir: folder, realDataDir: real, localPath } = this.#deps;
    const path = pathOf(folder, stored);
    if (!isAbsolute(keyOf({ folder, real }, path))) return openServed(path);
    return openClientFile(localPath, pathToFileURL(path).href, path);
  }

  /** Reports progress while a component reads a medium, because a large one takes longer than the silence that a component is allowed. */
  #withProgress(file: ServedFile, token: string): ServedFile {
    const { store, heartbeatMs } = this.#deps;
    const stream: ServedFile['stream'] = (part) => {
      const bytes = file.stream(part) as ReadStream;
      let told = 0;
      const timer = setInterval(() => {
        if (bytes.bytesRead === told) return;
        told = bytes.bytesRead;
        void store.work.noteArrival(token, false).catch(() => undefined);
      }, heartbeatMs);
      return bytes.once('close', () => clearInterval(timer));
    };
    return { ...file, stream };
  }
}
