/** The document of an earlier job, written again for the job that uses its results: other names and places, everything else unchanged. */
import { maskUri } from '../../../../domain/job/censor.ts';
import { DocumentError, documentPieces, type Found } from '../../../../results/document/document-scan.ts';

/** What has to be known of a document before it can be written anew. */
export interface Survey {
  readonly jobId: string;
  /** It is a copy already: the source stands in it. */
  readonly hasSource: boolean;
  readonly media: readonly SurveyedMedium[];
  /** Files that it names, each as often as it does. */
  readonly files: number;
}

interface SurveyedMedium {
  path: string;
  /** Made of another one by the job. */
  isDerived: boolean;
  /** Under which an archive knows it. */
  sha256: string;
  linked: string | undefined;
  hasSource: boolean;
}

export interface NewPlaces {
  readonly jobId: string;
  /** Addresses of the job's media, by the hash under which the archive knows them. */
  readonly media: ReadonlyMap<string, readonly string[]>;
  /** The address of the copy of a file. */
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

/** What to ask the service of the source for: copies are not to be had from there. */
const HREFS: ReadonlySet<string> = new Set(['href', 'artifactHref', 'mediaSelectorsOutputHref']);

/** Whether the value is the address of a file that the job has made. */
function isResult({ place, key, value }: Found, medium: SurveyedMedium | undefined): boolean {
  if (typeof value !== 'string' || value === '' || HREFS.has(key)) return false;
  if (place !== 'MEDIUM') return place === 'DETECTION' || place === 'MARKUP';
  return key === 'mediaSelectorsOutputUri' || (key === 'path' && medium?.isDerived === true);
}

/** Characters of the document that wait for a file before them to be copied. */
const WAITING_BYTES = 4 * 1024 * 1024;

/** Yields the new document; at most `ahead` files are asked for before the oldest of them is there. */
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
      // Whoever waits for it hears of its failure in its turn.
      one.catch(() => undefined);
    }
    while (isFull()) yield await next();
  }
  while (waiting.length > 0) yield await next();
}

/** The media of the new job, each taken once by those of the old one. */
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

/** What stands in the new document where this stood: as JSON, with what is new beside it. */
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
