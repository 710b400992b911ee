/** Rewrites the document of an earlier job for the job that reuses its results. Ids and addresses change; all else stays unchanged. */
import { maskUri } from '../../../../domain/job/censor.ts';
import { DocumentError, documentPieces, type Found } from '../../../../results/document/document-scan.ts';

/** Facts about a document that rewriting needs. */
export interface Survey {
  readonly jobId: string;
  /** True if the document is a copy that already contains its source. */
  readonly hasSource: boolean;
  readonly media: readonly SurveyedMedium[];
  /** Number of references to files, counted with repetition. */
  readonly files: number;
}

interface SurveyedMedium {
  path: string;
  /** True if the job made it from another medium. */
  isDerived: boolean;
  /** Hash by which an archive knows the medium. */
  sha256: string;
  linked: string | undefined;
  hasSource: boolean;
}

export interface NewPlaces {
  readonly jobId: string;
  /** Addresses of the job's media, by the hash by which the archive knows them. */
  readonly media: ReadonlyMap<string, readonly string[]>;
  /** Copies a file and returns the address of the copy. */
  copyFile(uri: string): Promise<string>;
}

/** @throws DocumentError */
export async function surveyOf(
  source: AsyncIterable<Uint8Array | string>,
  signal: AbortSignal,
): Promise<Survey> {
  const media: SurveyedMedium[] = [];
  let jobId: string | undefined;
  let [hasSource, files] = [false, 0];
  for await (const piece of documentPieces(source)) {
    signal.throwIfAborted();
    if (Buffer.isBuffer(piece)) continue;
    const { place, key, value, medium } = piece;
    if (place === 'ROOT') {
      if (key === 'archiveSourceJobId') hasSource = true;
      else if (typeof value === 'string') jobId = value;
      continue;
    }
    const one = (media[medium] ??= newMedium());
    if (place === 'MEDIUM') note(one, piece);
    else if (place === 'PROPERTIES' && typeof value === 'string') one.linked ??= value.trim().toLowerCase();
    else if (isResult(piece, one)) files += 1;
    if (place === 'MEDIUM' && key === 'mediaSelectorsOutputUri' && isResult(piece, one)) files += 1;
  }
  if (jobId === undefined) throw new DocumentError('it names no job');
  return { jobId, hasSource, media, files: files + media.filter(({ isDerived }) => isDerived).length };
}

const newMedium = (): SurveyedMedium => ({
  path: '',
  isDerived: false,
  sha256: '',
  linked: undefined,
  hasSource: false,
});

function note(medium: SurveyedMedium, { key, value }: Found): void {
  if (key === 'parentMediaId') medium.isDerived = typeof value === 'number' && value >= 0;
  else if (key === 'archiveSourceMediaPath') medium.hasSource = true;
  else if (key === 'path') medium.path = String(value);
  else if (key === 'sha256') medium.sha256 = String(value).toLowerCase();
}

/** Properties with links to the source's service, which does not have the copies. */
const HREFS: ReadonlySet<string> = new Set(['href', 'artifactHref', 'mediaSelectorsOutputHref']);

/** True if the value is the address of a file that the job made. */
function isResult({ place, key, value }: Found, medium: SurveyedMedium | undefined): boolean {
  if (typeof value !== 'string' || value === '' || HREFS.has(key)) return false;
  if (place !== 'MEDIUM') return place === 'DETECTION' || place === 'MARKUP';
  return key === 'mediaSelectorsOutputUri' || (key === 'path' && medium?.isDerived === true);
}

/** Maximum size of the document part that waits until an earlier file is copied. */
const WAITING_BYTES = 4 * 1024 * 1024;

/** Yields the new document. At most `ahead` files are requested before the oldest one is copied. */
export async function* rewrittenDocument(
  source: AsyncIterable<Uint8Array | string>,
  survey: Survey,
  places: NewPlaces,
  ahead: number,
): AsyncGenerator<string | Uint8Array> {
  const media = new Media(survey, places);
  const waiting: (Buffer | Promise<string>)[] = [];
  let [bytes, files] = [0, 0];
  const next = async (): Promise<Buffer | string> => {
    const one = waiting.shift()!;
    if (Buffer.isBuffer(one)) bytes -= one.length;
    else files -= 1;
    return one;
  };
  const isFull = () => waiting.length > 0 && (files === 0 || files > ahead || bytes > WAITING_BYTES);
  for await (const piece of documentPieces(source)) {
    const one = Buffer.isBuffer(piece) ? piece : valueOf(piece, survey, places, media);
    waiting.push(one);
    if (Buffer.isBuffer(one)) bytes += one.length;
    else {
      files += 1;
      // A failure is thrown later, in order. This handler prevents an unhandled rejection.
      one.catch(() => undefined);
    }
    while (isFull()) yield await next();
  }
  while (waiting.length > 0) yield await next();
}

/** Assigns media of the new job to media of the old one. Media with the same hash are assigned in order. */
class Media {
  readonly #paths: (string | undefined)[];

  constructor({ media }: Survey, places: NewPlaces) {
    const taken = new Map<string, number>();
    this.#paths = media.map(({ isDerived, linked, sha256 }) => {
      const hash = linked === undefined || linked === '' ? sha256 : linked;
      const named = places.media.get(hash);
      if (isDerived || named === undefined) return undefined;
      const nth = taken.get(hash) ?? 0;
      taken.set(hash, nth + 1);
      return named[Math.min(nth, named.length - 1)];
    });
  }

  pathOf(medium: number): string | undefined {
    const path = this.#paths[medium];
    return path === undefined ? undefined : maskUri(path);
  }
}

/** Returns the new value as JSON, with new properties beside it. */
function valueOf(found: Found, survey: Survey, places: NewPlaces, media: Media): Buffer | Promise<string> {
  const { place, key, value, medium } = found;
  if (HREFS.has(key)) return Buffer.from('null');
  const old = survey.media[medium];
  const same = JSON.stringify(value);
  if (place === 'ROOT') {
    const source = JSON.stringify(survey.jobId);
    if (key === 'archiveSourceJobId') return Buffer.from(source);
    const beside = survey.hasSource ? '' : `,"archiveSourceJobId":${source}`;
    return Buffer.from(`${JSON.stringify(places.jobId)}${beside}`);
  }
  if (place === 'MEDIUM' && key === 'archiveSourceMediaPath')
    return Buffer.from(JSON.stringify(old?.path ?? ''));
  const isPath = place === 'MEDIUM' && key === 'path';
  const beside = isPath && old?.hasSource === false ? `,"archiveSourceMediaPath":${same}` : '';
  if (isResult(found, old))
    return places.copyFile(value as string).then((uri) => `${JSON.stringify(uri)}${beside}`);
  const path = isPath ? media.pathOf(medium) : undefined;
  return Buffer.from(`${path === undefined ? same : JSON.stringify(path)}${beside}`);
}
