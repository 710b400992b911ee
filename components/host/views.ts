/** Selects the part of each frame that is processed when tracks are fed forward. */
import { regionOf, uprightOf } from '../../media/picture/region.ts';
import { frameTransform, type FrameTransform } from '../../media/picture/transform.ts';
import { turn, type Size } from '../../domain/tracks/turned-picture.ts';
import { fillOf } from '../../media/picture/picture-turning.ts';
import type { Detection, Properties } from '../../domain/types.ts';
import type { FedTrack, FeedForward } from '../../protocol/detection-work.ts';
import type { Point } from '../../domain/geometry/geometry.ts';
import { groupBy } from '../../domain/grouping.ts';

type Placed = Pick<Detection, 'x' | 'y' | 'width' | 'height' | 'properties'>;

export interface Views {
  /** Size of the largest view. */
  readonly width: number;
  readonly height: number;
  /** Frames with something to process, ascending. */
  readonly frames: readonly number[];
  /** Returns the view of a frame. A frame without its own view has that of the previous frame. */
  of(frame: number): FrameTransform;
}

/** Returns the frames in which the tracks have detections, ascending and without repetition. */
export function framesOf(tracks: readonly FedTrack[]): number[] {
  const frames = new Set(tracks.flatMap(({ detections }) => detections.map(({ frame }) => frame)));
  return [...frames].toSorted((a, b) => a - b);
}

/**
 * Returns the views of tracks that are processed together, in stored pictures of one size. FRAME: whole frames, turned by the properties.
 * REGION: the upright box of a detection, or the box around all detections in a frame. SUPERSET_REGION: one box around all. Parts outside
 * the picture are left out.
 */
export function viewsOf(
  tracks: readonly FedTrack[],
  type: FeedForward['type'],
  { properties, metadata, size }: { properties: Properties; metadata: Properties; size: Size },
): Views {
  if (type === 'FRAME')
    return sameView(
      framesOf(tracks),
      frameTransform({ ...properties, FEED_FORWARD_TYPE: type }, metadata, size),
    );
  const fill = fillOf(properties['ROTATION_FILL_COLOR']);
  const seen = byFrame(tracks, size);
  if (type === 'SUPERSET_REGION') {
    const view = regionView([...seen.values()].flat(), size, fill);
    return view === null ? NOTHING : sameView([...seen.keys()], view);
  }
  const views = new Map<number, FrameTransform>();
  for (const [frame, detections] of seen) {
    const view = regionView(detections, size, fill);
    if (view !== null) views.set(frame, view);
  }
  return views.size === 0 ? NOTHING : ownViews(views);
}

const NOTHING: Views = {
  width: 0,
  height: 0,
  frames: [],
  of: (frame) => {
    throw new Error(`No part of frame ${frame} is processed.`);
  },
};

function sameView(frames: readonly number[], view: FrameTransform): Views {
  return { width: view.width, height: view.height, frames, of: () => view };
}

function ownViews(views: ReadonlyMap<number, FrameTransform>): Views {
  const frames = [...views.keys()];
  const largest = { width: 0, height: 0 };
  for (const { width, height } of views.values()) {
    largest.width = Math.max(largest.width, width);
    largest.height = Math.max(largest.height, height);
  }
  const near = (frame: number): number => frames.findLast((one) => one <= frame) ?? frames[0] ?? 0;
  return {
    ...largest,
    frames,
    of: (frame) => views.get(frame) ?? views.get(near(frame)) ?? NOTHING.of(frame),
  };
}

/** Returns the detections that overlap the picture, by frame in ascending order. */
function byFrame(tracks: readonly FedTrack[], size: Size): ReadonlyMap<number, readonly Placed[]> {
  const seen = tracks.flatMap(({ detections }) => detections).filter((one) => regionOf(one, size) !== null);
  return new Map([...groupBy(seen, ({ frame }) => frame)].toSorted(([a], [b]) => a - b));
}

function regionView(detections: readonly Placed[], size: Size, fill: number): FrameTransform | null {
  const region = detections.length === 0 ? null : regionOf(boxAround(detections), size, fill);
  if (region === null) return null;
  const { width, height } = region;
  return {
    width,
    height,
    apply: ({ index, time, warmUp, data }) => ({
      index,
      time,
      width,
      height,
      data: region.cut(data),
      warmUp,
    }),
    toMedium: (box) => region.toMedium(box),
  };
}

/** Returns the smallest box around detections (at least one), in the orientation of the first one. */
export function boxAround(detections: readonly Placed[]): Placed {
  const first = detections[0]!;
  if (detections.length === 1) return first;
  const lie = planeOf(first);
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const detection of detections) {
    if (!(detection.width > 0 && detection.height > 0)) continue;
    for (const corner of cornersOf(detection)) {
      const { x, y } = lie.fromStored(corner);
      [left, top] = [Math.min(left, x), Math.min(top, y)];
      [right, bottom] = [Math.max(right, x), Math.max(bottom, y)];
    }
  }
  if (!(right > left && bottom > top)) return first;
  const { x, y } = lie.toStored({ x: left, y: top });
  return { x, y, width: right - left, height: bottom - top, properties: first.properties };
}

/** Returns the detection enlarged by this share of its width on the left and right, and of its height above and below. */
export function withMargin<T extends Placed>(detection: T, margin: number): T {
  const [wider, higher] = [detection.width * margin, detection.height * margin];
  const offset = planeOf(detection).toStored({ x: -wider, y: -higher });
  return {
    ...detection,
    x: detection.x + offset.x,
    y: detection.y + offset.y,
    width: detection.width + 2 * wider,
    height: detection.height + 2 * higher,
  };
}

function cornersOf(box: Placed): Point[] {
  const { toStored } = planeOf(box);
  return [0, 1, 2, 3].map((corner) => {
    const offset = toStored({ x: (corner % 2) * box.width, y: (corner >> 1) * box.height });
    return { x: box.x + offset.x, y: box.y + offset.y };
  });
}

/** Converts between the stored picture's plane and the plane in which a detection is upright. Both have the same origin. */
function planeOf(detection: Placed): { toStored(at: Point): Point; fromStored(at: Point): Point } {
  const { rotation, flip } = uprightOf(detection);
  const { sin, cos } = turn({ width: 0, height: 0 }, rotation);
  const mirror = flip ? -1 : 1;
  return {
    toStored: ({ x, y }) => ({ x: mirror * (x * cos + y * sin), y: y * cos - x * sin }),
    fromStored: ({ x, y }) => ({ x: mirror * x * cos - y * sin, y: mirror * x * sin + y * cos }),
  };
}
