import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

/** A file up to this size is read and written synchronously: asynchronous calls would take longer. */
export const SMALL_BYTES = 256 * 1024;

/** The bytes of a small regular file; undefined for all else, and for one that grows while it is read. */
export function smallFile(path: string): Buffer | undefined {
  // A pipe that nobody writes to would hold up whoever opens it otherwise.
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const found = fstatSync(file);
    if (!found.isFile() || found.size > SMALL_BYTES) return undefined;
    // One byte more than there should be: a file that grows is read as a large one.
    const bytes = Buffer.allocUnsafe(found.size + 1);
    const read = readSync(file, bytes, 0, bytes.length, 0);
    return read === found.size ? bytes.subarray(0, read) : undefined;
  } finally {
    closeSync(file);
  }
}
