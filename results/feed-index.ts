/**
 * The index of a FEED answer. After the lines of tracks there is a line of fixed width for each piece. So the server finds the bytes of any
 * piece with one small read.
 */
import { open, type FileHandle } from 'node:fs/promises';
import { answerPlace } from './answer-place.ts';

export interface FeedPiece {
  /** Offset in the file with the answer. */
  readonly offset: number;
  readonly bytes: number;
  /** Frames that its tracks cover. 0 to -1 if the medium has no frames. */
  readonly start: number;
  readonly stop: number;
  /** Index of the media selector of its tracks; -1 if there is none. */
  readonly selector: number;
}

const WIDTHS = [15, 15, 11, 11, 6] as const;
/** Includes a space or the line break after each number. */
const LINE_BYTES = WIDTHS.reduce<number>((sum, width) => sum + width + 1, 0);

export function feedIndexLine({ offset, bytes, start, stop, selector }: FeedPiece): string {
  const numbers = [offset, bytes, start, stop, selector];
  return `${numbers.map((value, i) => String(value).padStart(WIDTHS[i] ?? 0)).join(' ')}\n`;
}

/** Piece number `piece` of the FEED answer in `file`, whose index begins at byte `indexAt`. */
export async function readFeedPiece(file: string, indexAt: number, piece: number): Promise<FeedPiece> {
  const index = await openFeedIndex(file, indexAt, 1);
  try {
    return await index.piece(piece);
  } finally {
    await index.close();
  }
}

/** The same with its lines, if they have at most this many bytes. */
export async function readSmallPiece(
  file: string,
  indexAt: number,
  piece: number,
  mostBytes: number,
): Promise<FeedPiece & { readonly lines?: string }> {
  const handle = await open(answerPlace(file).path);
  try {
    const found = await indexOf(handle, indexAt, 1, file).piece(piece);
    if (found.bytes > mostBytes) return found;
    const lines = Buffer.alloc(found.bytes);
    const { bytesRead } = await handle.read(lines, 0, lines.length, found.offset);
    return { ...found, lines: lines.toString('utf8', 0, bytesRead) };
  } finally {
    await handle.close();
  }
}

export interface FeedIndex {
  /** Reading pieces in order needs only few reads. */
  piece(number: number): Promise<FeedPiece>;
  close(): Promise<void>;
}

/** Number of index entries that are read at a time. */
const BLOCK = 4096;

/** The index in `file`, which begins at byte `indexAt`. */
export async function openFeedIndex(file: string, indexAt: number, block = BLOCK): Promise<FeedIndex> {
  return indexOf(await open(answerPlace(file).path), indexAt, block, file);
}

function indexOf(handle: FileHandle, indexAt: number, block: number, file: string): FeedIndex {
  const { offset } = answerPlace(file);
  const lines = Buffer.alloc(block * LINE_BYTES);
  let [first, count] = [0, 0];
  return {
    async piece(number) {
      if (number < first || number >= first + count) {
        const at = offset + indexAt + number * LINE_BYTES;
        const { bytesRead } = await handle.read(lines, 0, lines.length, at);
        [first, count] = [number, Math.floor(bytesRead / LINE_BYTES)];
      }
      const at = (number - first) * LINE_BYTES;
      const piece = number < first + count ? parsePiece(lines.toString('latin1', at, at + LINE_BYTES)) : null;
      if (piece === null) throw new Error(`${file} has no piece ${number}.`);
      return { ...piece, offset: offset + piece.offset };
    },
    close: () => handle.close(),
  };
}

function parsePiece(line: string): FeedPiece | null {
  const numbers = line.trim().split(/ +/).map(Number);
  const [offset, bytes, start, stop, selector] = numbers;
  const whole = numbers.every(Number.isSafeInteger);
  if (offset === undefined || bytes === undefined || start === undefined || stop === undefined) return null;
  return selector !== undefined && whole ? { offset, bytes, start, stop, selector } : null;
}
