/** The baseline of the service bench: the same reader and the same detector in a plain loop. A line in, a run, a line out. */
import { createInterface } from 'node:readline';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import loadFaces from '../../components/faces/detector.ts';
import { descriptorOf } from '../components/visual.ts';
import { readImage } from '../../media/image-frame.ts';
import { openVideo } from '../../media/video-frames.ts';

interface Request {
  readonly file: string;
  readonly image: boolean;
  readonly frames: number;
}

const detector = await loadFaces();
const { algorithm } = await descriptorOf('faces');
const properties = Object.fromEntries(
  algorithm.providesCollection.properties.map(({ name, defaultValue }) => [name, defaultValue ?? '']),
);
const job = { properties, signal: new AbortController().signal };

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line) as Request;
  const start = performance.now();
  const tracks = request.image
    ? await collect(detector.image!(await readImage(request.file), job))
    : await video(request);
  writeFileSync(path.join(tmpdir(), `troupe-bare-${process.pid}.json`), JSON.stringify(tracks));
  process.stdout.write(`${performance.now() - start}\n`);
}

async function video({ file, frames }: Request): Promise<unknown[]> {
  const reader = await openVideo(file, {
    range: { start: 0, stop: frames - 1 },
    known: { fps: 25, constantRate: true, length: frames },
  });
  return collect(detector.video!(reader, job));
}

async function collect(found: AsyncIterable<unknown>): Promise<unknown[]> {
  const tracks: unknown[] = [];
  for await (const track of found) tracks.push(track);
  return tracks;
}
