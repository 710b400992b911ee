/** Creates work for the media component, and parses its results. */
import { writeFile } from 'node:fs/promises';
import type { FinishSummary, FinishWork } from '../../../../protocol/track-work.ts';
import type { WorkContext } from '../../../../components/sdk/work/work-context.ts';
import { finish } from '../../../../components/builtin/media/finish/finish.ts';
import type {
  FrameTimes,
  MediaType,
  ReportedDetection,
  ReportedTrack,
  ReportedWarning,
} from '../../../../domain/types.ts';

export interface WrittenDetection {
  readonly offsetFrame: number;
  readonly offsetTime: number;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly confidence: number;
  readonly detectionProperties: Readonly<Record<string, string>>;
}
export interface WrittenTrack {
  readonly id: string;
  readonly index: number;
  readonly startOffsetFrame: number;
  readonly stopOffsetFrame: number;
  readonly startOffsetTime: number;
  readonly stopOffsetTime: number;
  readonly type: string;
  readonly source: string;
  readonly confidence: number;
  readonly trackProperties: Readonly<Record<string, string>>;
  readonly exemplar: WrittenDetection;
  readonly detections: readonly WrittenDetection[];
}

export function detection(
  frame: number,
  box: readonly number[],
  change: Partial<ReportedDetection> = {},
): ReportedDetection {
  const [x = 0, y = 0, width = 0, height = 0] = box;
  return { frame, x, y, width, height, confidence: 0.5, properties: {}, ...change };
}

export function track(
  detections: readonly ReportedDetection[],
  change: Partial<ReportedTrack> = {},
): ReportedTrack {
  return {
    startFrame: detections[0]?.frame ?? 0,
    stopFrame: detections.at(-1)?.frame ?? 0,
    confidence: 0.5,
    properties: {},
    detections,
    ...change,
  };
}

/** A track with the same box in its first and last frame. */
export function span(start: number, stop: number, box: readonly number[] = [10, 10, 50, 60]): ReportedTrack {
  return track([detection(start, box), ...(stop > start ? [detection(stop, box)] : [])]);
}

export interface Given {
  readonly parts: readonly (readonly (ReportedTrack | ReportedWarning)[])[];
  readonly mediaType?: MediaType;
  readonly properties?: Readonly<Record<string, string>>;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly frameTimes?: FrameTimes;
  readonly trackType?: string;
}

export async function finishWork(path: (name: string) => string, given: Given): Promise<FinishWork> {
  const { mediaType = 'VIDEO', frameTimes = { fps: 25, constantRate: true, startTime: 0 } } = given;
  const metadata = given.metadata ?? { FRAME_WIDTH: '640', FRAME_HEIGHT: '480' };
  const prepared = path('prepared.ndjson');
  await writeFile(prepared, `${JSON.stringify({ facts: { frameTimes } })}\n`);
  const parts = [];
  for (const [index, tracks] of given.parts.entries()) {
    const file = path(`part-${index}.ndjson`);
    await writeFile(file, tracks.map((one) => `${JSON.stringify(one)}\n`).join(''));
    parts.push({ path: file, range: { start: index * 100, stop: index * 100 + 99 } });
  }
  const medium = {
    mediaId: 1,
    mediaType,
    mimeType: 'video/mp4',
    path: '/m',
    length: 1000,
    metadata,
    fps: 25,
    inspected: true,
  };
  const { trackType = 'FACE', properties = {} } = given;
  return {
    medium,
    sha256: 'abc',
    prepared,
    parts,
    action: 'THE ACTION',
    algorithm: 'FACE',
    trackType,
    properties,
    task: 0,
  };
}

export function context(change: Partial<WorkContext> = {}): WorkContext {
  return {
    signal: new AbortController().signal,
    progress: () => undefined,
    input: () => Promise.reject(new Error('no input')),
    ...change,
  };
}

export async function textOf(body: AsyncIterable<string | Uint8Array>): Promise<string> {
  const pieces: string[] = [];
  for await (const piece of body)
    pieces.push(typeof piece === 'string' ? piece : Buffer.from(piece).toString());
  return pieces.join('');
}

export async function finishAll(work: FinishWork): Promise<{
  readonly tracks: readonly WrittenTrack[];
  readonly summary: FinishSummary;
  readonly text: string;
}> {
  const text = await textOf(finish(work, context()));
  const lines = text.trimEnd().split('\n');
  const { summary } = JSON.parse(lines.pop() ?? '') as { summary: FinishSummary };
  return { tracks: lines.map((line) => JSON.parse(line) as WrittenTrack), summary, text };
}
