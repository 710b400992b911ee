import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';

const MOST_AT_ONCE = 1 << 20;

/** SHA-256 of the file's bytes, in hex; memory use does not grow with the file. `onBytes` hears of each piece's length. */
export async function hashFile(
  path: string,
  signal?: AbortSignal,
  onBytes: (bytes: number) => void = () => undefined,
): Promise<string> {
  const hash = createHash('sha256');
  const file = await open(path);
  try {
    // No larger than the file: thousands of small ones would have the memory for large ones cleared again and again.
    const { size } = await file.stat();
    const piece = Buffer.allocUnsafe(Math.min(MOST_AT_ONCE, size + 1));
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
