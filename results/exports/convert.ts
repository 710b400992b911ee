/** Converts stored detection documents to other formats. */
import { createReadStream } from 'node:fs';
import path from 'node:path';
import type { ExportFormat } from '../../domain/job/export-formats.ts';
import { inChunks } from '../lines.ts';
import { withTodaysFiles, type MovedStart } from '../moved-files.ts';
import type { PictureSource } from './asked-pictures.ts';
import { rewriteDocument } from './document-walk.ts';
import { coco } from './coco.ts';
import { cues, SUBRIP, WEBVTT } from './cues.ts';
import { cvat } from './cvat/cvat.ts';
import type { DocumentSource, Through, Writer } from '../document/findings.ts';
import { labelStudio } from './label-studio.ts';
import { CsvWriter, NdjsonWriter } from './lines.ts';
import { OneMedium } from './one-medium.ts';
import { parquet } from './parquet.ts';
import { report } from './report/report.ts';
import { Scratch } from './scratch.ts';
import { yolo } from './yolo/yolo.ts';

export interface Wanted {
  readonly format: ExportFormat;
  /** The medium to export. Absent: all media. */
  readonly mediaId?: number;
  /** True if frames are included in the ZIP of YOLO. */
  readonly pictures?: boolean;
}

export interface Conversion extends Wanted {
  /** One document, or those of several jobs for a format of `JOINED_FORMATS`. */
  readonly documents: readonly DocumentSource[];
  readonly moved: readonly MovedStart[];
}

/** Size of the chunks that are read. With 256 KiB, garbage collection would run later and use twice the memory. */
const READ_BYTES = 32 * 1024;

/** Yields texts of about 64 Ki characters, or bytes. @throws ExportRefusal before the first of them */
export function convertDocuments(
  conversion: Conversion,
  pictures?: PictureSource,
): AsyncGenerator<string | Uint8Array> {
  const { format, documents, mediaId } = conversion;
  const through: Through = (writer, only) =>
    join(conversion, only === undefined ? writer : new OneMedium(only, writer));
  // The folder of the document is writable and has space.
  const scratch = new Scratch(path.dirname(documents[0]?.file ?? '.'));
  return WAYS[format]({ through, mediaId, scratch, pictures, isZipFull: conversion.pictures === true });
}

interface Asked {
  readonly through: Through;
  readonly mediaId: number | undefined;
  readonly scratch: Scratch;
  readonly pictures: PictureSource | undefined;
  /** True if frames are included in the ZIP of YOLO. */
  readonly isZipFull: boolean;
}
type Way = (asked: Asked) => AsyncGenerator<string | Uint8Array>;

const asText =
  (pieces: (asked: Asked) => AsyncGenerator<string>): Way =>
  (asked) =>
    inChunks(pieces(asked));

const WAYS: Readonly<Record<ExportFormat, Way>> = {
  ndjson: asText(({ through, mediaId }) => through(new NdjsonWriter(), mediaId)),
  csv: asText(({ through, mediaId }) => through(new CsvWriter(), mediaId)),
  cvat: asText(({ through, mediaId }) => cvat(through, mediaId)),
  coco: asText(({ through, mediaId }) => coco(through, mediaId)),
  labelstudio: asText(({ through, mediaId }) => labelStudio(through, mediaId)),
  vtt: asText(({ through, mediaId, scratch }) => cues(WEBVTT, through, mediaId, scratch)),
  srt: asText(({ through, mediaId, scratch }) => cues(SUBRIP, through, mediaId, scratch)),
  parquet: ({ through, mediaId }) => parquet(through, mediaId),
  yolo: ({ through, mediaId, pictures, isZipFull }) =>
    yolo(through, mediaId, isZipFull ? pictures : undefined),
  html: ({ through, mediaId, pictures }) => report(through, mediaId, pictures),
};

/** One text of all documents. Documents that were deleted meanwhile are left out. */
async function* join({ documents, moved }: Conversion, writer: Writer): AsyncGenerator<string> {
  const joined = betweenEnds(writer);
  yield writer.begin?.() ?? '';
  for (const source of documents) {
    writer.document?.(source);
    try {
      yield* rewriteDocument(read(source.file, moved), joined);
    } catch (error) {
      if (documents.length === 1 || (error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
  yield* writer.end?.() ?? [];
}

/** The writer without its begin and end, which belong to all documents together. */
const betweenEnds = (writer: Writer): Writer => ({
  ofJob: (field, value) => writer.ofJob?.(field, value),
  medium: (medium) => writer.medium?.(medium) ?? '',
  track: (track) => writer.track?.(track) ?? '',
  detection: (detection, track) => writer.detection?.(detection, track) ?? '',
  trackEnd: (track) => writer.trackEnd?.(track) ?? '',
  mediumEnd: (medium) => writer.mediumEnd?.(medium) ?? [],
});

function read(file: string, moved: readonly MovedStart[]): AsyncIterable<Uint8Array> {
  const bytes = createReadStream(file, { highWaterMark: READ_BYTES }) as AsyncIterable<Buffer>;
  return moved.length === 0 ? bytes : withTodaysFiles(bytes, moved);
}
