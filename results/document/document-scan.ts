/**
 * Reads a detection document of any size once through, byte by byte, and shows the few values that matter when its
 * results are moved; all else passes unchanged. Memory does not grow with the document.
 */
import { JsonScanner, type Choice, type Flaw, type Kind, type Watcher } from '../json-scan.ts';

/** Where in a document an object or an array stands. */
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

/** A value that is shown instead of being passed on. */
export interface Found {
  readonly place: Place;
  readonly key: string;
  readonly value: unknown;
  /** Number of the medium in the document, from 0; -1 outside of them. */
  readonly medium: number;
}
export type Piece = Buffer | Found;

/** An object of this place has ended. */
export interface Left {
  readonly left: Place;
}

/** What a reader of documents looks at. */
export interface Interest {
  /** What stands under a key, or in an array under `[]`; `*` is any key. */
  readonly below: Readonly<Partial<Record<Place, Readonly<Record<string, Place>>>>>;
  /** The values that are shown, by the object that they stand in. */
  readonly shown: Readonly<Partial<Record<Place, ReadonlySet<string>>>>;
  /** Places whose end is told. */
  readonly left?: ReadonlySet<Place>;
  /** Bytes of a shown text of which the rest is left out; absent: a longer one than 64 KiB is an error. */
  readonly cutAt?: number;
  /** What stands in places that are not named is passed over as fast as its end can be found; else its brackets are looked at. */
  readonly passesOver?: true;
}

/** The text is no detection document; the message is part of a sentence. */
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

/** Longer texts are no address. */
const LONGEST_VALUE = 64 * 1024;
const LONGEST_KEY = 1_024;
const DEEPEST = 1_000;

/** An object or array that is not closed yet. */
interface Open {
  readonly place: Place;
  readonly isObject: boolean;
  key: string;
}

/** The pieces of a document in order. What is not returned is in the buffers. @throws DocumentError */
export async function* documentPieces(source: AsyncIterable<Uint8Array | string>): AsyncGenerator<Piece> {
  for await (const pieces of scanDocument(source, { below: BELOW, shown: SHOWN }))
    for (const piece of pieces) if (!('left' in piece)) yield piece;
}

/** The values that a reader wants, a chunk of the document at a time; all else is skipped. @throws DocumentError */
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

/** Holds the places of a document against what its reader is interested in. */
class DocumentWatcher implements Watcher {
  readonly #interest: Interest;
  readonly #open: Open[] = [];
  #medium = -1;
  #begun = false;
  /** What was found since somebody took it. */
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

  /** A longer key is none that matters. */
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

/** What can be read of a JSON text whose end is missing; the cut may have gone through an escape or a character. */
function cutText(text: string): string {
  let whole = text.length;
  while (text[whole - 1] === '\uFFFD') whole -= 1;
  for (let end = whole; end > Math.max(0, whole - 12); end--)
    try {
      return String(JSON.parse(`${text.slice(0, end)}"`));
    } catch {
      // One character less.
    }
  return '';
}
