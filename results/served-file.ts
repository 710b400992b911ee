/** Files that are sent to clients: opened once, examined by the open handle, and streamed. */
import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import type { Readable } from 'node:stream';

export interface FileFacts {
  readonly bytes: number;
  /** Milliseconds since the epoch, whole. */
  readonly modified: number;
  /** Strong: another one whenever the file was written. */
  readonly etag: string;
}

/** A file that stays open until it is streamed or closed. */
export interface ServedFile extends FileFacts {
  /** Tells it from every other file of this host. */
  readonly identity: string;
  /** All of it, or a part (both ends included). It closes the file at its end. */
  stream(part?: { readonly start: number; readonly end: number }): Readable;
  close(): Promise<void>;
}

/** A symbolic link is not followed, and whoever waits at the other end of a pipe is not waited for. */
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

const ABSENT = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES', 'EPERM', 'ENAMETOOLONG', 'ENXIO']);

/** Undefined: there is no regular file that can be read. */
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
