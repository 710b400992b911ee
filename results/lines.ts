/** Lines of large files: read one after the other with limited memory, or single ones by place. */
import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { answerPlace } from './answer-place.ts';

/** Maximum length of a track line: 64 MiB hold about 400,000 detections. */
export const MAX_LINE_BYTES = 64 * 1024 * 1024;
/** Maximum length of lines in files of the service. V8 cannot hold a longer string. */
export const MAX_OWN_LINE_BYTES = 480 * 1024 * 1024;

const READ_BYTES = 256 * 1024;
const CHUNK_CHARACTERS = 64 * 1024;
const LINE_BREAK = 10;

/** Offset of a line, and its number of bytes without its line break. */
export interface Place {
  readonly offset: number;
  readonly bytes: number;
}

export interface Line extends Place {
  readonly text: string;
}

/** A line of the file is too long or not UTF-8. `line` counts from 1; 0 is the last one. */
export class LineError extends Error {
  readonly line: number;
  constructor(line: number, problem: string) {
    super(`${line === 0 ? 'The last line' : `Line ${line}`} ${problem}.`);
    this.name = 'LineError';
    this.line = line;
  }
}

/** The lines of an answer, without empty ones. For an answer in a shared file, places count from its start. */
export function readLines(
  name: string,
  maxBytes = MAX_LINE_BYTES,
  signal?: AbortSignal,
): AsyncGenerator<Line> {
  const { path, offset, bytes } = answerPlace(name);
  if (bytes !== undefined) return splitLines(bytesOf(path, offset, bytes), maxBytes);
  const options = { highWaterMark: READ_BYTES, ...(signal === undefined ? {} : { signal }) };
  return splitLines(createReadStream(path, options), maxBytes);
}

async function* bytesOf(path: string, offset: number, bytes: number): AsyncGenerator<Buffer> {
  if (bytes === 0) return;
  const file = await open(path);
  try {
    for (let at = 0; at < bytes; at += READ_BYTES)
      yield await readPiece(file, offset + at, Math.min(READ_BYTES, bytes - at));
  } finally {
    await file.close();
  }
}

/** The lines of a stream of bytes, without empty ones. @throws LineError if a line is too long or not UTF-8 */
export async function* splitLines(
  source: AsyncIterable<Uint8Array | string>,
  maxBytes = MAX_LINE_BYTES,
): AsyncGenerator<Line> {
  const pending = new PendingLine(maxBytes);
  for await (const chunk of source) {
    const data = asBuffer(chunk);
    let from = 0;
    for (let at = data.indexOf(LINE_BREAK); at >= 0; at = data.indexOf(LINE_BREAK, from)) {
      pending.add(data.subarray(from, at));
      from = at + 1;
      const line = pending.end(1);
      if (line !== undefined) yield line;
    }
    if (from < data.length) pending.add(data.subarray(from));
  }
  const line = pending.end(0);
  if (line !== undefined) yield line;
}

function asBuffer(chunk: Uint8Array | string): Buffer {
  if (typeof chunk === 'string') return Buffer.from(chunk);
  return Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
}

/** A line that is assembled from parts of chunks. */
class PendingLine {
  readonly #maxBytes: number;
  #pieces: Buffer[] = [];
  #bytes = 0;
  #offset = 0;
  #number = 1;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  add(piece: Buffer): void {
    this.#bytes += piece.length;
    if (this.#bytes > this.#maxBytes)
      throw new LineError(this.#number, `is longer than ${this.#maxBytes} bytes`);
    if (piece.length > 0) this.#pieces.push(piece);
  }

  /** Ends the line. Returns undefined if it was empty. */
  end(breakBytes: number): Line | undefined {
    const data = this.#pieces.length === 1 ? this.#pieces[0] : Buffer.concat(this.#pieces, this.#bytes);
    const line = this.#bytes === 0 || data === undefined ? undefined : this.#decode(data);
    this.#offset += this.#bytes + breakBytes;
    this.#number += 1;
    this.#bytes = 0;
    this.#pieces = [];
    return line;
  }

  #decode(data: Buffer): Line {
    if (!isUtf8(data)) throw new LineError(this.#number, 'is not UTF-8 text');
    return { text: data.toString('utf8'), offset: this.#offset, bytes: data.length };
  }
}

/** Reads lines by the places that `readLines` or `LineWriter` returned. Fast if they are close to each other. */
export class LineReader {
  readonly #file: FileHandle;
  #window = Buffer.alloc(0);
  #start = 0;

  constructor(file: FileHandle) {
    this.#file = file;
  }

  async read({ offset, bytes }: Place): Promise<string> {
    if (offset < this.#start || offset + bytes > this.#start + this.#window.length) {
      this.#window = await readPiece(this.#file, offset, Math.max(bytes, READ_BYTES));
      this.#start = offset;
      if (this.#window.length < bytes) throw new Error(`The file ends inside the line at byte ${offset}.`);
    }
    return this.#window.toString('utf8', offset - this.#start, offset - this.#start + bytes);
  }
}

/** The last line of a file that is not empty. Undefined if there is none. @throws LineError if it is longer than `maxBytes` */
export async function readLastLine(file: FileHandle, maxBytes: number): Promise<string | undefined> {
  let end = (await file.stat()).size;
  let tail = Buffer.alloc(0);
  while (end > 0) {
    const start = Math.max(0, end - READ_BYTES);
    tail = Buffer.concat([await readPiece(file, start, end - start), tail]);
    end = start;
    let stop = tail.length;
    while (stop > 0 && tail[stop - 1] === LINE_BREAK) stop -= 1;
    tail = tail.subarray(0, stop);
    const at = tail.lastIndexOf(LINE_BREAK);
    if (at >= 0) return tail.toString('utf8', at + 1);
    if (tail.length > maxBytes) throw new LineError(0, `is longer than ${maxBytes} bytes`);
  }
  return tail.length === 0 ? undefined : tail.toString('utf8');
}

async function readPiece(file: FileHandle, offset: number, bytes: number): Promise<Buffer<ArrayBuffer>> {
  const data = Buffer.allocUnsafe(bytes);
  let at = 0;
  for (let read = -1; at < bytes && read !== 0; at += read)
    ({ bytesRead: read } = await file.read(data, at, bytes - at, offset + at));
  return data.subarray(0, at);
}

/** Writes lines to a file and returns the place of each. */
export class LineWriter {
  readonly #file: FileHandle;
  #waiting: string[] = [];
  #waitingBytes = 0;
  #offset = 0;

  constructor(file: FileHandle) {
    this.#file = file;
  }

  async write(text: string): Promise<Place> {
    const bytes = Buffer.byteLength(text);
    const place = { offset: this.#offset, bytes };
    this.#offset += bytes + 1;
    this.#waiting.push(text, '\n');
    this.#waitingBytes += bytes + 1;
    if (this.#waitingBytes >= READ_BYTES) await this.flush();
    return place;
  }

  async flush(): Promise<void> {
    const data = Buffer.from(this.#waiting.join(''));
    this.#waiting = [];
    this.#waitingBytes = 0;
    for (let at = 0; at < data.length;) at += (await this.#file.write(data, at)).bytesWritten;
  }
}

/** Joins small pieces of text into chunks of about 64 Ki characters. Larger pieces pass unchanged. */
export async function* inChunks(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let waiting: string[] = [];
  let characters = 0;
  for await (const piece of pieces) {
    waiting.push(piece);
    characters += piece.length;
    if (characters < CHUNK_CHARACTERS) continue;
    yield waiting.join('');
    waiting = [];
    characters = 0;
  }
  if (characters > 0) yield waiting.join('');
}
