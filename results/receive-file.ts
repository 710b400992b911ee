/** A file that a client sends: written with back-pressure, bounded, hashed on the way, durable before it gets its name. */
import { createHash } from 'node:crypto';
import { open, rename, unlink, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Readable } from 'node:stream';
import { syncFolder } from './spool.ts';

export interface ReceivedFile {
  readonly bytes: number;
  /** Hex SHA-256. */
  readonly sha256: string;
}

/** Ending of a file that is not whole. */
export const PART = '.part';

/**
 * Writes a stream to `path`, whose folder exists. `grows` is told the size before each piece is written and throws when it
 * is too much. Whatever goes wrong, nothing is left; the stream stays open, so that its sender can still be answered.
 */
export async function receiveFile(
  source: Readable,
  path: string,
  grows: (bytes: number) => void | Promise<void>,
): Promise<ReceivedFile> {
  const part = path + PART;
  const file = await open(part, 'wx', 0o600);
  try {
    const received = await writeAndClose(source, file, grows);
    await rename(part, path);
    await syncFolder(dirname(path));
    return received;
  } catch (error) {
    await unlink(part).catch(() => undefined);
    throw error;
  }
}

async function writeAndClose(...given: Parameters<typeof write>): Promise<ReceivedFile> {
  try {
    return await write(...given);
  } finally {
    await given[1].close();
  }
}

async function write(
  source: Readable,
  file: FileHandle,
  grows: (bytes: number) => void | Promise<void>,
): Promise<ReceivedFile> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of source.iterator({ destroyOnReturn: false })) {
    const data = chunk as Uint8Array;
    await grows(bytes + data.length);
    hash.update(data);
    for (let at = 0; at < data.length;) at += (await file.write(data, at)).bytesWritten;
    bytes += data.length;
  }
  await file.sync();
  return { bytes, sha256: hash.digest('hex') };
}
