/**
 * Provides a medium as a local file. `file:` media stay in place; `http(s):` media (also from buckets) and `data:` media are written to a
 * new file.
 */
import { constants } from 'node:fs';
import { mkdir, open, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { partOf, type FetchLimits } from '../../protocol/media-work.ts';
import type { BucketObject } from '../../domain/types.ts';
import { writeWhole, writeWholeSync } from '../../files/part-file.ts';
import { decodeDataUri } from './data-uri.ts';
import { checkFileUri, schemeOf } from './file-uris.ts';
import type { DownloadOptions } from './download.ts';
import { MediumError } from '../medium-error.ts';
import { SMALL_BYTES } from './small-file.ts';

export interface Retrieved {
  /** Absolute path of a regular file. */
  readonly path: string;
}

export interface RetrieveOptions extends DownloadOptions {
  /** The object that the address names. It is fetched with the keys of its bucket. */
  readonly object?: BucketObject | undefined;
}

/**
 * Fetches a medium.
 * @throws MEDIA_INITIALIZATION if the URI or file is unsuitable, REMOTE_STORAGE_DOWNLOAD if the download failed, LOCAL_STORAGE if the copy
 * could not be written. If `signal` aborts, its reason is thrown unchanged.
 */
export async function retrieve(
  uri: string,
  fetchTo: string,
  limits: FetchLimits,
  signal: AbortSignal,
  { object, ...options }: RetrieveOptions = {},
): Promise<Retrieved> {
  signal.throwIfAborted();
  switch (schemeOf(uri)) {
    case 'file':
      return { path: await localFile(uri, limits) };
    case 'data': {
      const data = decodeDataUri(uri, limits.maxBytes);
      return data.length > SMALL_BYTES
        ? await writeMedium(fetchTo, (file) => file.writeFile(data))
        : await storeMedium(fetchTo, () =>
            writeWholeSync(fetchTo, data, { part: partOf(fetchTo), durable: 'bytes' }),
          );
    }
    case 'http':
    case 'https':
      return await writeMedium(fetchTo, async (file) => {
        // Loaded only for the first medium that is downloaded.
        const { download, downloadObject } = await import('./download.ts');
        if (object === undefined) await download(uri, file, limits, signal, options);
        else await downloadObject(uri, object, file, limits, signal, options);
      });
  }
}

/** Checks that the file can be read. Opens it without following a link that was created after the check of the URI. */
async function localFile(uri: string, limits: FetchLimits): Promise<string> {
  const path = await checkFileUri(uri, limits.mediaRoots, limits.excluded);
  let file: FileHandle;
  try {
    file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    throw new MediumError('MEDIA_INITIALIZATION', 'File is not readable', { cause: error });
  }
  try {
    if (!(await file.stat()).isFile())
      throw new MediumError('MEDIA_INITIALIZATION', 'The URI does not name a regular file');
    return path;
  } finally {
    await file.close();
  }
}

/** Writes the file durably. The file gets its name only when it is complete. */
function writeMedium(path: string, write: (file: FileHandle) => Promise<void>): Promise<Retrieved> {
  return storeMedium(path, async () => {
    await mkdir(dirname(path), { recursive: true });
    await writeWhole(path, write, { part: partOf(path), durable: 'bytes' });
  });
}

async function storeMedium(path: string, write: () => Promise<void> | void): Promise<Retrieved> {
  try {
    await write();
    return { path };
  } catch (error) {
    throw isStorageError(error)
      ? new MediumError('LOCAL_STORAGE', `The medium could not be stored: ${error.message}`, { cause: error })
      : error;
  }
}

function isStorageError(error: unknown): error is Error {
  return error instanceof Error && 'syscall' in error && 'errno' in error && !(error instanceof MediumError);
}
