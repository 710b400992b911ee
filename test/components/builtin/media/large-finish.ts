/**
 * Runs as its own process: finishes the given number of raw tracks (50 detections each, in 10 parts) and
 * prints the required heap. Arguments: folder, tracks, MERGE_TRACKS.
 */
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { finish } from '../../../../components/builtin/media/finish/finish.ts';
import { context, detection, finishWork, track } from './media-parts.ts';

const [folder = '', count = '0', merge = 'FALSE'] = process.argv.slice(2);
const PARTS = 10;
const LENGTH = 50;
const perPart = Number(count) / PARTS;
const parts = [];
for (let part = 0; part < PARTS; part += 1) {
  const path = `${folder}/raw-${part}.ndjson`;
  const out = createWriteStream(path);
  for (let i = 0; i < perPart; i += 1) {
    const box = [(i * 37) % 500, (i * 91) % 400, 40, 40];
    const line = JSON.stringify(
      track(Array.from({ length: LENGTH }, (_, at) => detection(part * LENGTH + at, box))),
    );
    if (!out.write(`${line}\n`)) await once(out, 'drain');
  }
  out.end();
  await once(out, 'finish');
  parts.push({ path, range: { start: part * LENGTH, stop: (part + 1) * LENGTH - 1 } });
}

const work = await finishWork((name) => `${folder}/${name}`, {
  parts: [],
  properties: { MERGE_TRACKS: merge },
});
let peak = 0;
let last = '';
const begun = Date.now();
for await (const chunk of finish({ ...work, parts }, context())) {
  peak = Math.max(peak, process.memoryUsage().heapUsed);
  last = chunk;
}
const { summary } = JSON.parse(last.trimEnd().split('\n').at(-1) ?? '') as { summary: unknown };
process.stdout.write(JSON.stringify({ summary, peakMb: Math.round(peak / 1e6), ms: Date.now() - begun }));
