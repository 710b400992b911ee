/** Files for clients: opened once, checked by the open handle, and streamed. */
import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import type { Readable } from 'node:stream';

export interface FileFacts {
  readonly bytes: number;
  /** Whole milliseconds since the epoch. */
  readonly modified: number;
  /** A strong ETag, which changes with each write of the file. */
  readonly etag: string;
}

/** A file that stays open until it is streamed or closed. */
export interface ServedFile extends FileFacts {
  /** Distinguishes it from every other file of this host. */
  readonly identity: string;
  /** The whole file, or a part (both ends included). The stream closes the file at its end. */
  stream(part?: { readonly start: number; readonly end: number }): Readable;
  close(): Promise<void>;
}

/** Does not follow a symbolic link, and does not wait for the other end of a pipe. */
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

const ABSENT = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES', 'EPERM', 'ENAMETOOLONG', 'ENXIO']);

/** Returns undefined if the path is no readable regular file. */
export async function openServed(path: string): Promise<ServedFile | undefined> {
  let file: FileHandle;
  try {
    file = await open(path, FLAGS);
  } catch (error) {
    if (ABSENT.has((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
  try {
    const stat = await file.stat({ bigint: true });
    if (stat.isFile()) {
      const bytes = Number(stat.size);
      return {
        bytes,
        modified: Number(stat.mtimeMs),
        etag: `"${stat.size.toString(36)}-${stat.mtimeNs.toString(36)}-${stat.ino.toString(36)}"`,
        identity: `${stat.dev}.${stat.ino}`,
        // An empty file has no first byte.
        stream: (part = { start: 0, end: Math.max(0, bytes - 1) }) => file.createReadStream({ ...part }),
        close: () => file.close(),
      };
    }
  } catch (error) {
    await file.close();
    throw error;
  }
  await file.close();
  return undefined;
}
