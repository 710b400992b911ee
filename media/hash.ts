import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';

/** SHA-256 of the file's bytes, in hex; memory use does not grow with the file. */
export async function hashFile(path: string, signal?: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  const options = signal === undefined ? {} : { signal };
  await pipeline(createReadStream(path, { highWaterMark: 1 << 20 }), hash, options);
  return hash.digest('hex');
}
