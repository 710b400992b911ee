/**
 * The index of a FEED answer: after the lines of tracks a line of fixed width for each piece, so that the server finds the
 * bytes of a piece with one small read however many there are.
 */
import { open } from 'node:fs/promises';

export interface FeedPiece {
  readonly offset: number;
  readonly bytes: number;
  /** Frames that its tracks cover; 0 to -1 when the medium has no frames. */
  readonly start: number;
  readonly stop: number;
  /** Index of the media selector that its tracks come from; -1: from none. */
  readonly selector: number;
}

const WIDTHS = [15, 15, 11, 11, 6] as const;
/** A space or the line break after each number. */
const LINE_BYTES = WIDTHS.reduce<number>((sum, width) => sum + width + 1, 0);

export function feedIndexLine({ offset, bytes, start, stop, selector }: FeedPiece): string {
  const numbers = [offset, bytes, start, stop, selector];
  return `${numbers.map((value, i) => String(value).padStart(WIDTHS[i] ?? 0)).join(' ')}\n`;
}

/** Piece number `piece` of the FEED answer in `file`, whose index begins at byte `indexAt`. */
export async function readFeedPiece(file: string, indexAt: number, piece: number): Promise<FeedPiece> {
  const handle = await open(file);
  try {
    const line = Buffer.alloc(LINE_BYTES);
    const { bytesRead } = await handle.read(line, 0, LINE_BYTES, indexAt + piece * LINE_BYTES);
    const numbers = line.toString('latin1', 0, bytesRead).trim().split(/ +/).map(Number);
    const [offset, bytes, start, stop, selector] = numbers;
    if (
      offset === undefined ||
      bytes === undefined ||
      start === undefined ||
      stop === undefined ||
      selector === undefined ||
      !numbers.every(Number.isSafeInteger)
    )
      throw new Error(`${file} has no piece ${piece}.`);
    return { offset, bytes, start, stop, selector };
  } finally {
    await handle.close();
  }
}
