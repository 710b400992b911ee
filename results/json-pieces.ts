/** Reads a JSON text of any size piece by piece, with memory for one piece at a time. */
import { JsonScanner, type Choice, type Flaw, type Kind, type Watcher } from './json-scan.ts';

export type Path = readonly (string | number)[];

export interface Piece {
  readonly path: Path;
  readonly value: unknown;
}

/**
 * Yields every scalar of the text, and every object or array that `whole` accepts as one piece, in order. It descends into other
 * containers. @throws Error if the text ends early or a piece is invalid JSON
 */
export async function* jsonPieces(
  chunks: AsyncIterable<Uint8Array>,
  whole: (path: Path) => boolean,
): AsyncGenerator<Piece> {
  for await (const pieces of pieceLists(chunks, whole)) yield* pieces;
}

/** The same, with all pieces that end in one chunk at a time. */
export async function* pieceLists(
  chunks: AsyncIterable<Uint8Array>,
  whole: (path: Path) => boolean,
): AsyncGenerator<readonly Piece[]> {
  const watcher = new PathWatcher(whole);
  const scanner = new JsonScanner(watcher, { strict: true });
  for await (const chunk of chunks) {
    scanner.take(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
    yield watcher.found.splice(0);
  }
  scanner.end();
  yield watcher.found;
}

const FLAWS: Readonly<Record<Flaw, string>> = {
  ENDS_EARLY: 'The JSON text ends in the middle.',
  BRACKETS: 'The brackets of the JSON text do not match.',
  NO_UTF8: 'The JSON text is not encoded in UTF-8.',
  TOO_LONG: 'The JSON text has a value that is too long.',
};

class PathWatcher implements Watcher {
  readonly found: Piece[] = [];
  readonly #whole: (path: Path) => boolean;
  /** Current position: the key or index of the current member of each open container. */
  readonly #path: (string | number)[] = [];

  constructor(whole: (path: Path) => boolean) {
    this.#whole = whole;
  }

  begins(kind: Kind): Choice {
    const path = this.#path;
    const last = path.at(-1);
    if (typeof last === 'number') path[path.length - 1] = last + 1;
    if (kind === 'TEXT' || kind === 'OTHER' || (path.length > 0 && this.#whole(path))) return 'TAKE';
    path.push(kind === 'OBJECT' ? '' : -1);
    return 'ENTER';
  }

  key(name = ''): void {
    this.#path[this.#path.length - 1] = name;
  }

  onText(text: string): void {
    this.found.push({ path: [...this.#path], value: JSON.parse(text) as unknown });
  }

  listLeft(): void {
    this.#path.pop();
  }

  errorOf(flaw: Flaw): Error {
    return new Error(FLAWS[flaw]);
  }
}
