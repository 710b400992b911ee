import { createHash } from 'node:crypto';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { open } from 'node:fs/promises';

const MOST_AT_ONCE = 1 << 20;
/** A file up to this size is read at once: to wait for other threads at each step would take longer. */
const SMALL_BYTES = 256 * 1024;

/** SHA-256 of the file's bytes, in hex; memory use does not grow with the file. `onBytes` hears of each piece's length. */
export async function hashFile(
  path: string,
  signal?: AbortSignal,
  onBytes: (bytes: number) => void = () => undefined,
): Promise<string> {
  const small = smallFile(path);
  if (small !== undefined) {
    onBytes(small.length);
    return createHash('sha256').update(small).digest('hex');
  }
  const hash = createHash('sha256');
  const file = await open(path);
  try {
    const piece = Buffer.allocUnsafe(MOST_AT_ONCE);
    for (;;) {
      signal?.throwIfAborted();
      const { bytesRead } = await file.read(piece, 0, piece.length);
      if (bytesRead === 0) return hash.digest('hex');
      hash.update(piece.subarray(0, bytesRead));
      onBytes(bytesRead);
    }
  } finally {
    await file.close();
  }
}

function smallFile(path: string): Buffer | undefined {
  const file = openSync(path, 'r');
  try {
    const { size } = fstatSync(file);
    if (size > SMALL_BYTES) return undefined;
    // One byte more than there should be: a file that grows is read as a large one.
    const bytes = Buffer.allocUnsafe(size + 1);
    const read = readSync(file, bytes, 0, bytes.length, 0);
    return read === size ? bytes.subarray(0, read) : undefined;
  } finally {
    closeSync(file);
  }
}
