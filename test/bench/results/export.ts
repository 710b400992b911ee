/** A document with a million detections in each export format, compared with a plain copy. Linux only. */
import { once } from 'node:events';
import { createWriteStream, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { ExportFormat } from '../../../domain/job/export-formats.ts';
import { writeDocument } from '../../../results/document/document.ts';
import { head, mediumWith, outputOf, trackLine } from '../../results/document/document-parts.ts';
import { jsonOf } from '../jobs/child.ts';
import { runInterleaved, median, round, type Figure } from '../measure.ts';
import { inMib } from '../memory.ts';

const DETECTIONS = 1_000_000;
const ROUNDS = 3;

interface Run {
  readonly ms: number;
  readonly peak: number;
  readonly bytes: number;
}

export async function exports(): Promise<readonly Figure[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'troupe-bench-'));
  try {
    // Subtitles and COCO have one entry per track, the others one per detection.
    return [
      ...(await measureExport(folder, 'FACE', 50, [
        'ndjson',
        'csv',
        'cvat',
        'parquet',
        'labelstudio',
        'yolo',
        'html',
      ])),
      ...(await measureExport(folder, 'SPEECH', 4, ['coco', 'vtt', 'srt'])),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measureExport(
  folder: string,
  type: string,
  length: number,
  formats: readonly ExportFormat[],
): Promise<readonly Figure[]> {
  const tracks = DETECTIONS / length;
  const document = await writtenDocument(folder, type, tracks, length);
  const runs = new Map<string, Run[]>();
  const way = (what: string) => async () => {
    const run = (await jsonOf('results/export-child.js', [what, document, path.join(folder, 'out')])) as Run;
    runs.set(what, [...(runs.get(what) ?? []), run]);
    return run.ms;
  };
  const times = await runInterleaved(
    ROUNDS,
    Object.fromEntries(['idle', 'bytes', ...formats].map((what) => [what, way(what)])),
  );
  const peakOf = (what: string) => median(runs.get(what)!.map(({ peak }) => peak));
  const figure = (what: string): Figure => ({
    what,
    value: `${round(times[what]! / 1_000, 2)} s, ratio ${round(times[what]! / times['bytes']!, 1)}; ${round(runs.get(what)![0]!.bytes / 1e6)} MB written; memory ${inMib(peakOf(what) - peakOf('idle'))}`,
    aim: what === 'bytes' ? '' : '<= 64 MiB',
  });
  const megabytes = round(statSync(document).size / 1e6);
  return [
    {
      ...figure('bytes'),
      what: `a bare copy of the document (${megabytes} MB, ${round(tracks)} tracks of ${length})`,
    },
    ...formats.map(figure),
  ];
}

async function writtenDocument(
  folder: string,
  type: string,
  tracks: number,
  length: number,
): Promise<string> {
  const [lines, document] = [path.join(folder, 'tracks.ndjson'), path.join(folder, 'document.json')];
  const out = createWriteStream(lines);
  for (let index = 0; index < tracks; index++)
    if (!out.write(`${trackLine(type, index, length)}\n`)) await once(out, 'drain');
  out.end('{"summary":{}}\n');
  await once(out, 'finish');
  const metadata = { FPS: '30', FRAME_WIDTH: '1280', FRAME_HEIGHT: '720' };
  async function* media() {
    yield mediumWith([outputOf({ action: 'A', algorithm: type, tracks: lines, types: { [type]: tracks } })], {
      facts: {
        ...{ mediaType: 'VIDEO', mimeType: 'video/mp4', sha256: 'c067' },
        ...{ length: tracks + length, metadata },
      },
    });
  }
  await pipeline(writeDocument(head(), media()), createWriteStream(document));
  rmSync(lines);
  return document;
}
