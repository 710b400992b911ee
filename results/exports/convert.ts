/** A detection document that lies on the disk, in another format. */
import { createReadStream } from 'node:fs';
import path from 'node:path';
import type { ExportFormat } from '../../domain/job/export-formats.ts';
import { inChunks } from '../lines.ts';
import { withTodaysFiles, type MovedStart } from '../moved-files.ts';
import { rewriteDocument } from './document-walk.ts';
import { coco } from './coco.ts';
import { cues, SUBRIP, WEBVTT } from './cues.ts';
import { cvat } from './cvat/cvat.ts';
import type { Through } from '../document/findings.ts';
import { CsvWriter, NdjsonWriter } from './lines.ts';
import { OneMedium } from './one-medium.ts';
import { Scratch } from './scratch.ts';

export interface Wanted {
  readonly format: ExportFormat;
  /** The medium that it is to be about; absent: all of them. */
  readonly mediaId?: number;
}

export interface Conversion extends Wanted {
  readonly file: string;
  readonly moved: readonly MovedStart[];
}

/** Of this size texts come and go without the large collections of garbage that those of 256 KiB wait for: half the memory. */
const READ_BYTES = 32 * 1024;

/** Yields the text in pieces of some 64 Ki characters, or of what the document had in one piece that was read. @throws ExportRefusal before the first of them */
export function convertDocument({ format, file, moved, mediaId }: Conversion): AsyncGenerator<string> {
  const through: Through = (writer, only) =>
    rewriteDocument(read(file, moved), only === undefined ? writer : new OneMedium(only, writer));
  // Beside the document there is room, and leave to write.
  return inChunks(WAYS[format](through, mediaId, new Scratch(path.dirname(file))));
}

type Way = (through: Through, mediaId: number | undefined, scratch: Scratch) => AsyncGenerator<string>;

const WAYS: Readonly<Record<ExportFormat, Way>> = {
  ndjson: (through, mediaId) => through(new NdjsonWriter(), mediaId),
  csv: (through, mediaId) => through(new CsvWriter(), mediaId),
  cvat,
  coco,
  vtt: (through, mediaId, scratch) => cues(WEBVTT, through, mediaId, scratch),
  srt: (through, mediaId, scratch) => cues(SUBRIP, through, mediaId, scratch),
};

function read(file: string, moved: readonly MovedStart[]): AsyncIterable<Uint8Array> {
  const bytes = createReadStream(file, { highWaterMark: READ_BYTES }) as AsyncIterable<Buffer>;
  return moved.length === 0 ? bytes : withTodaysFiles(bytes, moved);
}
