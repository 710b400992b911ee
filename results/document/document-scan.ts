/**
 * Reads a detection document of any size once through, byte by byte, and shows the few values that matter when its results are
 * moved; all else passes as it stands. Memory does not grow with the document.
 */

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

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_ARRAY, CLOSE_ARRAY] = [0x7b, 0x7d, 0x5b, 0x5d];
const isBlank = (byte: number) => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
const endsScalar = (byte: number) =>
  byte === COMMA || byte === CLOSE_OBJECT || byte === CLOSE_ARRAY || isBlank(byte);

/** An object or array that is not closed yet. */
interface Open {
  readonly place: Place;
  readonly isObject: boolean;
  expectsKey: boolean;
  key: string;
}

/** The pieces of a document in order: what is not shown stands in the buffers. @throws DocumentError */
export async function* documentPieces(source: AsyncIterable<Uint8Array | string>): AsyncGenerator<Piece> {
  const scan = new Scan({ below: BELOW, shown: SHOWN });
  for await (const chunk of source)
    for (const piece of scan.take(Buffer.from(chunk as Uint8Array))) if (!('left' in piece)) yield piece;
  scan.end();
}

/** What a reader looks at, a chunk of the document at a time; all else is passed over. @throws DocumentError */
export async function* documentValues(
  source: AsyncIterable<Uint8Array>,
  interest: Interest,
): AsyncGenerator<readonly (Found | Left)[]> {
  const scan = new Scan(interest);
  for await (const chunk of source) {
    const pieces = scan.take(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
    yield pieces.filter((piece): piece is Found | Left => !Buffer.isBuffer(piece));
  }
  scan.end();
}

class Scan {
  readonly #interest: Interest;
  readonly #open: Open[] = [];
  #pieces: (Piece | Left)[] = [];
  #medium = -1;
  #begun = false;
  /** Where the document ends in the chunk that is taken. */
  #endsAt: number | undefined;
  /** What is being read over a border of chunks, too: between two texts nothing, then a text or a number. */
  #reading: 'NOTHING' | 'KEY' | 'TEXT' | 'SHOWN_TEXT' | 'SHOWN_SCALAR' = 'NOTHING';
  #escaped = false;
  /** Brackets that are open in what is passed over, and whether a text is. */
  #passing = 0;
  #passingText = false;
  #held: Buffer[] = [];
  #heldBytes = 0;

  constructor(interest: Interest) {
    this.#interest = interest;
  }

  take(chunk: Buffer): readonly (Piece | Left)[] {
    const pieces: (Piece | Left)[] = [];
    this.#pieces = pieces;
    // What stands around the document is not passed on.
    let passedOn = this.#begun ? 0 : startIn(chunk);
    let at = 0;
    while (at < chunk.length) {
      if (this.#passing > 0) {
        at = this.#passOver(chunk, at);
        continue;
      }
      if (this.#reading === 'NOTHING') {
        at = this.#toNextText(chunk, at);
        if (this.#passing > 0) continue;
        if (at < chunk.length && this.#isShown()) {
          if (at > passedOn) pieces.push(chunk.subarray(passedOn, at));
          passedOn = at;
          this.#hold(chunk.subarray(at, ++at));
        } else if (at < chunk.length) at += 1;
        continue;
      }
      const from = at;
      const [next, ended] =
        this.#reading === 'SHOWN_SCALAR' ? scalarEnd(chunk, at) : this.#textEnd(chunk, at);
      at = next;
      if (this.#reading !== 'TEXT') this.#hold(chunk.subarray(from, at));
      if (this.#isShown()) passedOn = at;
      if (ended) this.#finish();
    }
    const end = this.#endsAt ?? chunk.length;
    if (this.#endsAt !== undefined) this.#endsAt = 0;
    if (passedOn < end && !this.#isShown()) pieces.push(chunk.subarray(passedOn, end));
    return pieces;
  }

  end(): void {
    if (!this.#begun || this.#open.length > 0 || this.#passing > 0)
      throw new DocumentError('it ends before it is complete');
  }

  #isShown(): boolean {
    return this.#reading === 'SHOWN_TEXT' || this.#reading === 'SHOWN_SCALAR';
  }

  /** Goes to where the next text or shown value begins, and says in `#reading` what it is. */
  #toNextText(chunk: Buffer, from: number): number {
    let at = from;
    let open = this.#open.at(-1);
    for (; at < chunk.length; at++) {
      const byte = chunk[at]!;
      if (isBlank(byte)) continue;
      if (open === undefined && (this.#begun || byte !== OPEN_OBJECT))
        throw new DocumentError(this.#begun ? 'something follows its end' : 'it is no JSON object');
      if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
        open = this.#enter(byte === OPEN_OBJECT, open);
        if (this.#passing > 0) return at + 1;
      } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
        open = this.#leave(byte === CLOSE_OBJECT);
        if (open === undefined) this.#endsAt = at + 1;
      } else if (byte === COMMA) nextIn(open!);
      else if (byte === COLON) open!.expectsKey = false;
      else if (byte === QUOTE || this.#wants(open!)) {
        this.#reading = this.#kindOf(byte, open!);
        return at;
      }
    }
    return at;
  }

  #kindOf(byte: number, open: Open): 'KEY' | 'TEXT' | 'SHOWN_TEXT' | 'SHOWN_SCALAR' {
    if (byte !== QUOTE) return 'SHOWN_SCALAR';
    if (open.isObject && open.expectsKey) return 'KEY';
    return this.#wants(open) ? 'SHOWN_TEXT' : 'TEXT';
  }

  #wants({ place, isObject, expectsKey, key }: Open): boolean {
    return isObject && !expectsKey && this.#interest.shown[place]?.has(key) === true;
  }

  #enter(isObject: boolean, parent: Open | undefined): Open {
    if (this.#open.length >= DEEPEST) throw new DocumentError('it is nested too deeply');
    this.#begun = true;
    const below = parent === undefined ? undefined : this.#interest.below[parent.place];
    const name = parent?.isObject === false ? '[]' : (parent?.key ?? '');
    const known = below !== undefined && Object.hasOwn(below, name) ? below[name] : below?.['*'];
    const place = parent === undefined ? 'ROOT' : (known ?? 'OTHER');
    if (place === 'MEDIUM') this.#medium += 1;
    if (place === 'OTHER' && parent !== undefined && this.#interest.passesOver === true) {
      this.#passing = 1;
      return parent;
    }
    const entered: Open = { place, isObject, expectsKey: isObject, key: '' };
    this.#open.push(entered);
    return entered;
  }

  #leave(isObject: boolean): Open | undefined {
    const ended = this.#open.pop();
    if (ended?.isObject !== isObject) throw new DocumentError('its brackets do not match');
    if (this.#interest.left?.has(ended.place) === true) this.#pieces.push({ left: ended.place });
    return this.#open.at(-1);
  }

  /** Where the text goes on after what is read here, and whether it is over; the opening quote was passed already. */
  #textEnd(chunk: Buffer, from: number): readonly [number, boolean] {
    for (let at = from; at < chunk.length; at++) {
      const byte = chunk[at]!;
      if (this.#escaped) this.#escaped = false;
      else if (byte === BACKSLASH) this.#escaped = true;
      else if (byte === QUOTE) return [at + 1, true];
    }
    return [chunk.length, false];
  }

  /** Where the document goes on after what is not looked at, or the end of the chunk. */
  #passOver(chunk: Buffer, from: number): number {
    let [at, depth, inText] = [from, this.#passing, this.#passingText];
    if (this.#escaped) at += 1;
    this.#escaped = false;
    for (; at < chunk.length && depth > 0; at++) {
      const byte = chunk[at]!;
      if (byte === QUOTE) inText = !inText;
      else if (inText) at += byte === BACKSLASH ? 1 : 0;
      else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) depth += 1;
      else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) depth -= 1;
    }
    [this.#passing, this.#passingText, this.#escaped] = [depth, inText, at > chunk.length];
    return Math.min(at, chunk.length);
  }

  #hold(bytes: Buffer): void {
    this.#heldBytes += bytes.length;
    // A longer key is none that matters.
    if (this.#reading === 'KEY' && this.#heldBytes > LONGEST_KEY) return;
    const { cutAt } = this.#interest;
    if (cutAt !== undefined && this.#reading === 'SHOWN_TEXT') {
      const rest = cutAt - (this.#heldBytes - bytes.length);
      if (rest > 0) this.#held.push(Buffer.from(bytes.subarray(0, rest)));
      return;
    }
    if (this.#heldBytes > LONGEST_VALUE)
      throw new DocumentError(
        `the value of "${this.#open.at(-1)?.key}" is longer than ${LONGEST_VALUE} bytes`,
      );
    this.#held.push(bytes);
  }

  #finish(): void {
    const [reading, bytes] = [this.#reading, this.#heldBytes];
    const text = Buffer.concat(this.#held).toString('utf8');
    [this.#reading, this.#held, this.#heldBytes] = ['NOTHING', [], 0];
    const open = this.#open.at(-1)!;
    if (reading === 'TEXT') return;
    if (reading === 'KEY') {
      // Its opening quote is not held.
      open.key = bytes > LONGEST_KEY ? '' : plain(text);
      return;
    }
    const value =
      reading === 'SHOWN_TEXT' && bytes > (this.#interest.cutAt ?? Infinity) ? cutText(text) : parsed(text);
    this.#pieces.push({ place: open.place, key: open.key, value, medium: this.#medium });
  }
}

function startIn(chunk: Buffer): number {
  const at = chunk.indexOf(OPEN_OBJECT);
  return at < 0 ? chunk.length : at;
}

function nextIn(open: Open): void {
  open.expectsKey = open.isObject;
  open.key = '';
}

function scalarEnd(chunk: Buffer, from: number): readonly [number, boolean] {
  for (let at = from; at < chunk.length; at++) if (endsScalar(chunk[at]!)) return [at, true];
  return [chunk.length, false];
}

/** What a key says; hardly one has an escape. */
const plain = (text: string): string =>
  text.includes('\\') ? String(parsed(`"${text}`)) : text.slice(0, -1);

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new DocumentError('it is no JSON');
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
