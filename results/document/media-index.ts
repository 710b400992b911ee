/**
 * Index of the media of an ended job. It has one line of JSON for each medium in the order of the document. Then it has a line of fixed
 * width for each, with the place of its JSON. The server finds any medium with three small reads.
 */
import { createReadStream } from 'node:fs';
import { mkdir, open, type FileHandle } from 'node:fs/promises';
import { basename, dirname, extname } from 'node:path';
import { PartFile } from '../../files/part-file.ts';
import type { IndexedMedium } from '../../protocol/document-work.ts';
import { splitLines } from '../lines.ts';

const WIDTH = 15;
/** A number and the line break after it. */
const LINE_BYTES = WIDTH + 1;
const BUFFERED = 64 * 1024;

export interface MediaIndexWriter {
  add(medium: IndexedMedium): Promise<void>;
  /** Completes the index and renames it to its final name. */
  finish(): Promise<void>;
  /** Deletes an index that was not finished. */
  close(): Promise<void>;
}

/** Writes an index to a part file, and renames it when it is complete. */
export async function writeMediaIndex(path: string): Promise<MediaIndexWriter> {
  await mkdir(dirname(path), { recursive: true });
  const file = await PartFile.open(path, { durable: 'bytes' });
  const starts: number[] = [];
  let [at, text] = [0, ''];
  const flush = async () => {
    // Unlike `write`, it resolves only after everything is written.
    await file.handle.appendFile(text);
    text = '';
  };
  return {
    async add(medium) {
      const line = `${JSON.stringify(medium)}\n`;
      starts.push(at);
      at += Buffer.byteLength(line);
      text += line;
      if (text.length >= BUFFERED) await flush();
    },
    async finish() {
      // The last line has the offset of the lines of fixed width.
      for (const number of [...starts, at]) text += `${String(number).padStart(WIDTH)}\n`;
      await flush();
      await file.finish();
    },
    close: () => file.discard(),
  };
}

/** A medium, and its position in the document, from 0. */
export interface PlacedMedium {
  readonly place: number;
  readonly medium: IndexedMedium;
}

/** Offset of the lines of fixed width, and number of media. */
interface Table {
  readonly tableAt: number;
  readonly count: number;
}

/** The index of the media of a document. `named` has the mediaIds of the request's media, which indexes of earlier versions lack. */
export class MediaIndex {
  readonly #path: string;
  readonly #file: FileHandle;
  readonly #tableAt: number;
  readonly #count: number;
  readonly #named: readonly number[];

  private constructor(path: string, file: FileHandle, at: Table, named: readonly number[]) {
    this.#path = path;
    this.#file = file;
    this.#tableAt = at.tableAt;
    this.#count = at.count;
    this.#named = named;
  }

  /** @throws ENOENT if there is no index */
  static async open(path: string, named: readonly number[]): Promise<MediaIndex> {
    const file = await open(path);
    try {
      const { size } = await file.stat();
      const tableAt = await numberAt(file, size - LINE_BYTES);
      const count = (size - tableAt) / LINE_BYTES - 1;
      return new MediaIndex(path, file, { tableAt, count }, named);
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** Returns undefined if the document has no such medium. */
  async find(mediaId: number): Promise<PlacedMedium | undefined> {
    const guess = await this.at(this.#named.indexOf(mediaId));
    if (guess !== undefined && this.#idOf(guess) === mediaId) return guess;
    for await (const one of this.#all()) if (this.#idOf(one) === mediaId) return one;
    return undefined;
  }

  async at(place: number): Promise<PlacedMedium | undefined> {
    if (place < 0 || place >= this.#count) return undefined;
    const from = await this.#startOf(place);
    const text = await textAt(this.#file, from, (await this.#startOf(place + 1)) - from);
    return { place, medium: JSON.parse(text) as IndexedMedium };
  }

  async mediaIds(): Promise<readonly number[]> {
    const ids: number[] = [];
    for await (const one of this.#all()) ids.push(this.#idOf(one) ?? -1);
    return ids.filter((id) => id >= 0);
  }

  close(): Promise<void> {
    return this.#file.close();
  }

  #startOf(place: number): Promise<number> {
    return numberAt(this.#file, this.#tableAt + place * LINE_BYTES);
  }

  async *#all(): AsyncGenerator<PlacedMedium> {
    if (this.#tableAt === 0) return;
    const stream = createReadStream(this.#path, { end: this.#tableAt - 1 });
    let place = 0;
    for await (const { text } of splitLines(stream as AsyncIterable<Buffer>))
      yield { place: place++, medium: JSON.parse(text) as IndexedMedium };
  }

  /** The file of a derivative medium is named by its mediaId. */
  #idOf({ place, medium: { mediaId, file } }: PlacedMedium): number | undefined {
    if (mediaId !== undefined) return mediaId;
    const named = this.#named[place];
    if (named !== undefined || file === undefined) return named;
    const number = Number(basename(file, extname(file)));
    return Number.isSafeInteger(number) ? number : undefined;
  }
}

async function numberAt(file: FileHandle, at: number): Promise<number> {
  const number = Number(await textAt(file, at, WIDTH));
  if (!Number.isSafeInteger(number) || number < 0) throw new Error('The index of the media is damaged.');
  return number;
}

async function textAt(file: FileHandle, at: number, bytes: number): Promise<string> {
  const { bytesRead, buffer } = await file.read(Buffer.alloc(bytes), 0, bytes, at);
  if (bytesRead < bytes) throw new Error('The index of the media is damaged.');
  return buffer.toString('utf8');
}
