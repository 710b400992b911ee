/** A detection document that lies on the disk, in another format. */
import { createReadStream } from 'node:fs';
import type { ExportFormat } from '../../domain/export-formats.ts';
import { withTodaysFiles, type MovedStart } from '../moved-files.ts';
import { rewritten } from './document-walk.ts';
import { cvat } from './cvat.ts';
import type { Through } from './found.ts';
import { CsvWriter, NdjsonWriter } from './lines.ts';
import { OneMedium } from './one-medium.ts';

export interface Wanted {
  readonly format: ExportFormat;
  /** The medium that it is to be about; absent: all of them. */
  readonly mediaId?: number;
}

export interface Conversion extends Wanted {
  readonly file: string;
  readonly moved: readonly MovedStart[];
}

const READ_BYTES = 256 * 1024;

/** Yields the text in pieces of about the size in which the document is read. @throws ExportRefusal before the first of them */
export function converted({ format, file, moved, mediaId }: Conversion): AsyncGenerator<string> {
  const through: Through = (writer, only) =>
    rewritten(read(file, moved), only === undefined ? writer : new OneMedium(only, writer));
  return WAYS[format](through, mediaId);
}

type Way = (through: Through, mediaId: number | undefined) => AsyncGenerator<string>;

const WAYS: Readonly<Record<ExportFormat, Way>> = {
  ndjson: (through, mediaId) => through(new NdjsonWriter(), mediaId),
  csv: (through, mediaId) => through(new CsvWriter(), mediaId),
  cvat,
};

function read(file: string, moved: readonly MovedStart[]): AsyncIterable<Uint8Array> {
  const bytes = createReadStream(file, { highWaterMark: READ_BYTES }) as AsyncIterable<Buffer>;
  return moved.length === 0 ? bytes : withTodaysFiles(bytes, moved);
}
