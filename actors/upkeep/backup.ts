import { open, rm, stat, statfs } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';

export interface BackupDeps {
  readonly dataDir: string;
  /** Free disk that a backup must leave. */
  readonly minFreeBytes: number;
  /** The file of the database. */
  readonly database: string;
  /** Writes a consistent copy of the database to a new file while everybody goes on. */
  copy(file: string): Promise<void>;
}

export type Backup =
  | { readonly kind: 'taken'; readonly bytes: number; readonly stream: Readable }
  | { readonly kind: 'busy' | 'noRoom'; readonly message: string };

/** Makes copies of the database for backups: one at a time, because each needs space on the disk. */
export class BackupService {
  readonly #deps: BackupDeps;
  /** The copy that is being made. */
  readonly #file: string;
  #busy = false;

  constructor(deps: BackupDeps) {
    this.#deps = deps;
    this.#file = path.join(deps.dataDir, 'backup.part');
  }

  /** Removes what a server that died has left half done: it may be as large as the database. */
  async clear(): Promise<void> {
    await rm(this.#file, { force: true });
  }

  async take(): Promise<Backup> {
    if (this.#busy)
      return { kind: 'busy', message: 'Another backup is in progress. Try again when it is complete.' };
    this.#busy = true;
    try {
      return (await this.#lacksRoom()) ?? (await this.#copyStore());
    } finally {
      this.#busy = false;
    }
  }

  /** The copy has no name any more once it is open: it goes with whoever reads it, whatever happens. */
  async #copyStore(): Promise<Backup> {
    try {
      await this.clear();
      await this.#deps.copy(this.#file);
      const handle = await open(this.#file);
      const { size } = await handle.stat();
      return { kind: 'taken', bytes: size, stream: handle.createReadStream() };
    } finally {
      await this.clear();
    }
  }

  async #lacksRoom(): Promise<Backup | undefined> {
    const { dataDir, database, minFreeBytes } = this.#deps;
    const [{ size }, { bavail, bsize }] = await Promise.all([stat(database), statfs(dataDir)]);
    if (bavail * bsize - size >= minFreeBytes) return undefined;
    const message = `There is no space for a copy of the database (${size} bytes) in DATA_DIR that leaves MIN_FREE_BYTES (${minFreeBytes}) free.`;
    return { kind: 'noRoom', message };
  }
}
