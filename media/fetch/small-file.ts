import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

/** Files up to this size are read and written synchronously, because asynchronous calls would take longer. */
export const SMALL_BYTES = 256 * 1024;

/** Returns the bytes of a small regular file. Returns undefined for other files and for a file that grows while it is read. */
export function smallFile(path: string): Buffer | undefined {
  // Without O_NONBLOCK, opening a pipe that has no writer would block.
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const found = fstatSync(file);
    if (!found.isFile() || found.size > SMALL_BYTES) return undefined;
    // One more byte than the size. A file that grew meanwhile is treated as large.
    const bytes = Buffer.allocUnsafe(found.size + 1);
    const read = readSync(file, bytes, 0, bytes.length, 0);
    return read === found.size ? bytes.subarray(0, read) : undefined;
  } finally {
    closeSync(file);
  }
}
