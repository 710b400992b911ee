/** Errors of this host's disk, which stores fetched files. If it is full or read-only, other hosts can still do the work. */
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from './failure.ts';

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

/** An error of this host. Neither the work nor the connection to the server is the cause. */
export class OwnDiskError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'OwnDiskError';
  }
}

/** Converts errors of the file system to `OwnDiskError`. Other errors are unchanged. */
export async function onOwnDisk<T>(doing: Promise<T>): Promise<T> {
  try {
    return await doing;
  } catch (error) {
    if (typeof (error as NodeJS.ErrnoException).errno !== 'number') throw error;
    const why = `Fetched media cannot be kept (MEDIA_CACHE_FOLDER): ${messageOf(error)}`;
    throw new OwnDiskError(why, { cause: error });
  }
}

/** Pauses of a component that released a sub-job because of its disk. It claims no other one for a while, and longer each time. */
export class DiskPause {
  #ms = FIRST_PAUSE_MS;

  noteWork(): void {
    this.#ms = FIRST_PAUSE_MS;
  }

  /** Waits. Ends early if the signal aborts. */
  async rest(signal: AbortSignal, log: (message: string) => void, error: OwnDiskError): Promise<void> {
    log(
      `This component released the sub-job and claims none for ${this.#ms / 1_000} s, so that other hosts process it: ${error.message}`,
    );
    await sleep(this.#ms, undefined, { signal }).catch(() => undefined);
    this.#ms = Math.min(2 * this.#ms, LONGEST_PAUSE_MS);
  }
}
