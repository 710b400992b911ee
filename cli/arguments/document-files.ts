/** The files that a detection document names, with their paths on the service. */
import { createReadStream } from 'node:fs';
import path from 'node:path';
import { artifactHref, markupHref, mediumHref, selectorsOutputHref } from '../../results/document/hrefs.ts';
import { jsonPieces, type Path } from '../../results/json-pieces.ts';

export interface DocumentFile {
  readonly kind: 'medium' | 'derived' | 'markup' | 'selectors-output' | 'artifact';
  /** Path relative to the job. Null if the service does not have the file. */
  readonly href: string | null;
  readonly uri: string;
  /** Target file, relative to the folder of the job. */
  readonly file: string;
}

/** Yields each file about once. Exact removal of duplicates would need memory in proportion to the document. */
export async function* filesOf(document: string): AsyncGenerator<DocumentFile> {
  let [mediaId, isDerived] = [-1, false];
  const seen = new Set<string>();
  for await (const { path: at, value } of jsonPieces(createReadStream(document), () => false)) {
    const [root, place, key] = at;
    if (root !== 'media' || typeof place !== 'number') continue;
    // The ids of a medium come before its other members.
    if (at.length === 3 && key === 'mediaId') mediaId = Number(value);
    if (at.length === 3 && key === 'parentMediaId') isDerived = Number(value) >= 0;
    const file =
      typeof value === 'string' && value !== '' ? fileAt(at, mediaId, value, isDerived) : undefined;
    if (file === undefined || seen.has(file.uri)) continue;
    if (seen.size >= REMEMBERED) seen.clear();
    if (file.kind === 'artifact') seen.add(file.uri);
    yield file;
  }
}

/** Number of recent pictures that are remembered. An exemplar has the same picture as one of its detections. */
const REMEMBERED = 50_000;

function fileAt(at: Path, mediaId: number, uri: string, isDerived: boolean): DocumentFile | undefined {
  const isHere = /^file:/i.test(uri);
  const name = `${mediaId}-${nameIn(uri)}`;
  if (at.length === 3 && at[2] === 'path')
    return {
      kind: isDerived ? 'derived' : 'medium',
      href: isHere ? mediumHref(mediaId) : null,
      uri,
      file: path.join('media', name),
    };
  if (at.length === 4 && at[2] === 'markupResult' && at[3] === 'path')
    return {
      kind: 'markup',
      href: isHere ? markupHref(mediaId) : null,
      uri,
      file: path.join('markup', name),
    };
  if (at.length === 3 && at[2] === 'mediaSelectorsOutputUri') {
    const href = isHere ? selectorsOutputHref(mediaId) : null;
    return { kind: 'selectors-output', href, uri, file: path.join('selectors-output', `${mediaId}.json`) };
  }
  if (!isOfDetection(at)) return undefined;
  const href = artifactHref(uri);
  return { kind: 'artifact', href, uri, file: path.join(...(href ?? `artifacts/${name}`).split('/')) };
}

/** True if the path leads to a picture of a detection. Properties of detections may have any name, and do not count. */
const isOfDetection = (at: Path) =>
  at.at(-1) === 'artifactPath' &&
  (at.at(-2) === 'exemplar' || (typeof at.at(-2) === 'number' && at.at(-3) === 'detections'));

const LONGEST = 120;

/** Returns the last part of an address as a file name that is valid on every system. */
function nameIn(uri: string): string {
  const last =
    uri
      .replace(/[?#].*$/s, '')
      .split('/')
      .at(-1) ?? '';
  return decodeText(last)
    .replaceAll(/[\p{Cc}\p{Cf}<>:"/\\|?*]/gu, '_')
    .slice(-LONGEST);
}

function decodeText(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
