/**
 * Reads a detection document of any size in one pass and shows the few values that matter when its results are moved. All other bytes pass
 * unchanged. Memory does not grow with the document.
 */
import { JsonScanner, type Choice, type Flaw, type Kind, type Watcher } from '../json-scan.ts';

/** Kind of an object or array in a document. */
export type Place =
  | 'ROOT'
  | 'MEDIA'
  | 'MEDIUM'
  | 'PROPERTIES'
  | 'MARKUP'
  | 'OUTPUT'
  | 'ENTRIES'
  | 'ENTRY'
  | 'TRACKS'
  | 'TRACK'
  | 'DETECTIONS'
  | 'DETECTION'
  | 'TRACK_PROPERTIES'
  | 'EXEMPLAR'
  | 'OTHER';

/** A value that is shown instead of passed on. */
export interface Found {
  readonly place: Place;
  readonly key: string;
  readonly value: unknown;
  /** Position of the medium in the document, from 0; -1 outside of media. */
  readonly medium: number;
}
export type Piece = Buffer | Found;

/** Reports the end of an object in this place. */
export interface Left {
  readonly left: Place;
}

/** The parts of a document that a reader needs. */
export interface Interest {
  /** The place below each key, or below `[]` in an array. `*` is any key. */
  readonly below: Readonly<Partial<Record<Place, Readonly<Record<string, Place>>>>>;
  /** The keys of shown values, by the place of their object. */
  readonly shown: Readonly<Partial<Record<Place, ReadonlySet<string>>>>;
  /** Places whose end is reported. */
  readonly left?: ReadonlySet<Place>;
  /** Maximum bytes of a shown text; the rest is left out. Absent: a text longer than 64 KiB is an error. */
  readonly cutAt?: number;
  /** True: content of unnamed places is skipped as fast as possible. Otherwise its brackets are checked. */
  readonly passesOver?: true;
}

/** The text is no detection document. The message is part of a sentence. */
export class DocumentError extends Error {}

const BELOW: Interest['below'] = {
  ROOT: { media: 'MEDIA' },
  MEDIA: { '[]': 'MEDIUM' },
  MEDIUM: {
    output: 'OUTPUT',
    markupResult: 'MARKUP',
    mediaProperties: 'PROPERTIES',
    mediaMetadata: 'PROPERTIES',
  },
  OUTPUT: { '*': 'ENTRIES' },
  ENTRIES: { '[]': 'ENTRY' },
  ENTRY: { tracks: 'TRACKS' },
  TRACKS: { '[]': 'TRACK' },
  TRACK: { exemplar: 'DETECTION', detections: 'DETECTIONS' },
  DETECTIONS: { '[]': 'DETECTION' },
};

const SHOWN: Interest['shown'] = {
  ROOT: new Set(['jobId', 'archiveSourceJobId']),
  MEDIUM: new Set([
    ...['parentMediaId', 'path', 'sha256', 'archiveSourceMediaPath', 'mediaSelectorsOutputUri'],
    ...['href', 'mediaSelectorsOutputHref'],
  ]),
  PROPERTIES: new Set(['LINKED_MEDIA_HASH']),
  MARKUP: new Set(['path', 'href']),
  DETECTION: new Set(['artifactPath', 'artifactHref']),
};

/** Maximum bytes of a value and of a key. Longer values are no addresses. */
const LONGEST_VALUE = 64 * 1024;
const LONGEST_KEY = 1_024;
const DEEPEST = 1_000;

/** An object or array that is not closed yet. */
interface Open {
  readonly place: Place;
  readonly isObject: boolean;
  key: string;
}

/** The pieces of a document in order. Bytes that are not returned are in the buffers. @throws DocumentError */
export async function* documentPieces(source: AsyncIterable<Uint8Array | string>): AsyncGenerator<Piece> {
  for await (const pieces of scanDocument(source, { below: BELOW, shown: SHOWN }))
    for (const piece of pieces) if (!('left' in piece)) yield piece;
}

/** Yields the requested values, one chunk of the document at a time, and skips all else. @throws DocumentError */
export async function* documentValues(
  source: AsyncIterable<Uint8Array>,
  interest: Interest,
): AsyncGenerator<readonly (Found | Left)[]> {
  for await (const pieces of scanDocument(source, interest))
    yield pieces.filter((piece): piece is Found | Left => !Buffer.isBuffer(piece));
}

async function* scanDocument(
  source: AsyncIterable<Uint8Array | string>,
  interest: Interest,
): AsyncGenerator<readonly (Piece | Left)[]> {
  const watcher = new DocumentWatcher(interest);
  const limits = { keyBytes: LONGEST_KEY, valueBytes: LONGEST_VALUE, cutAt: interest.cutAt };
  const scanner = new JsonScanner(watcher, limits);
  for await (const chunk of source) {
    scanner.take(Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk as Uint8Array));
    yield watcher.found.splice(0);
  }
  scanner.end();
}

/** Compares the places of a document with the parts that its reader needs. */
class DocumentWatcher implements Watcher {
  readonly #interest: Interest;
  readonly #open: Open[] = [];
  #medium = -1;
  #begun = false;
  /** Values found since the last read of this list. */
  found: (Piece | Left)[] = [];

  constructor(interest: Interest) {
    this.#interest = interest;
  }

  begins(kind: Kind): Choice {
    const parent = this.#open.at(-1);
    if (parent === undefined && (this.#begun || kind !== 'OBJECT'))
      throw new DocumentError(this.#begun ? 'something follows its end' : 'it is not a JSON object');
    if (kind !== 'OBJECT' && kind !== 'LIST')
      return parent !== undefined && this.#wants(parent) ? 'TAKE' : 'SKIP';
    if (this.#open.length >= DEEPEST) throw new DocumentError('it is nested too deeply');
    this.#begun = true;
    const place = parent === undefined ? 'ROOT' : this.#below(parent);
    if (place === 'MEDIUM') this.#medium += 1;
    if (place === 'OTHER' && this.#interest.passesOver === true) return 'SKIP';
    this.#open.push({ place, isObject: kind === 'OBJECT', key: '' });
    return 'ENTER';
  }

  #wants({ place, isObject, key }: Open): boolean {
    return isObject && this.#interest.shown[place]?.has(key) === true;
  }

  #below({ place, isObject, key }: Open): Place {
    const below = this.#interest.below[place];
    const name = isObject ? key : '[]';
    return (below !== undefined && Object.hasOwn(below, name) ? below[name] : below?.['*']) ?? 'OTHER';
  }

  /** Longer keys are passed as undefined. None of them matters. */
  key(name = ''): void {
    this.#open.at(-1)!.key = name;
  }

  onText(text: string, isCut: boolean): void {
    const { place, key } = this.#open.at(-1)!;
    const value = isCut ? cutText(text) : parseJson(text);
    this.found.push({ place, key, value, medium: this.#medium });
  }

  listLeft(): void {
    const { place } = this.#open.pop()!;
    if (this.#interest.left?.has(place) === true) this.found.push({ left: place });
  }

  onSkipped(bytes: Buffer): void {
    this.found.push(bytes);
  }

  errorOf(flaw: Flaw): Error {
    return new DocumentError(
      flaw === 'TOO_LONG'
        ? `the value of "${this.#open.at(-1)?.key}" is longer than ${LONGEST_VALUE} bytes`
        : FLAWS[flaw],
    );
  }
}

const FLAWS: Readonly<Record<Exclude<Flaw, 'TOO_LONG'>, string>> = {
  ENDS_EARLY: 'it ends before it is complete',
  BRACKETS: 'its brackets do not match',
  NO_UTF8: 'it is not encoded in UTF-8',
};

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new DocumentError('it is not JSON');
  }
}

/** The valid part of a JSON string without its end. The cut may be inside an escape or a character. */
function cutText(text: string): string {
  let whole = text.length;
  while (text[whole - 1] === '\uFFFD') whole -= 1;
  for (let end = whole; end > Math.max(0, whole - 12); end--)
    try {
      return String(JSON.parse(`${text.slice(0, end)}"`));
    } catch {
      // Tries with one character less.
    }
  return '';
}
