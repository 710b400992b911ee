import { open, rm, stat, statfs } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';

export interface BackupDeps {
  readonly dataDir: string;
  /** Free disk space in bytes that a backup must leave. */
  readonly minFreeBytes: number;
  /** Path of the database file. */
  readonly database: string;
  /** Writes a consistent copy of the database to a new file, while reads and writes continue. */
  copy(file: string): Promise<void>;
}

export type Backup =
  | { readonly kind: 'taken'; readonly bytes: number; readonly stream: Readable }
  | { readonly kind: 'busy' | 'noRoom'; readonly message: string };

/** Makes copies of the database for backups: one at a time, because each needs space on the disk. */
export class BackupService {
  readonly #deps: BackupDeps;
  /** Path of the copy in progress. */
  readonly #file: string;
  #busy = false;

  constructor(deps: BackupDeps) {
    this.#deps = deps;
    this.#file = path.join(deps.dataDir, 'backup.part');
  }

  /** Deletes an incomplete copy of a dead server. It may be as large as the database. */
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

  /** Copies and opens the database. The file is unlinked once it is open, so it is always deleted when its reader closes it. */
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
