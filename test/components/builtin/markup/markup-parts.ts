/** Creates finished tracks for the markup component, and parses its answer. */
import { writeFile } from 'node:fs/promises';
import { markUp } from '../../../../components/builtin/markup/markup.ts';
import type {
  FinishedDetection,
  FinishedTrack,
} from '../../../../components/builtin/media/finish/finished-line.ts';
import type { WorkMedium } from '../../../../protocol/media-work.ts';
import type { MarkupAnswer, MarkupWork, TrackSource } from '../../../../protocol/track-work.ts';
import type { Properties } from '../../../../domain/types.ts';
import { context, textOf } from '../media/media-parts.ts';

type Quad = readonly [number, number, number, number];

export function findBoxes(
  frame: number,
  [x, y, width, height]: Quad,
  detectionProperties: Properties = {},
  confidence = 0.5,
): FinishedDetection {
  return {
    ...{ offsetFrame: frame, offsetTime: frame * 40, x, y, width, height, confidence },
    detectionProperties,
    artifactExtractionStatus: 'NOT_ATTEMPTED',
    artifactPath: null,
  };
}

export function finishedTrack(
  detections: readonly FinishedDetection[],
  change: Partial<FinishedTrack> = {},
): FinishedTrack {
  const [first] = detections;
  if (first === undefined) throw new Error('a track has detections');
  return {
    index: 0,
    type: 'FACE',
    confidence: Math.max(...detections.map(({ confidence }) => confidence)),
    startOffsetFrame: first.offsetFrame,
    stopOffsetFrame: detections.at(-1)?.offsetFrame ?? 0,
    startOffsetTime: first.offsetTime,
    stopOffsetTime: detections.at(-1)?.offsetTime ?? 0,
    trackProperties: {},
    exemplar: first,
    detections,
    ...change,
  };
}

/** Writes the lines of a FINISH answer with its summary at the end. */
export async function sourceOf(
  path: string,
  tracks: readonly FinishedTrack[],
  change: Partial<TrackSource> = {},
): Promise<TrackSource> {
  const lines = [...tracks.map((track) => JSON.stringify(track)), JSON.stringify({ summary: {} })];
  await writeFile(path, lines.map((line) => `${line}\n`).join(''));
  return { task: 0, path, first: 0, count: tracks.length, consumedBy: [], ...change };
}

export interface Asked {
  readonly medium: Partial<WorkMedium> & Pick<WorkMedium, 'path'>;
  readonly sources: readonly TrackSource[];
  readonly folder: string;
  readonly properties?: Properties;
}

export function markupWork({ medium, sources, folder, properties = {} }: Asked): MarkupWork {
  return {
    medium: {
      ...{ mediaId: 1, mediaType: 'VIDEO', mimeType: 'video/mp4', length: 100, fps: 25, inspected: true },
      metadata: { HAS_CONSTANT_FRAME_RATE: 'true' },
      ...medium,
    },
    properties,
    sources,
    folder,
  };
}

export async function markedUp(asked: Asked): Promise<MarkupAnswer> {
  const lines = (await textOf(markUp(markupWork(asked), context()))).trimEnd().split('\n');
  if (lines.length !== 1) throw new Error(`the answer has ${lines.length} lines`);
  return JSON.parse(lines[0] ?? '') as MarkupAnswer;
}
