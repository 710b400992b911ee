/** The tokenizer of all streamed JSON. A watcher chooses which values it returns. Memory grows with the largest returned value. */
import { isUtf8 } from 'node:buffer';

export type Kind = 'OBJECT' | 'LIST' | 'TEXT' | 'OTHER';
/** TAKE: returns the value unchanged. ENTER: reads the members of an object or list. SKIP: only finds its end. */
export type Choice = 'TAKE' | 'ENTER' | 'SKIP';

/** An error in the text. */
export type Flaw = 'ENDS_EARLY' | 'BRACKETS' | 'NO_UTF8' | 'TOO_LONG';

export interface Watcher {
  /** Called at the start of a value. Returns what to do with it. */
  begins(kind: Kind): Choice;
  /** Called with the key of the next value in the object. Undefined if the key is longer than `keyBytes`. */
  key(name: string | undefined): void;
  /** Called with the JSON of a value. `isCut`: its end is left out. */
  onText(text: string, isCut: boolean): void;
  /** Called at the end of an entered object or list. */
  listLeft(): void;
  /** Called with the bytes that are not returned as values. */
  onSkipped?(bytes: Buffer): void;
  errorOf(flaw: Flaw): Error;
}

export interface ScanLimits {
  readonly keyBytes?: number;
  /** Maximum bytes of a returned text or number. */
  readonly valueBytes?: number;
  /** Bytes after which a returned text is cut. */
  readonly cutAt?: number | undefined;
  /** True: returned values must be valid UTF-8. */
  readonly strict?: boolean;
}

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_LIST, CLOSE_LIST] = [0x7b, 0x7d, 0x5b, 0x5d];
const isBlank = (byte: number): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
const isOpening = (byte: number): boolean => byte === OPEN_OBJECT || byte === OPEN_LIST;
const isClosing = (byte: number): boolean => byte === CLOSE_OBJECT || byte === CLOSE_LIST;
const endsScalar = (byte: number): boolean =>
  byte === COMMA || isClosing(byte) || isBlank(byte) || byte === QUOTE || byte === COLON || isOpening(byte);
/** Bytes of the byte order mark that some editors write at the start of a text. */
const isMark = (byte: number): boolean => byte === 0xef || byte === 0xbb || byte === 0xbf;

/** The current token, even across chunks. */
type Reading = 'NOTHING' | 'KEY' | 'TEXT' | 'SCALAR' | 'NEST';

export class JsonScanner {
  readonly #watcher: Watcher;
  readonly #limits: ScanLimits;
  /** The entered containers: true for objects, false for lists. */
  readonly #open: boolean[] = [];
  #expectsKey = false;
  #begun = false;
  #reading: Reading = 'NOTHING';
  #takes = false;
  #isOver = false;
  #escaped = false;
  /** For a container that is not entered: the number of open brackets in it, and whether a string is open. */
  #depth = 0;
  #inText = false;
  /** Parts of the current value from earlier chunks. */
  #held: Buffer[] = [];
  #heldBytes = 0;
  /** Offset of the first byte that was not passed on yet. */
  #unpassed = 0;

  constructor(watcher: Watcher, limits: ScanLimits = {}) {
    this.#watcher = watcher;
    this.#limits = limits;
  }

  take(chunk: Buffer): void {
    this.#unpassed = this.#open.length === 0 ? chunk.length : 0;
    let [at, from] = [0, 0];
    while (at < chunk.length) {
      if (this.#reading === 'NOTHING') {
        from = this.#toValue(chunk, at);
        if (from === chunk.length) break;
        if (this.#isShown) this.#pass(chunk, from, chunk.length);
        at = from + 1;
        continue;
      }
      at = this.#toEnd(chunk, at);
      if (!this.#isOver) break;
      if (this.#isShown) this.#unpassed = at;
      this.#finish(chunk, from, at);
      from = 0;
    }
    if (this.#reading !== 'NOTHING' && this.#takes) this.#hold(chunk.subarray(from));
    if (!this.#isShown) this.#pass(chunk, chunk.length, chunk.length);
  }

  end(): void {
    if (this.#open.length === 0 && this.#reading === 'SCALAR') this.#finish(Buffer.alloc(0), 0, 0);
    if (!this.#begun || this.#open.length > 0 || this.#reading !== 'NOTHING')
      throw this.#watcher.errorOf('ENDS_EARLY');
  }

  /** True while a value is read that is returned instead of passed on. */
  get #isShown(): boolean {
    return this.#takes && this.#reading !== 'NOTHING' && this.#reading !== 'KEY';
  }

  #pass(chunk: Buffer, to: number, next: number): void {
    if (this.#unpassed < to) this.#watcher.onSkipped?.(chunk.subarray(this.#unpassed, to));
    this.#unpassed = next;
  }

  /** Start of the next key or value that is not entered, or the end of the chunk. `#reading` says what it is. */
  #toValue(chunk: Buffer, first: number): number {
    for (let at = first; at < chunk.length; at++) {
      const byte = chunk[at]!;
      if (isBlank(byte)) continue;
      const inside = this.#open.length > 0;
      if (isOpening(byte)) {
        if (!this.#enters(byte === OPEN_OBJECT)) return at;
        if (!inside) this.#unpassed = at;
      } else if (!inside) {
        if (!this.#begun && isMark(byte)) continue;
        return this.#begin(byte, at);
      } else if (byte === COMMA) this.#expectsKey = this.#open.at(-1)!;
      else if (byte === COLON) this.#expectsKey = false;
      else if (isClosing(byte)) {
        this.#leave(byte === CLOSE_OBJECT);
        if (this.#open.length === 0) this.#pass(chunk, at + 1, chunk.length);
      } else return this.#begin(byte, at);
    }
    return chunk.length;
  }

  #enters(isObject: boolean): boolean {
    this.#begun = true;
    const choice = this.#watcher.begins(isObject ? 'OBJECT' : 'LIST');
    if (choice === 'ENTER') {
      this.#open.push(isObject);
      this.#expectsKey = isObject;
      return true;
    }
    [this.#reading, this.#takes, this.#depth] = ['NEST', choice === 'TAKE', 1];
    return false;
  }

  #leave(isObject: boolean): void {
    if (this.#open.pop() !== isObject) throw this.#watcher.errorOf('BRACKETS');
    this.#expectsKey = false;
    this.#watcher.listLeft();
  }

  #begin(byte: number, at: number): number {
    this.#begun = true;
    const isText = byte === QUOTE;
    if (this.#expectsKey) {
      this.#reading = isText ? 'KEY' : 'SCALAR';
      this.#takes = isText;
    } else {
      this.#takes = this.#watcher.begins(isText ? 'TEXT' : 'OTHER') === 'TAKE';
      this.#reading = isText ? 'TEXT' : 'SCALAR';
    }
    return at;
  }

  /** End of the current token, or the end of the chunk. `#isOver` says which. */
  #toEnd(chunk: Buffer, from: number): number {
    if (this.#reading === 'NEST') return this.#nestEnd(chunk, from);
    return this.#reading === 'SCALAR' ? this.#scalarEnd(chunk, from) : this.#textEnd(chunk, from);
  }

  #textEnd(chunk: Buffer, from: number): number {
    let at = from;
    if (this.#escaped) at += 1;
    for (; at < chunk.length; at++) {
      const byte = chunk[at]!;
      if (byte === BACKSLASH) at += 1;
      else if (byte === QUOTE) {
        [this.#escaped, this.#isOver] = [false, true];
        return at + 1;
      }
    }
    [this.#escaped, this.#isOver] = [at > chunk.length, false];
    return chunk.length;
  }

  #scalarEnd(chunk: Buffer, from: number): number {
    let at = from;
    while (at < chunk.length && !endsScalar(chunk[at]!)) at++;
    this.#isOver = at < chunk.length;
    return at;
  }

  #nestEnd(chunk: Buffer, from: number): number {
    let [at, depth, inText] = [from, this.#depth, this.#inText];
    if (this.#escaped) at += 1;
    for (; at < chunk.length && depth > 0; at++) {
      const byte = chunk[at]!;
      if (byte === QUOTE) inText = !inText;
      else if (inText) at += byte === BACKSLASH ? 1 : 0;
      else if (byte === OPEN_OBJECT || byte === OPEN_LIST) depth += 1;
      else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) depth -= 1;
    }
    [this.#depth, this.#inText, this.#escaped, this.#isOver] = [
      depth,
      inText,
      at > chunk.length,
      depth === 0,
    ];
    return Math.min(at, chunk.length);
  }

  /** Maximum number of bytes kept of the current token. */
  #most(): number {
    const { keyBytes = Infinity, valueBytes = Infinity, cutAt = valueBytes } = this.#limits;
    if (this.#reading === 'NEST') return Infinity;
    return this.#reading === 'KEY' ? keyBytes : this.#reading === 'TEXT' ? cutAt : valueBytes;
  }

  #hold(bytes: Buffer): void {
    const most = this.#most();
    const left = most - this.#heldBytes;
    this.#heldBytes += bytes.length;
    if (left > 0) this.#held.push(left >= bytes.length ? bytes : Buffer.from(bytes.subarray(0, left)));
    const isCut = this.#reading === 'KEY' || (this.#reading === 'TEXT' && this.#limits.cutAt !== undefined);
    if (!isCut && this.#heldBytes > most) throw this.#watcher.errorOf('TOO_LONG');
  }

  #finish(chunk: Buffer, from: number, to: number): void {
    if (this.#takes) {
      if (this.#heldBytes === 0 && to - from <= this.#most()) this.#handOut(chunk, from, to, false);
      else {
        this.#hold(chunk.subarray(from, to));
        const bytes = Buffer.concat(this.#held);
        const isCut = bytes.length < this.#heldBytes;
        [this.#held, this.#heldBytes] = [[], 0];
        this.#handOut(bytes, 0, bytes.length, isCut);
      }
    }
    this.#reading = 'NOTHING';
  }

  #handOut(bytes: Buffer, from: number, to: number, isCut: boolean): void {
    const text = bytes.toString('utf8', from, to);
    if (this.#limits.strict === true && text.includes('\uFFFD') && !isUtf8(bytes.subarray(from, to)))
      throw this.#watcher.errorOf('NO_UTF8');
    if (this.#reading !== 'KEY') this.#watcher.onText(text, isCut);
    else if (isCut) this.#watcher.key(undefined);
    else this.#watcher.key(text.includes('\\') ? String(JSON.parse(text)) : text.slice(1, -1));
  }
}
