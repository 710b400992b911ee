/**
 * Shared by tests of visual detectors: jobs with default properties, painted videos, and collected results.
 */
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { findComponents } from '../../actors/catalog/descriptors/find-components.ts';
import type {
  DetectionJob,
  DetectorHost,
  FoundTrack,
  Frame,
  FrameSource,
} from '../../components/sdk/detector.ts';
import type { Action, Algorithm, Pipeline, Properties, Task } from '../../domain/types.ts';

export interface Descriptor {
  readonly algorithm: Algorithm;
  readonly actions: readonly Action[];
  readonly tasks: readonly Task[];
  readonly pipelines: readonly Pipeline[];
}

export async function descriptorOf(component: string): Promise<Descriptor> {
  const found = findComponents('components').find(({ folder }) => basename(folder) === component);
  if (found === undefined) throw new Error(`There is no component ${component}.`);
  return JSON.parse(await readFile(join(found.folder, 'descriptor.json'), 'utf8')) as Descriptor;
}

/** A sub-job with the default properties of the descriptor, overridden by these. */
export async function jobOf(component: string, properties: Properties = {}): Promise<DetectionJob> {
  const declared = (await descriptorOf(component)).algorithm.providesCollection.properties;
  const defaults = Object.fromEntries(declared.map(({ name, defaultValue }) => [name, defaultValue ?? '']));
  return { properties: { ...defaults, ...properties }, signal: new AbortController().signal };
}

export async function all<T>(found: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of found) list.push(item);
  return list;
}

export function spans(tracks: readonly FoundTrack[]): [number, number][] {
  return tracks.map((track) => [
    track.startFrame ?? track.detections[0]!.frame,
    track.stopFrame ?? track.detections.at(-1)!.frame,
  ]);
}

export type Colour = readonly [number, number, number];
/** Returns the colour of a pixel of a frame. */
export type Painter = (x: number, y: number, frame: number) => Colour;

/** An image with computed pixels. */
export function picture(width: number, height: number, paint: (x: number, y: number) => Colour): Frame {
  const data = new Uint8Array(width * height * 3);
  fill(data, width, paint);
  return { index: 0, time: 0, width, height, data, warmUp: false };
}

function fill(data: Uint8Array, width: number, paint: (x: number, y: number) => Colour): void {
  for (let at = 0, y = 0; at < data.length; y++)
    for (let x = 0; x < width; x++, at += 3) {
      const colour = paint(x, y);
      data[at] = colour[0];
      data[at + 1] = colour[1];
      data[at + 2] = colour[2];
    }
}

export interface Painting {
  readonly width?: number;
  readonly height?: number;
  readonly frames: number;
  /** First frame with results. Earlier frames are for warm-up. */
  readonly start?: number;
  readonly interval?: number;
}

/** A video with computed pixels. Like real readers, it reuses one buffer. */
export function paintVideo(painting: Painting, paint: Painter): FrameSource {
  const { width = 160, height = 96, frames, start = 0, interval = 1 } = painting;
  const data = new Uint8Array(width * height * 3);
  return {
    width,
    height,
    fps: 25,
    start,
    stop: frames - 1,
    async *frames(): AsyncIterable<Frame> {
      for (let index = 0; index < frames; index += interval) {
        fill(data, width, (x, y) => paint(x, y, index));
        yield { index, time: index * 40, width, height, data, warmUp: index < start };
      }
    },
  };
}

/** A pseudo-random number from 0 to 1, always the same for the same arguments. */
export function noise(a: number, b: number, c: number): number {
  let hash = Math.imul(a, 0x9e3779b1) ^ Math.imul(b, 0x85ebca6b) ^ Math.imul(c, 0xc2b2ae35);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  hash = Math.imul(hash ^ (hash >>> 12), 0x297a2d39);
  return ((hash ^ (hash >>> 15)) >>> 0) / 2 ** 32;
}

/** Names of properties whose invalid value is accepted although it must be refused with INVALID_PROPERTY. */
export async function acceptsBroken(
  component: string,
  run: (job: DetectionJob) => AsyncIterable<FoundTrack>,
): Promise<string[]> {
  const accepted: string[] = [];
  for (const { name } of (await descriptorOf(component)).algorithm.providesCollection.properties) {
    const code = await all(run(await jobOf(component, { [name]: 'many' }))).then(
      () => 'accepted',
      (error: { code?: string }) => error.code,
    );
    if (code !== 'INVALID_PROPERTY') accepted.push(name);
  }
  return accepted;
}

/** A host of detectors without user-supplied models. */
export const NO_MODELS: DetectorHost = { models: { roots: [], loaded: 1, checkMs: 60_000 } };
