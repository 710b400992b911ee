/** Which media a server accepts, by its settings and by checks that do not read the medium. */
import { realpath } from 'node:fs/promises';
import path from 'node:path';
import type { FetchLimits } from '../../protocol/media-work.ts';
import type { Settings } from '../../config/settings.ts';
import type { MediumProblem } from '../../domain/types.ts';
import { checkFileUri, schemeOf } from './file-uris.ts';
import { MediumError, OutsideRootsError } from '../medium-error.ts';

/** Returns the limits for fetching media. Of DATA_DIR, only uploads are readable as media, even if MEDIA_ROOTS contains it. */
export async function fetchLimits(settings: Settings, uploads: string): Promise<FetchLimits> {
  const [dataDir = ''] = await resolveFolders([settings.DATA_DIR]);
  const roots = await resolveFolders(settings.MEDIA_ROOTS);
  const foreign = roots.filter((root) => path.relative(dataDir, root).split(path.sep)[0] === '..');
  return {
    mediaRoots: [...foreign, uploads],
    excluded: [dataDir],
    maxBytes: settings.MAX_MEDIUM_BYTES,
    timeoutMs: settings.MEDIUM_FETCH_MS,
    allowPrivate: settings.FETCH_PRIVATE,
  };
}

/** Resolves symbolic links of folders. Folders that do not exist are left out. */
async function resolveFolders(folders: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(folders.map((folder) => realpath(folder).catch(() => undefined)));
  return found.filter((folder) => folder !== undefined);
}

/** Returns why a medium cannot be used, as far as a check without reading can find out. */
export async function checkMedium(
  uri: string,
  { mediaRoots, excluded }: FetchLimits,
): Promise<MediumProblem | undefined> {
  try {
    const scheme = schemeOf(uri);
    if (scheme === 'file') await checkFileUri(uri, mediaRoots, excluded);
    else if (scheme !== 'data' && !URL.canParse(uri))
      return { code: 'MEDIA_INITIALIZATION', message: 'The media URI is malformed' };
    return undefined;
  } catch (error) {
    if (error instanceof MediumError)
      return { code: error.code, message: error.message, outsideRoots: error instanceof OutsideRootsError };
    throw error;
  }
}
