import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';

/** SHA-256 of the file's bytes, in hex; memory use does not grow with the file. `onBytes` hears of each chunk's length. */
export async function hashFile(
  path: string,
  signal?: AbortSignal,
  onBytes: (bytes: number) => void = () => undefined,
): Promise<string> {
  const hash = createHash('sha256');
  const options = signal === undefined ? {} : { signal };
  const file = createReadStream(path, { highWaterMark: 1 << 20 });
  file.on('data', (chunk) => onBytes(chunk.length));
  await pipeline(file, hash, options);
  return hash.digest('hex');
}
