import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { smallFile } from '../fetch/small-file.ts';

const MOST_AT_ONCE = 1 << 20;

/** Returns the SHA-256 of the file in hex. Memory use does not depend on the file's size. Calls `onBytes` with the length of each chunk. */
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
