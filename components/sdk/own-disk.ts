/** The disk of this host, where it keeps what it fetches: when that is full or read-only, other hosts can still do the work. */
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from './failure.ts';

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

/** An error of this host: neither the work nor the connection to the server is at fault. */
export class OwnDiskError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'OwnDiskError';
  }
}

/** What the file system refuses becomes an `OwnDiskError`; all other errors stay as they are. */
export async function onOwnDisk<T>(doing: Promise<T>): Promise<T> {
  try {
    return await doing;
  } catch (error) {
    if (typeof (error as NodeJS.ErrnoException).errno !== 'number') throw error;
    const why = `Fetched media cannot be kept (MEDIA_CACHE_FOLDER): ${messageOf(error)}`;
    throw new OwnDiskError(why, { cause: error });
  }
}

/** A component that released a sub-job because of its disk claims no other for a while, longer each time. */
export class DiskPause {
  #ms = FIRST_PAUSE_MS;

  noteWork(): void {
    this.#ms = FIRST_PAUSE_MS;
  }

  /** Ends early when the signal aborts. */
  async rest(signal: AbortSignal, log: (message: string) => void, error: OwnDiskError): Promise<void> {
    log(
      `This component released the sub-job and claims none for ${this.#ms / 1_000} s, so that other hosts process it: ${error.message}`,
    );
    await sleep(this.#ms, undefined, { signal }).catch(() => undefined);
    this.#ms = Math.min(2 * this.#ms, LONGEST_PAUSE_MS);
  }
}
