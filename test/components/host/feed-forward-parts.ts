/** Shared by tests of feed forward: sub-jobs, tracks to feed, and a detector that records its input. */
import { join } from 'node:path';
import { detect } from '../../../components/host/detect.ts';
import type { Detector, Frame, FrameSource, FoundTrack } from '../../../components/sdk/detector.ts';
import type { DetectWork, FedTrack, FeedForward } from '../../../protocol/detection-work.ts';
import type { WorkMedium } from '../../../protocol/media-work.ts';
import type { Detection, Properties, ReportedTrack } from '../../../domain/types.ts';
import { descriptorOf } from '../visual.ts';

export const FACE_VIDEO = video('face_move.mp4', 100, 25);

export function video(name: string, length: number, fps: number): WorkMedium {
  const metadata = { HAS_CONSTANT_FRAME_RATE: 'true' };
  return { ...medium('VIDEO', join('samples', name)), length, fps, metadata };
}

export function medium(mediaType: WorkMedium['mediaType'], path: string): WorkMedium {
  const length = mediaType === 'IMAGE' ? 1 : -1;
  return { mediaId: 1, mediaType, mimeType: 'x/y', path, length, metadata: {}, fps: 0, inspected: true };
}

type Box = Pick<Detection, 'x' | 'y' | 'width' | 'height'>;

/** A box in a frame of a video with 25 frames per second. */
export function seenAt(frame: number, box: Box, properties: Properties = {}): Detection {
  return { frame, time: frame * 40, confidence: 0.5, properties, ...box };
}

export function fedTrack(detections: readonly Detection[], more: Partial<FedTrack> = {}): FedTrack {
  const [first, last] = [detections[0]!, detections.at(-1)!];
  return {
    startFrame: first.frame,
    stopFrame: last.frame,
    startTime: first.time,
    stopTime: last.time,
    type: 'THING',
    confidence: 0.5,
    properties: { FOUND_BY: 'test' },
    detections,
    task: 0,
    line: 7,
    ...more,
  };
}

export interface Feeding extends Partial<Omit<DetectWork, 'feedForward'>> {
  readonly medium: WorkMedium;
  readonly feed?: Partial<FeedForward>;
}

export interface Answer {
  readonly tracks: ReportedTrack[];
  readonly progress: [done: number, total: number][];
}

/** The answer of the host to a sub-job that is fed these tracks, or none. */
export async function answerTo(
  detector: Detector,
  { feed, ...work }: Feeding,
  tracks?: readonly FedTrack[],
): Promise<Answer> {
  const progress: [number, number][] = [];
  const feedForward = {
    type: 'REGION',
    allTracks: false,
    annotate: false,
    input: '/input',
    bytes:
      tracks === undefined
        ? 0
        : Buffer.byteLength(tracks.map((track) => `${JSON.stringify(track)}\n`).join('')),
    ...feed,
  } as const;
  const plain = { trackType: 'T', properties: {}, range: { start: 0, stop: -1 }, contextFrames: 0, ...work };
  const found = detect(detector, tracks === undefined ? plain : { ...plain, feedForward }, {
    signal: new AbortController().signal,
    progress: (done, total) => progress.push([done, total]),
    input: (path) => Promise.resolve(linesOf(path === '/input' ? (tracks ?? []) : [])),
  });
  const lines: string[] = [];
  for await (const line of found) lines.push(line);
  return { tracks: lines.map((line) => JSON.parse(line) as ReportedTrack), progress };
}

async function* linesOf(tracks: readonly FedTrack[]): AsyncGenerator<Uint8Array> {
  for (const track of tracks) yield Buffer.from(`${JSON.stringify(track)}\n`);
}

export async function defaultsOf(component: string): Promise<Properties> {
  const { properties } = (await descriptorOf(component)).algorithm.providesCollection;
  return Object.fromEntries(properties.map(({ name, defaultValue }) => [name, defaultValue ?? '']));
}

export interface Shown extends Frame {
  /** Index of the detector call. */
  readonly call: number;
}

/** A detector that records its frames. In each frame it finds the given box as a new track. */
export function witness(found?: Box & { confidence?: number }): Detector & {
  readonly shown: Shown[];
  readonly sources: FrameSource[];
} {
  const shown: Shown[] = [];
  const sources: FrameSource[] = [];
  let call = -1;
  function* look(frame: Frame): Iterable<FoundTrack> {
    shown.push({ ...frame, data: Uint8Array.from(frame.data), call });
    if (found === undefined) return;
    const { confidence = 0.9, ...box } = found;
    const properties = { SEEN_IN: String(frame.index) };
    yield { confidence, properties, detections: [{ frame: frame.index, confidence, properties, ...box }] };
  }
  return {
    shown,
    sources,
    async *video(source) {
      call += 1;
      sources.push(source);
      for await (const frame of source.frames()) yield* look(frame);
    },
    async *image(frame) {
      call += 1;
      yield* look(frame);
    },
  };
}
