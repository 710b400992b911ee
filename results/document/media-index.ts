/**
 * Index of the media of an ended job: one line of JSON for each medium in the order of the document, then for each medium a line of
 * fixed width with the place of its JSON. The server finds any medium with three small reads.
 */
import { mkdir, open, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { PartFile } from '../../files/part-file.ts';
import type { IndexedMedium } from '../../protocol/document-work.ts';

const WIDTH = 15;
/** A number and the line break after it. */
const LINE_BYTES = WIDTH + 1;
const BUFFERED = 64 * 1024;

export interface MediaIndexWriter {
  add(medium: IndexedMedium): Promise<void>;
  /** The index stands under its name from now on. */
  finish(): Promise<void>;
  /** Whatever was written and not finished goes. */
  close(): Promise<void>;
}

/** Writes an index beside its place, and puts it there when it is whole. */
export async function writeMediaIndex(path: string): Promise<MediaIndexWriter> {
  await mkdir(dirname(path), { recursive: true });
  const file = await PartFile.open(path, { durable: 'bytes' });
  const starts: number[] = [];
  let [at, text] = [0, ''];
  const flush = async () => {
    // Unlike `write` it does not end before all is written.
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
      // The last line says where the others of fixed width begin.
      for (const number of [...starts, at]) text += `${String(number).padStart(WIDTH)}\n`;
      await flush();
      await file.finish();
    },
    close: () => file.discard(),
  };
}

/**
 * A medium by its place in the document; undefined: the document has no such medium.
 * @throws ENOENT when there is no index
 */
export async function indexedMedium(path: string, place: number): Promise<IndexedMedium | undefined> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const tableAt = await numberAt(file, size - LINE_BYTES);
    const count = (size - tableAt) / LINE_BYTES - 1;
    if (place < 0 || place >= count) return undefined;
    const from = await numberAt(file, tableAt + place * LINE_BYTES);
    const to = await numberAt(file, tableAt + (place + 1) * LINE_BYTES);
    return JSON.parse(await textAt(file, from, to - from)) as IndexedMedium;
  } finally {
    await file.close();
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
