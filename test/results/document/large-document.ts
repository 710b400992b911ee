/**
 * Runs as its own process: writes a document with the given number of tracks, 50 detections each, and prints
 * the required heap. Arguments: folder, tracks.
 */
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { writeDocument } from '../../../results/document/document.ts';
import { head, mediumWith, trackLine, outputOf } from './document-parts.ts';

const [folder = '', count = '0'] = process.argv.slice(2);
const tracks = Number(count);
const source = createWriteStream(`${folder}/tracks.ndjson`);
for (let i = 0; i < tracks; i += 1)
  if (!source.write(`${trackLine('FACE', i, 50)}\n`)) await once(source, 'drain');
source.end('{"summary":{}}\n');
await once(source, 'finish');

async function* media(): AsyncGenerator<ReturnType<typeof mediumWith>> {
  yield mediumWith([
    outputOf({ action: 'A', algorithm: 'FACE', tracks: `${folder}/tracks.ndjson`, types: { FACE: tracks } }),
  ]);
}

let peak = 0;
const begun = Date.now();
await pipeline(
  writeDocument(head(), media()),
  async function* watchStream(chunks: AsyncIterable<string>) {
    for await (const chunk of chunks) {
      peak = Math.max(peak, process.memoryUsage().heapUsed);
      yield chunk;
    }
  },
  createWriteStream(`${folder}/document.json`),
);
process.stdout.write(JSON.stringify({ peakMb: Math.round(peak / 1e6), ms: Date.now() - begun }));
