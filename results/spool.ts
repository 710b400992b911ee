/**
 * Results of sub-jobs as files: written with back-pressure, bounded, durable before they get their final name. The server
 * only ever moves bytes here; what the bytes mean is looked at by `check.ts` off its event loop.
 */
import { randomUUID } from 'node:crypto';
import { constants, existsSync, lstatSync, opendirSync, type Dir } from 'node:fs';
import { mkdir, open, readdir, rename, rm, rmdir, unlink, type FileHandle } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { Readable } from 'node:stream';

export interface SpoolLimits {
  readonly maxBytes: number;
  readonly maxLines: number;
}

export interface Received {
  readonly bytes: number;
  /** Lines, counting a last one that has no line break. */
  readonly lines: number;
}

/** A result larger than its sub-job may answer. The stream is left open, so that the sender can still be answered. */
export class FloodError extends Error {
  readonly limit: keyof SpoolLimits;
  constructor(limit: keyof SpoolLimits, value: number) {
    super(`The result was refused: it has more than ${value} ${limit === 'maxBytes' ? 'bytes' : 'lines'}.`);
    this.name = 'FloodError';
    this.limit = limit;
  }
}

const PART = '.part';
const LINE_BREAK = 10;

/**
 * Writes a stream to a part file beside `finalPath`, syncs it and renames it, so that the final name only ever stands for
 * a complete result. Whatever goes wrong, the part file is gone; FloodError past a limit. `arriving` is given every chunk.
 */
export async function receive(
  stream: Readable | AsyncIterable<Uint8Array | string>,
  finalPath: string,
  limits: SpoolLimits,
  arriving?: (data: Buffer) => void,
): Promise<Received> {
  const source = stream instanceof Readable ? stream : Readable.from(stream, { objectMode: true });
  // An error between two reads, or after a refusal, has no reader to go to and would end the process.
  source.on('error', () => undefined);
  const folder = dirname(resolve(finalPath));
  await makeFolder(folder);
  const part = join(folder, `${basename(finalPath)}.${randomUUID()}${PART}`);
  try {
    const received = await writePart(source, part, limits, arriving);
    await rename(part, finalPath);
    await syncFolder(folder);
    return received;
  } catch (error) {
    await unlink(part).catch(() => undefined);
    throw error;
  }
}

async function writePart(
  source: Readable,
  part: string,
  limits: SpoolLimits,
  arriving: ((data: Buffer) => void) | undefined,
): Promise<Received> {
  const file = await open(part, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
  try {
    const received = await copy(source, file, limits, arriving);
    await file.sync();
    return received;
  } finally {
    await file.close();
  }
}

async function copy(
  source: Readable,
  file: FileHandle,
  limits: SpoolLimits,
  arriving: ((data: Buffer) => void) | undefined,
): Promise<Received> {
  let bytes = 0;
  let breaks = 0;
  let last = LINE_BREAK;
  for await (const chunk of source.iterator({ destroyOnReturn: false })) {
    const data = typeof chunk === 'string' ? Buffer.from(chunk) : asBuffer(chunk as Uint8Array);
    if (data.length === 0) continue;
    arriving?.(data);
    bytes += data.length;
    breaks += countBreaks(data);
    last = data[data.length - 1] ?? last;
    if (bytes > limits.maxBytes) throw new FloodError('maxBytes', limits.maxBytes);
    if (breaks > limits.maxLines) throw new FloodError('maxLines', limits.maxLines);
    await writeAll(file, data);
  }
  const lines = breaks + (last === LINE_BREAK ? 0 : 1);
  if (lines > limits.maxLines) throw new FloodError('maxLines', limits.maxLines);
  return { bytes, lines };
}

function asBuffer(chunk: Uint8Array): Buffer {
  return Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
}

function countBreaks(data: Buffer): number {
  let count = 0;
  for (let at = data.indexOf(LINE_BREAK); at >= 0; at = data.indexOf(LINE_BREAK, at + 1)) count += 1;
  return count;
}

async function writeAll(file: FileHandle, data: Buffer): Promise<void> {
  for (let at = 0; at < data.length;) at += (await file.write(data, at)).bytesWritten;
}

/** Makes a folder, and makes its own entry durable when it is new. */
async function makeFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true });
  if (first === undefined) return;
  for (let path = folder; path.length >= first.length; path = dirname(path)) await syncFolder(dirname(path));
}

/** A rename is durable only when the folder that holds the name is. Windows cannot sync folders and needs not. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, constants.O_RDONLY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** A folder of no more files and folders than this is removed one by one. */
const FEW = 8;

/** Removes a folder with all that is in it; content when there is none. */
export async function removeFolder(folder: string): Promise<void> {
  const few = fewBelow(folder);
  // Most jobs have only some of their folders: to look is far cheaper than to remove what is not there.
  if (few === 'none') return;
  if (few === 'many' || !(await areRemoved([...few, { path: folder, isFolder: true }])))
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
}

interface Below {
  readonly path: string;
  readonly isFolder: boolean;
}

/** False: something else came in between, or went. */
async function areRemoved(entries: readonly Below[]): Promise<boolean> {
  try {
    for (const { path, isFolder } of entries) await (isFolder ? rmdir(path) : unlink(path));
    return true;
  } catch {
    return false;
  }
}

/** All that is below a folder, what is in a folder before it, when that is little. */
function fewBelow(folder: string, depth = 1): readonly Below[] | 'many' | 'none' {
  if (depth > FEW) return 'many';
  let entries: Dir;
  try {
    entries = opendirSync(folder);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'none' : 'many';
  }
  const found: Below[] = [];
  try {
    for (let entry = entries.readSync(); entry !== null; entry = entries.readSync()) {
      const path = join(folder, entry.name);
      const below = entry.isDirectory() ? fewBelow(path, depth + 1) : [];
      if (typeof below === 'string') return 'many';
      found.push(...below, { path, isFolder: entry.isDirectory() });
      if (found.length > FEW) return 'many';
    }
    return found;
  } finally {
    entries.closeSync();
  }
}

/** Removes all files below a folder but those that are kept; content when there is no such folder. Paths are absolute. */
export function removeOthers(folder: string, isKept: (path: string) => boolean): Promise<void> {
  return removeFiles(folder, (path) => !isKept(path));
}

/** Removes what was never finished below a folder: a process that is killed leaves the file that it was writing. */
export function removeParts(folder: string): Promise<void> {
  return removeFiles(folder, (path) => path.endsWith(PART));
}

async function removeFiles(folder: string, goes: (path: string) => boolean): Promise<void> {
  // Most jobs have only some of their folders: see `removeFolder`.
  if (!existsSync(folder)) return;
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(ifMissing([]));
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && goes(path)) await rm(path, { force: true });
  }
}

const ifMissing =
  <T>(missing: T) =>
  (error: unknown): T => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return missing;
    throw error;
  };

/** Removes one file; content when there is none. */
export async function removeFile(path: string): Promise<void> {
  // To look is far cheaper than to remove what is not there.
  if (lstatSync(path, { throwIfNoEntry: false }) !== undefined)
    await unlink(path).catch(ifMissing(undefined));
}
