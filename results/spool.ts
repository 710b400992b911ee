/**
 * Stores results of sub-jobs as files: written with back-pressure, limited, and durable before they get their final name. The server only
 * copies bytes here. `check.ts` checks the content outside the event loop.
 */
import type { FileHandle } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { copyInto } from '../files/copy-into.ts';
import { makeDurableFolder } from '../files/folders.ts';
import { writeWhole } from '../files/part-file.ts';

export interface SpoolLimits {
  readonly maxBytes: number;
  readonly maxLines: number;
}

export interface Received {
  readonly bytes: number;
  /** Number of lines, including a last one without a line break. */
  readonly lines: number;
}

/** A result is larger than its limit. The stream stays open, so that the sender can still be answered. */
export class FloodError extends Error {
  readonly limit: keyof SpoolLimits;
  constructor(limit: keyof SpoolLimits, value: number) {
    super(`The result was refused: it has more than ${value} ${limit === 'maxBytes' ? 'bytes' : 'lines'}.`);
    this.name = 'FloodError';
    this.limit = limit;
  }
}

const LINE_BREAK = 10;

/**
 * Writes a stream to a part file beside `finalPath`, syncs it and renames it. So the final name always belongs to a complete result. On any
 * error, the part file is deleted. @throws FloodError beyond a limit. `onPiece` gets every chunk.
 */
export async function receive(
  stream: Readable | AsyncIterable<Uint8Array | string>,
  finalPath: string,
  limits: SpoolLimits,
  onPiece?: (data: Buffer) => void,
): Promise<Received> {
  const source = stream instanceof Readable ? stream : Readable.from(stream, { objectMode: true });
  // An error between two reads, or after a refusal, has no listener and would end the process.
  source.on('error', () => undefined);
  await makeDurableFolder(dirname(resolve(finalPath)));
  const write = (file: FileHandle) => copy(source, file, limits, onPiece);
  return writeWhole(finalPath, write, { durable: 'name' });
}

async function copy(
  source: Readable,
  file: FileHandle,
  limits: SpoolLimits,
  onPiece: ((data: Buffer) => void) | undefined,
): Promise<Received> {
  let breaks = 0;
  let last = LINE_BREAK;
  const bytes = await copyInto(source, file, (data, size) => {
    onPiece?.(data);
    breaks += countBreaks(data);
    last = data[data.length - 1] ?? last;
    if (size > limits.maxBytes) throw new FloodError('maxBytes', limits.maxBytes);
    if (breaks > limits.maxLines) throw new FloodError('maxLines', limits.maxLines);
  });
  const lines = breaks + (last === LINE_BREAK ? 0 : 1);
  if (lines > limits.maxLines) throw new FloodError('maxLines', limits.maxLines);
  return { bytes, lines };
}

function countBreaks(data: Buffer): number {
  let count = 0;
  for (let at = data.indexOf(LINE_BREAK); at >= 0; at = data.indexOf(LINE_BREAK, at + 1)) count += 1;
  return count;
}
