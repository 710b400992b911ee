/**
 * Converts the output of the BlazeFace network to boxes. It evaluates 896 fixed points ("anchors") of a 256 pixel square: two per cell of a
 * 16 x 16 grid, and six per cell of an 8 x 8 grid. Each anchor has a score (logit) and 16 numbers. The first four are a face's centre,
 * relative to the anchor, and its size, in pixels of the square. Six points follow, relative to the anchor: the person's right and left
 * eye, nose, mouth, right and left ear.
 */
import { type Box, iou, type Point } from '../../../domain/geometry/geometry.ts';

export const SIDE = 256;
const VALUES = 16;
const [RIGHT_EYE, LEFT_EYE, MOUTH] = [4, 6, 10];
const GRIDS = [
  { stride: 16, anchors: 2 },
  { stride: 32, anchors: 6 },
];

export interface RawFaces {
  /** Logits of the fine and the coarse grid. */
  readonly scores: readonly Float32Array[];
  /** Sixteen values for each score. */
  readonly boxes: readonly Float32Array[];
}

export interface Face extends Box {
  readonly confidence: number;
}

/** A face of one anchor. */
export interface RawFace extends Face {
  readonly rightEye: Point;
  readonly leftEye: Point;
  readonly mouth: Point;
}

/** Returns all faces with at least the probability `threshold`, in pixels of the square, by descending probability. */
export function decode(raw: RawFaces, threshold: number): RawFace[] {
  const least = Math.log(threshold / (1 - threshold));
  const faces: RawFace[] = [];
  GRIDS.forEach(({ stride, anchors }, level) => {
    const scores = raw.scores[level]!;
    const boxes = raw.boxes[level]!;
    const cells = SIDE / stride;
    for (let i = 0; i < scores.length; i++) {
      const score = scores[i]!;
      if (!(score >= least)) continue;
      const cell = Math.floor(i / anchors);
      const width = boxes[i * VALUES + 2]!;
      const height = boxes[i * VALUES + 3]!;
      const left = ((cell % cells) + 0.5) * stride;
      const top = (Math.floor(cell / cells) + 0.5) * stride;
      const pointAt = (value: number): Point => ({
        x: left + boxes[i * VALUES + value]!,
        y: top + boxes[i * VALUES + value + 1]!,
      });
      const centre = pointAt(0);
      if (!(width > 0 && height > 0)) continue;
      faces.push({
        ...{ x: centre.x - width / 2, y: centre.y - height / 2, width, height },
        confidence: 1 / (1 + Math.exp(-score)),
        ...{ rightEye: pointAt(RIGHT_EYE), leftEye: pointAt(LEFT_EYE), mouth: pointAt(MOUTH) },
      });
    }
  });
  return faces.toSorted((a, b) => b.confidence - a.confidence);
}

/**
 * Merges overlapping faces into one. The most likely one gives the confidence. The box is the mean of all, weighted by confidence, which
 * moves less from frame to frame than the most likely box.
 */
export function suppress(faces: readonly Face[], maxOverlap: number): Face[] {
  const kept: Face[] = [];
  let rest = faces;
  while (rest.length > 0) {
    const best = rest[0]!;
    const heap = rest.filter((face) => face === best || iou(face, best) > maxOverlap);
    rest = rest.filter((face) => !heap.includes(face));
    kept.push({ ...mean(heap), confidence: best.confidence });
  }
  return kept;
}

function mean(faces: readonly Face[]): Box {
  const total = faces.reduce((sum, face) => sum + face.confidence, 0);
  const average = (value: (face: Face) => number): number =>
    faces.reduce((sum, face) => sum + value(face) * face.confidence, 0) / total;
  return {
    x: average((face) => face.x),
    y: average((face) => face.y),
    width: average((face) => face.width),
    height: average((face) => face.height),
  };
}
