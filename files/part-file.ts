/** Writes files under a temporary name and renames them when they are complete. So a name never belongs to an incomplete file. */
import { randomUUID } from 'node:crypto';
import { closeSync, fdatasyncSync, mkdirSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { open, rename, rm, type FileHandle } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { syncFolder } from './folders.ts';

/** Extension of an incomplete file. */
export const PART = '.part';

export interface PartOptions {
  /** Path of the incomplete file. A file of an earlier attempt is overwritten. Absent: a new name beside the final path. */
  readonly part?: string;
  /** What a power failure preserves: the bytes of a renamed file, or also its name. Absent: possibly neither. */
  readonly durable?: 'bytes' | 'name';
}

const MODE = 0o600;
const newPart = (path: string): string => `${path}.${randomUUID()}${PART}`;

/** For callers that write piece by piece. They must call finish or discard. A second call does nothing. */
export class PartFile {
  readonly handle: FileHandle;
  readonly #path: string;
  readonly #part: string;
  readonly #durable: PartOptions['durable'];
  #isOpen = true;

  private constructor(handle: FileHandle, path: string, part: string, durable: PartOptions['durable']) {
    this.handle = handle;
    this.#path = path;
    this.#part = part;
    this.#durable = durable;
  }

  /** Opens a part file. The folder must exist. */
  static async open(path: string, { part, durable }: PartOptions = {}): Promise<PartFile> {
    const beside = part ?? newPart(path);
    const handle = await open(beside, part === undefined ? 'wx' : 'w', MODE);
    return new PartFile(handle, path, beside, durable);
  }

  async finish(): Promise<void> {
    if (!this.#isOpen) return;
    if (this.#durable !== undefined) await this.handle.sync();
    this.#isOpen = false;
    await this.handle.close();
    await rename(this.#part, this.#path);
    if (this.#durable === 'name') await syncFolder(dirname(resolve(this.#path)));
  }

  async discard(): Promise<void> {
    if (this.#isOpen) await this.handle.close().catch(() => undefined);
    this.#isOpen = false;
    await rm(this.#part, { force: true }).catch(() => undefined);
  }
}

/** Writes a file with `write` and returns its result. On any error, the part file is deleted. */
export async function writeWhole<T>(
  path: string,
  write: (file: FileHandle) => Promise<T>,
  options: PartOptions = {},
): Promise<T> {
  const file = await PartFile.open(path, options);
  try {
    const written = await write(file.handle);
    await file.finish();
    return written;
  } catch (error) {
    await file.discard();
    throw error;
  }
}

/** The same for callers that need a path to write to. */
export async function makeWhole<T>(
  path: string,
  make: (part: string) => Promise<T>,
  { part = newPart(path) }: Pick<PartOptions, 'part'> = {},
): Promise<T> {
  try {
    const made = await make(part);
    await rename(part, path);
    return made;
  } catch (error) {
    await rm(part, { force: true }).catch(() => undefined);
    throw error;
  }
}

/** Writes a small file synchronously. Its folder is created. */
export function writeWholeSync(
  path: string,
  data: string | Buffer,
  { part = newPart(path), durable }: PartOptions = {},
): void {
  mkdirSync(dirname(path), { recursive: true });
  try {
    const file = openSync(part, 'w', MODE);
    try {
      writeFileSync(file, data);
      if (durable !== undefined) fdatasyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(part, path);
  } catch (error) {
    rmSync(part, { force: true });
    throw error;
  }
}
