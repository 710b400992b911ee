/**
 * A process of its own for each measurement, so that its peak of memory is that of one way of writing.
 * Arguments: what to do (`document`: the product; `lines`, `bytes`: bare copies; `idle`: nothing), source, target, tracks.
 * Prints milliseconds and the peak of resident memory.
 */
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream/promises';
import { writeDocument } from '../../output/document.ts';
import { head, mediumWith, outputOf } from '../output/document-parts.ts';
import { timed } from './measure.ts';
import { peakBytes } from './memory.ts';

const [what = '', source = '', target = '', tracks = '0'] = process.argv.slice(2);

const ways: Readonly<Record<string, () => Promise<void>>> = {
  idle: () => Promise.resolve(),
  document: () => pipeline(writeDocument(head(), media()), createWriteStream(target)),
  lines: copyLines,
  bytes: () => pipeline(createReadStream(source), createWriteStream(target)),
};

async function* media(): AsyncGenerator<ReturnType<typeof mediumWith>> {
  yield mediumWith([
    outputOf({ action: 'A', algorithm: 'FACE', tracks: source, types: { FACE: Number(tracks) } }),
  ]);
}

async function copyLines(): Promise<void> {
  const out = createWriteStream(target);
  for await (const line of createInterface({ input: createReadStream(source) }))
    if (!out.write(`${line}\n`)) await once(out, 'drain');
  out.end();
  await once(out, 'finish');
}

const ms = await timed(ways[what]!);
process.stdout.write(`${JSON.stringify({ ms, peak: peakBytes('self') })}\n`);
