/**
 * Cheap checks of media URIs. The server checks when a job is created, and the media component checks again before it reads. The server may
 * import only this file of the folder.
 */
import { constants } from 'node:fs';
import { access, realpath, stat } from 'node:fs/promises';
import { dirname, resolve, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { withoutData } from '../../domain/job/censor.ts';
import { MediumError, OutsideRootsError } from '../medium-error.ts';

const SCHEMES = ['file', 'http', 'https', 'data'] as const;
export type MediaScheme = (typeof SCHEMES)[number];

/** Returns the scheme of a URI. Throws MEDIA_INITIALIZATION if the scheme is missing or unknown. */
export function schemeOf(uri: string): MediaScheme {
  const written = /^([a-z][a-z0-9+.-]*):/i.exec(uri)?.[1]?.toLowerCase();
  if (written === undefined) throw refusal(`URI scheme not defined${uriOfPath(uri)}`);
  const scheme = SCHEMES.find((known) => known === written);
  if (scheme === undefined) throw refusal('Unsupported URI scheme');
  return scheme;
}

/** Advice for an error message when the text looks like a file path instead of a URI. */
const uriOfPath = (uri: string) =>
  uri.startsWith('/') ? `: write ${pathToFileURL(uri).href} for the file of this path` : '';

/**
 * Returns the URI for messages and logs: without user, password, query (signatures, camera passwords) and data. An unencoded password can
 * make the parts ambiguous. Then only the scheme is shown.
 */
export function shownUri(uri: string): string {
  if (/^data:/i.test(uri)) return withoutData(uri);
  const scheme = /^[a-z][a-z0-9+.-]{0,20}:\/\//i.exec(uri)?.[0] ?? '';
  const rest = uri.slice(scheme.length);
  const end = rest.search(/[/?#]/);
  const authority = end < 0 ? rest : rest.slice(0, end);
  const at = authority.lastIndexOf('@');
  const host = authority.slice(at + 1);
  // After a colon, text that looks like a path or a query may be the rest of a password.
  if (authority.includes(':') && rest.includes('@', authority.length)) return `${scheme}<hidden>`;
  const behind = rest.slice(authority.length);
  const query = behind.search(/[?#]/);
  const path = query < 0 ? behind : behind.slice(0, query);
  return `${scheme}${at < 0 ? '' : '<hidden>@'}${host}${path}${behind[query] === '?' ? '?<hidden>' : ''}`;
}

/**
 * Resolves a `file:` URI to the real path of a readable regular file in one of the roots. `roots` and `excluded` are resolved folders. When
 * a root and an excluded folder both contain the file, the deeper folder decides, so a root may be inside an excluded folder. A file there
 * must be named without symbolic links, because its name shows who uses it.
 * @throws MEDIA_INITIALIZATION.
 */
export async function checkFileUri(
  uri: string,
  roots: readonly string[],
  excluded: readonly string[],
): Promise<string> {
  const path = filePath(uri);
  const real = await resolveWithin(path, roots);
  if (!within(real, roots)) throw outside();
  if (depth(real, excluded) >= depth(real, roots))
    throw refusal('The file is in DATA_DIR, which is never read as media');
  if (within(real, excluded) && resolve(path) !== real)
    throw refusal(
      'The URI leads to an uploaded medium by another name: use the mediaUri in the answer to its upload',
    );
  if (!(await stat(real)).isFile()) throw refusal('The URI does not name a regular file');
  try {
    await access(real, constants.R_OK);
  } catch {
    throw refusal('File is not readable');
  }
  return real;
}

function filePath(uri: string): string {
  if (schemeOf(uri) !== 'file') throw refusal('Unsupported URI scheme');
  if (!URL.canParse(uri)) throw refusal('The file URI is malformed');
  const url = new URL(uri);
  if (url.hostname !== '') throw refusal('A file URI must name a file of this host: write file:///path');
  if (url.search !== '' || url.hash !== '')
    throw refusal('A file URI takes no query and no fragment: write ? as %3F and # as %23');
  try {
    const path = fileURLToPath(url);
    if (!path.includes('\0')) return path;
  } catch {
    // An encoded slash or a broken escape.
  }
  throw refusal('The file URI is malformed');
}

/** Resolves the path. The error does not reveal whether a file outside the roots exists. */
async function resolveWithin(path: string, roots: readonly string[]): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (!within(await nearestFolder(path), roots)) throw outside();
    const missing =
      error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
    throw refusal(missing ? 'File does not exist' : 'File is not readable');
  }
}

async function nearestFolder(path: string): Promise<string> {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    try {
      return await realpath(folder);
    } catch {
      if (folder === dirname(folder)) return folder;
    }
  }
}

function within(path: string, folders: readonly string[]): boolean {
  return depth(path, folders) >= 0;
}

/** Length of the deepest folder that contains the path; -1 if none does. */
function depth(path: string, folders: readonly string[]): number {
  const holding = folders.filter(
    (folder) => path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep),
  );
  return Math.max(-1, ...holding.map(({ length }) => length));
}

const outside = () =>
  new OutsideRootsError(
    'MEDIA_INITIALIZATION',
    'MEDIA_ROOTS does not contain the folder of this file. Add the folder to MEDIA_ROOTS, or upload the file',
  );

function refusal(message: string): MediumError {
  return new MediumError('MEDIA_INITIALIZATION', message);
}
