/**
 * Runs each measurement in its own process, so that the peak of memory belongs to one variant. Arguments:
 * variant (`document`: the product; `lines`, `bytes`: plain copies; `idle`: nothing), source, target, tracks.
 * Prints milliseconds and the peak of resident memory.
 */
import { createReadStream, createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { writeDocument } from '../../../results/document/document.ts';
import { head, mediumWith, outputOf } from '../../results/document/document-parts.ts';
import { measureTime } from '../measure.ts';
import { peakBytes } from '../memory.ts';

const [what = '', source = '', target = '', tracks = '0'] = process.argv.slice(2);

const ways: Readonly<Record<string, () => Promise<void>>> = {
  idle: () => Promise.resolve(),
  document: () => pipeline(writeDocument(head(), media()), createWriteStream(target)),
  lines: () => pipeline(eachLine(), createWriteStream(target)),
  bytes: () => pipeline(createReadStream(source), createWriteStream(target)),
};

async function* media(): AsyncGenerator<ReturnType<typeof mediumWith>> {
  yield mediumWith([
    outputOf({ action: 'A', algorithm: 'FACE', tracks: source, types: { FACE: Number(tracks) } }),
  ]);
}

/** Copies line by line as text, with output chunks as large as the input chunks. */
async function* eachLine(): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of createReadStream(source, { encoding: 'utf8', highWaterMark: 256 * 1024 })) {
    const lines = (rest + (chunk as string)).split('\n');
    rest = lines.pop() ?? '';
    let piece = '';
    for (const line of lines) piece += `${line}\n`;
    yield piece;
  }
  yield rest;
}

const ms = await measureTime(ways[what]!);
process.stdout.write(`${JSON.stringify({ ms, peak: peakBytes('self') })}\n`);
