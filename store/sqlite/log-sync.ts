import { open, type FileHandle } from 'node:fs/promises';

/**
 * Brings the log of a database to the disk, outside of the event loop. One sync runs at a time; all who ask while it does share the
 * next one.
 */
export class LogSync {
  readonly #file: string;
  readonly #sync: (log: FileHandle) => Promise<void>;
  #log: Promise<FileHandle> | undefined;
  #last: Promise<void> = Promise.resolve();
  /** The sync that has not begun. */
  #next: Promise<void> | undefined;
  #isSyncing = false;
  readonly #before: () => void;

  /** `before` writes to the log what is to be brought to the disk with the sync that is about to begin. */
  constructor(
    file: string,
    before: () => void = () => {},
    sync: (log: FileHandle) => Promise<void> = (log) => log.datasync(),
  ) {
    this.#file = file;
    this.#before = before;
    this.#sync = sync;
  }

  /** What is written while a sync goes on has to wait for the next one. */
  get isSyncing(): boolean {
    return this.#isSyncing;
  }

  /** Settles when all that is in the log now survives the loss of power. Whoever asks has written something, so there is a log. */
  waitForSync(): Promise<void> {
    this.#next ??= this.#last.then(async () => {
      try {
        this.#before();
      } finally {
        this.#next = undefined;
      }
      this.#isSyncing = true;
      try {
        // SQLite never removes the log before the database is closed.
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
