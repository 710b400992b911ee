/**
 * The baseline of service benchmarks: the same reader and detector in a plain loop. Each input line starts a
 * run and gets an output line.
 */
import { createInterface } from 'node:readline';
import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { LoadDetector } from '../../../components/sdk/detector.ts';
import { descriptorOf } from '../../components/visual.ts';
import { readImage } from '../../../media/picture/image-frame.ts';
import { openVideo } from '../../../media/video/video-frames.ts';
import type { BareWork } from './bare.ts';

const [component = 'faces'] = process.argv.slice(2);
const { default: load } = (await import(`../../components/${component}/detector.js`)) as {
  readonly default: LoadDetector;
};
const detector = await load({ models: { roots: [], loaded: 1, checkMs: 60_000 } });
const { algorithm } = await descriptorOf(component);
const properties = Object.fromEntries(
  algorithm.providesCollection.properties.map(({ name, defaultValue }) => [name, defaultValue ?? '']),
);
const job = { properties, signal: new AbortController().signal };

for await (const line of createInterface({ input: process.stdin })) {
  const work = JSON.parse(line) as BareWork;
  const start = performance.now();
  const tracks = 'images' in work ? await images(work.images) : await video(work);
  const answer = path.join(tmpdir(), `troupe-bare-${process.pid}.json`);
  writeFileSync(answer, JSON.stringify(tracks));
  const took = performance.now() - start;
  rmSync(answer);
  process.stdout.write(`${took}\n`);
}

async function images(files: readonly string[]): Promise<unknown[]> {
  const tracks: unknown[] = [];
  for (const file of files) tracks.push(await collect(detector.image!(await readImage(file), job)));
  return tracks;
}

async function video(work: Exclude<BareWork, { readonly images: unknown }>): Promise<unknown[]> {
  const reader = await openVideo(work.video, {
    range: { start: work.start, stop: work.stop },
    known: { fps: 25, constantRate: true, length: work.length },
  });
  return collect(detector.video!(reader, job));
}

async function collect(found: AsyncIterable<unknown>): Promise<unknown[]> {
  const tracks: unknown[] = [];
  for await (const track of found) tracks.push(track);
  return tracks;
}
