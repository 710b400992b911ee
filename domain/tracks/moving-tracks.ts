/** MOVING_TRACK_LABELS_ENABLED: distinguishes moving tracks from stationary ones. */
import type { Properties, Track } from '../types.ts';
import { iou, isEmptyBox, type Box } from '../geometry/geometry.ts';
import { booleanOf, numberOf } from '../properties/properties.ts';

export interface MovingRule {
  /** A detection moves if its intersection over union with the average box of its track is at most this. */
  readonly maxIou: number;
  /** A track moves if at least this many of its detections move. */
  readonly minDetections: number;
  /** True: stationary tracks are dropped. */
  readonly movingOnly: boolean;
}

/** The effective rule. Null if tracks are not labelled. */
export function movingRule(properties: Properties): MovingRule | null {
  if (!booleanOf(properties, 'MOVING_TRACK_LABELS_ENABLED')) return null;
  return {
    maxIou: numberOf(properties, 'MOVING_TRACK_MAX_IOU'),
    minDetections: numberOf(properties, 'MOVING_TRACK_MIN_DETECTIONS'),
    movingOnly: booleanOf(properties, 'MOVING_TRACKS_ONLY'),
  };
}

/** The track with the property MOVING on itself and on its detections. Null if the rule drops it. */
export function labelMoving(track: Track, rule: MovingRule): Track | null {
  const average = averageBox(track.detections);
  const moves = track.detections.map((box) => isMoving(box, average, rule.maxIou));
  const trackMoves = moves.filter(Boolean).length >= rule.minDetections;
  if (rule.movingOnly && !trackMoves) return null;
  const detections = track.detections.map((detection, index) => ({
    ...detection,
    properties: withMovingLabel(detection.properties, moves[index] ?? false),
  }));
  return { ...track, properties: withMovingLabel(track.properties, trackMoves), detections };
}

function withMovingLabel(properties: Properties, moving: boolean): Properties {
  return { ...properties, MOVING: moving ? 'TRUE' : 'FALSE' };
}

function isMoving(box: Box, average: Box, maxIou: number): boolean {
  return !isEmptyBox(box) && !isEmptyBox(average) && iou(average, box) <= maxIou;
}

function averageBox(boxes: readonly Box[]): Box {
  const mean = (of: (box: Box) => number): number =>
    boxes.reduce((sum, box) => sum + of(box), 0) / boxes.length;
  return {
    x: mean((b) => b.x),
    y: mean((b) => b.y),
    width: mean((b) => b.width),
    height: mean((b) => b.height),
  };
}
