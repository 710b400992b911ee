/** Receives a file of a client: with back-pressure, a size limit and a hash. The file is synced before it is renamed. */
import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { copyInto } from '../files/copy-into.ts';
import { PART, writeWhole } from '../files/part-file.ts';

export interface ReceivedFile {
  readonly bytes: number;
  /** Hex SHA-256. */
  readonly sha256: string;
}

/**
 * Writes a stream to `path`, whose folder must exist. `grows` gets the size before each piece is written and throws if it is too large.
 * After an error, no file is left. The stream stays open, so its sender can still be answered.
 */
export async function receiveFile(
  source: Readable,
  path: string,
  grows: (bytes: number) => void | Promise<void>,
): Promise<ReceivedFile> {
  const hash = createHash('sha256');
  const arriving = async (data: Buffer, size: number) => {
    await grows(size);
    hash.update(data);
  };
  const kept = { part: path + PART, durable: 'name' } as const;
  const bytes = await writeWhole(path, (file) => copyInto(source, file, arriving), kept);
  return { bytes, sha256: hash.digest('hex') };
}
