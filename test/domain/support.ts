/** The numeric acceptance cases, and short definitions of tracks for them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { configureGlobal, readConfigureGlobal } from 'fast-check';
import type { DetectionErrorCode, MediaType, Properties, Range, Track } from '../../domain/types.ts';
import type { Box } from '../../domain/geometry/geometry.ts';
import { seed } from '../support/seed.ts';

type Pair = readonly [number, number];
export type Quad = readonly [number, number, number, number];

interface Oriented {
  readonly in: Quad;
  readonly rotation?: number;
  readonly flip?: boolean;
}

export interface Vectors {
  readonly segments: {
    readonly cases: readonly { in: Pair[]; target: number; min: number; gap: number; out: Pair[] }[];
    readonly overlaps: readonly { a: Pair; b: Pair; gap: number; out: boolean }[];
  };
  readonly userRanges: {
    readonly frameTimes: number[];
    readonly cases: readonly { frames: Pair[]; times: Pair[]; out: Pair[] }[];
  };
  readonly trackMerging: {
    readonly tracks: readonly {
      id: number;
      start: number;
      stop: number;
      box?: Quad;
      firstBox?: Quad;
      lastBox?: Quad;
    }[];
    readonly cases: readonly {
      mediaType?: MediaType;
      merge: boolean;
      gap?: number;
      minLength?: number;
      count: number;
    }[];
    readonly mergedProperties: {
      a: Properties;
      b: Properties;
      confidence: Pair;
      out: Properties;
      outConfidence: number;
    };
  };
  readonly padding: {
    readonly cases: readonly (Oriented & {
      x: string;
      y: string;
      frame: Pair;
      out: Quad;
      shrunk?: boolean;
    })[];
  };
  readonly illFormed: { readonly cases: readonly (Oriented & { out: boolean })[] };
  readonly moving: {
    readonly cases: readonly {
      boxes: Quad[];
      maxIou?: number;
      minDetections?: number;
      moving: boolean[];
      track: boolean;
    }[];
  };
  readonly topQuality: {
    readonly cases: readonly { detections: Pair[]; exemplarFrame: number; top3?: number[] }[];
  };
  readonly frameTime: {
    readonly textTestVideo: { cases: Pair[] };
    readonly skippedInspectionVideo: { fps: number; startTime: number; cases: Pair[] };
  };
  readonly frameRangeString: {
    readonly cases: readonly { in: number[]; out: string | null }[];
    readonly errorMerging: readonly {
      errors: (readonly [number, number, DetectionErrorCode, string])[];
      out: string[];
    }[];
  };
  readonly skipInspection: {
    readonly cases: readonly {
      metadata: Properties;
      skipped: boolean;
      type?: MediaType;
      length?: number;
      warning?: string;
    }[];
  };
  readonly trigger: { readonly valid: (string | null)[]; readonly invalid: string[] };
  readonly jsonPath: {
    readonly doc: unknown;
    readonly cases: readonly (readonly [string, string])[];
    readonly doc2: unknown;
    readonly cases2: readonly (readonly [string, string])[];
  };
  readonly rollUp: { readonly file: unknown; readonly in: Properties; readonly out: Properties };
  readonly jobId: { readonly ok: Readonly<Record<string, number>>; readonly bad: string[] };
  readonly rotatedBoxes: {
    readonly cases: readonly { box: Quad; rotation: number; corners: Pair[]; center?: Pair }[];
  };
}

/** A failing random test prints its seed; SEED= repeats it. */
configureGlobal({ ...readConfigureGlobal(), seed });

export const vectors: Vectors = JSON.parse(
  readFileSync(join(process.cwd(), 'test/fixtures/vectors.json'), 'utf8'),
);

export function range([start, stop]: Pair): Range {
  return { start, stop };
}

export function pair({ start, stop }: Range): Pair {
  return [start, stop];
}

export function box([x, y, width, height]: Quad): Box {
  return { x, y, width, height };
}

export function quad({ x, y, width, height }: Box): Quad {
  return [x, y, width, height];
}

export function orientation({ rotation, flip }: Oriented): Properties {
  return {
    ...(rotation === undefined ? {} : { ROTATION: String(rotation) }),
    ...(flip === undefined ? {} : { HORIZONTAL_FLIP: String(flip).toUpperCase() }),
  };
}

export interface GivenDetection {
  readonly frame: number;
  readonly box?: Quad;
  readonly confidence?: number;
  readonly properties?: Properties;
}

/** A FACE track of these detections, 100 ms per frame. */
export function track(given: readonly GivenDetection[], more: Partial<Track> = {}): Track {
  const detections = given.map((d) => ({
    frame: d.frame,
    time: d.frame * 100,
    ...box(d.box ?? [10, 10, 50, 60]),
    confidence: d.confidence ?? 0.5,
    properties: d.properties ?? {},
  }));
  const startFrame = detections[0]?.frame ?? 0;
  const stopFrame = detections.at(-1)?.frame ?? 0;
  return {
    startFrame,
    stopFrame,
    startTime: startFrame * 100,
    stopTime: stopFrame * 100,
    type: 'FACE',
    confidence: Math.max(...detections.map((d) => d.confidence)),
    properties: {},
    detections,
    ...more,
  };
}
