import { open, type FileHandle } from 'node:fs/promises';

/**
 * Syncs the log of a database to the disk, outside the event loop. One sync runs at a time. All callers that ask meanwhile share the
 * next one.
 */
export class LogSync {
  readonly #file: string;
  readonly #sync: (log: FileHandle) => Promise<void>;
  #log: Promise<FileHandle> | undefined;
  #last: Promise<void> = Promise.resolve();
  /** The next sync, which has not begun. */
  #next: Promise<void> | undefined;
  #isSyncing = false;
  readonly #before: () => void;

  /** `before` writes to the log what the sync that is about to begin must include. */
  constructor(
    file: string,
    before: () => void = () => {},
    sync: (log: FileHandle) => Promise<void> = (log) => log.datasync(),
  ) {
    this.#file = file;
    this.#before = before;
    this.#sync = sync;
  }

  /** True while a sync runs. What is written meanwhile must wait for the next one. */
  get isSyncing(): boolean {
    return this.#isSyncing;
  }

  /** Resolves when the current content of the log survives a power loss. A caller has written before, so the log exists. */
  waitForSync(): Promise<void> {
    this.#next ??= this.#last.then(async () => {
      try {
        this.#before();
      } finally {
        this.#next = undefined;
      }
      this.#isSyncing = true;
      try {
        // SQLite does not delete the log before the database is closed.
        this.#log ??= open(this.#file, 'r+');
        await this.#sync(await this.#log);
      } finally {
        this.#isSyncing = false;
      }
    });
    const next = this.#next;
    this.#last = next.catch(() => undefined);
    return next;
  }

  async close(): Promise<void> {
    await this.#last;
    const log = await this.#log?.catch(() => undefined);
    await log?.close();
  }
}
