import { statfsSync } from 'node:fs';
import type { Logger } from '../../config/logger.ts';
import type { Clock } from '../basics/clock.ts';
import type { SystemMessageService } from './service.ts';

/**
 * Free bytes for this user on the disk of a folder. The call is synchronous, because the system has the number in memory. Another thread
 * for each new job would take five times as long.
 */
export function freeBytes(folder: string): Promise<number> {
  return new Promise((resolve) => {
    const { bavail, bsize } = statfsSync(folder);
    resolve(bavail * bsize);
  });
}

const FULL_DISK = new Set(['ENOSPC', 'EDQUOT', 'EROFS']);

/** True if a write failed because the disk is full or read-only. */
export const isFull = (error: unknown): boolean => FULL_DISK.has((error as NodeJS.ErrnoException).code ?? '');

export interface DiskWatchDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly messages: Pick<SystemMessageService, 'announce' | 'remove'>;
  readonly minFreeBytes: number;
  /** Time between two checks. */
  readonly everyMs: number;
  /** Returns the free bytes on the disk of DATA_DIR. */
  free(): Promise<number>;
}

/** Share of additional free space before the disk counts as having room again. It prevents repeated reports at the limit. */
const SPARE = 0.1;

/** Reports a nearly full disk once, in the log and in a system message, and removes the message when there is space again. */
export class DiskWatch {
  readonly #deps: DiskWatchDeps;
  #low = false;
  /** Id of the current message. Undefined if there is none. On a full disk it may take a while to post or remove it. */
  #message: number | undefined;

  constructor(deps: DiskWatchDeps) {
    this.#deps = deps;
  }

  async look(): Promise<void> {
    const { minFreeBytes, logger } = this.#deps;
    const free = await this.#deps.free();
    if (!this.#low && free < minFreeBytes) {
      this.#low = true;
      logger.warn({ free, minFreeBytes }, 'the disk is nearly full: new jobs and uploads are refused');
    } else if (this.#low && free >= minFreeBytes + minFreeBytes * SPARE) {
      this.#low = false;
      logger.info({ free, minFreeBytes }, 'the disk has space again: new jobs and uploads are accepted');
    }
    await this.#tell();
  }

  /** Updates the message to the state of the disk. */
  async #tell(): Promise<void> {
    const { messages } = this.#deps;
    if (this.#low) this.#message ??= await messages.announce({ msg: MESSAGE, ...KIND });
    else if (this.#message !== undefined) {
      await messages.remove(this.#message);
      this.#message = undefined;
    }
  }
}

const MESSAGE =
  'The disk of the service is nearly full: new jobs and uploads are refused until an administrator makes room or old jobs are deleted.';
const KIND = { msgType: 'all', removeStrategy: 'atServerStartup', severity: 'warning' } as const;

/** Checks regularly until the returned function is called. */
export function startDiskWatch(deps: DiskWatchDeps): () => void {
  const watch = new DiskWatch(deps);
  let cancel = () => {};
  let stopped = false;
  const look = () =>
    void watch
      .look()
      .catch((err: unknown) => deps.logger.warn({ err }, 'the free disk space could not be read'))
      .finally(() => {
        if (!stopped) cancel = deps.clock.after(deps.everyMs, look);
      });
  look();
  return () => {
    stopped = true;
    cancel();
  };
}
