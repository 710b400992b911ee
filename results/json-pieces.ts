/** Reads a JSON text of any size piece by piece, with memory for one piece at a time. */
export type Path = readonly (string | number)[];

export interface Piece {
  readonly path: Path;
  readonly value: unknown;
}

/**
 * Yields every scalar of the text, and every object or array that `whole` wants in one piece, in their order; other
 * containers are gone into. @throws Error when the text ends early or a piece is no JSON
 */
export async function* jsonPieces(
  chunks: AsyncIterable<Uint8Array>,
  whole: (path: Path) => boolean,
): AsyncGenerator<Piece> {
  const reader = new JsonPieceReader(whole);
  const decoder = new TextDecoder('utf-8', { fatal: true });
  for await (const chunk of chunks) yield* reader.read(decoder.decode(chunk, { stream: true }));
  yield* reader.read(`${decoder.decode()}\n`);
  reader.end();
}

const [QUOTE, BACKSLASH] = [0x22, 0x5c];
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_LIST, CLOSE_LIST] = [0x7b, 0x7d, 0x5b, 0x5d];
const STRING = /"(?:[^"\\]|\\.)*"/sy;
const LITERAL = /[^\s,:{}[\]"]+(?=[\s,:{}[\]])/y;
const IGNORED = /[\s,:]*/y;

/** The same for text that its user brings, piece by piece as it comes. */
export class JsonPieceReader {
  readonly #whole: (path: Path) => boolean;
  /** Where we are: the key or index of each open container's present member. */
  readonly #path: (string | number)[] = [];
  /** Is the key of an object's next member awaited? One entry an open container. */
  readonly #awaitsKey: boolean[] = [];
  /** What was read of the next token, or of the piece that is being put together. */
  #rest = '';
  #pieces: string[] | undefined;
  #found: Piece | undefined;
  #depth = 0;
  #inString = false;
  #escaped = false;

  constructor(whole: (path: Path) => boolean) {
    this.#whole = whole;
  }

  *read(chunk: string): Generator<Piece> {
    const text = this.#rest + chunk;
    this.#rest = '';
    for (let at = 0; at < text.length;) {
      at = this.#pieces === undefined ? this.#token(text, at) : this.#partOfPiece(text, at, this.#pieces);
      if (this.#found === undefined) continue;
      yield this.#found;
      this.#found = undefined;
    }
  }

  end(): void {
    if (this.#path.length > 0 || this.#pieces !== undefined || this.#rest.trim() !== '')
      throw new Error('The JSON text ends in the middle.');
  }

  /** Takes one token; index after it. */
  #token(text: string, from: number): number {
    const at = skipped(IGNORED, text, from);
    const token = text[at];
    if (token === undefined) return at;
    if (token === '{' || token === '[') {
      if (this.#path.length === 0 || !this.#whole(this.#path)) this.#open(token);
      else {
        this.#pieces = [];
        return at;
      }
    } else if (token === '}' || token === ']') this.#close();
    else return this.#scalar(text, at, token === '"' ? STRING : LITERAL);
    return at + 1;
  }

  #scalar(text: string, at: number, pattern: RegExp): number {
    const end = skipped(pattern, text, at);
    if (end === at) {
      this.#rest = text.slice(at);
      return text.length;
    }
    const value: unknown = JSON.parse(text.slice(at, end));
    if (this.#awaitsKey.at(-1) === true) this.#key(String(value));
    else this.#member(value);
    return end;
  }

  #partOfPiece(text: string, at: number, pieces: string[]): number {
    const end = this.#endOfPiece(text, at);
    pieces.push(text.slice(at, end));
    if (this.#depth > 0) return end;
    this.#pieces = undefined;
    this.#member(JSON.parse(pieces.join('')));
    return end;
  }

  #open(token: '{' | '['): void {
    this.#awaitsKey.push(token === '{');
    this.#path.push(token === '{' ? '' : 0);
  }

  #close(): void {
    this.#path.pop();
    this.#awaitsKey.pop();
    this.#next();
  }

  #key(key: string): void {
    this.#path[this.#path.length - 1] = key;
    this.#awaitsKey[this.#awaitsKey.length - 1] = false;
  }

  #member(value: unknown): void {
    this.#found = { path: [...this.#path], value };
    this.#next();
  }

  /** A member of the innermost container has ended. */
  #next(): void {
    const last = this.#path.length - 1;
    const key = this.#path[last];
    if (typeof key === 'number') this.#path[last] = key + 1;
    else if (key !== undefined) this.#awaitsKey[last] = true;
  }

  /** Index after what belongs to the piece; `#depth` is 0 when that is its end. */
  #endOfPiece(text: string, from: number): number {
    let at = this.#inString ? this.#endOfString(text, from) : from;
    while (at < text.length) {
      const code = text.charCodeAt(at);
      at += 1;
      if (code === QUOTE) at = this.#endOfString(text, at);
      else if (code === OPEN_OBJECT || code === OPEN_LIST) this.#depth += 1;
      else if (code === CLOSE_OBJECT || code === CLOSE_LIST) {
        this.#depth -= 1;
        if (this.#depth === 0) return at;
      }
    }
    return at;
  }

  /** Index after the string that is open; `#inString` when it goes on in the next chunk. */
  #endOfString(text: string, from: number): number {
    this.#inString = true;
    for (let at = from; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (this.#escaped) this.#escaped = false;
      else if (code === BACKSLASH) this.#escaped = true;
      else if (code === QUOTE) {
        this.#inString = false;
        return at + 1;
      }
    }
    return text.length;
  }
}

function skipped(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return at + (pattern.exec(text)?.[0].length ?? 0);
}
