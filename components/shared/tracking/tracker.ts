/**
 * Joins the detections of successive frames into tracks, while the frames come in.
 *
 * Every open track predicts its next box from its last two (constant speed). Pairs of track and detection are matched by overlap, the
 * best first. Without enough overlap, the distance of the centres may still match them, which a sampled video needs. A track without
 * a detection for more than `maxGap` processed frames is closed and returned, so memory holds only open tracks. In a live stream, the
 * tracker returns the parts of open tracks at the borders of segments.
 */
import type { FoundDetection } from '../../sdk/detector.ts';
import { type Box, iou } from '../../../domain/geometry/geometry.ts';
import { centreDistance } from './boxes.ts';
import { OpenTrack, partsOf, type Following, type TrackPart } from './open-track.ts';

export interface TrackingRules {
  /** Minimum intersection over union of a detection and the predicted box. */
  readonly minOverlap: number;
  /** Maximum centre distance, in box sides, of a detection without enough overlap; 0 matches by overlap only. */
  readonly maxDistance: number;
  /** Maximum number of consecutive processed frames without a detection. */
  readonly maxGap: number;
  /** Minimum confidence to start a track. A detection below it can only continue a track with good overlap. */
  readonly startConfidence: number;
}

/** Minimum overlap of a weak detection with a track. Near the end of a track, other objects may look similar. */
const WEAK_OVERLAP = 0.5;

interface Pair {
  readonly track: OpenTrack;
  readonly detection: FoundDetection;
  readonly affinity: number;
}

export class Tracker {
  readonly #rules: TrackingRules;
  readonly #following: Following;
  #open: OpenTrack[] = [];

  constructor(rules: TrackingRules, following: Following = {}) {
    this.#rules = rules;
    this.#following = following;
  }

  /** Adds the detections of the next frame (frames ascend). Returns the tracks that it ended, oldest first. */
  next(frame: number, found: readonly FoundDetection[]): TrackPart[] {
    const taken = this.#join(frame, found);
    const ended: OpenTrack[] = [];
    const open: OpenTrack[] = [];
    for (const track of this.#open) (track.missed <= this.#rules.maxGap ? open : ended).push(track);
    for (const detection of found)
      if (!taken.has(detection) && detection.confidence >= this.#rules.startConfidence)
        open.push(new OpenTrack(detection, this.#following));
    this.#open = open;
    return partsOf(ended, (track) => track.end());
  }

  /** Returns the detections of open tracks since the last border, at the end of a segment. The tracks stay open. */
  cut(): TrackPart[] {
    return partsOf(this.#open, (track) => track.cut());
  }

  /** Closes all open tracks, at the end of the range or after a scene change. */
  finish(): TrackPart[] {
    const ended = this.#open;
    this.#open = [];
    return partsOf(ended, (track) => track.end());
  }

  #join(frame: number, found: readonly FoundDetection[]): Set<FoundDetection> {
    const pairs: Pair[] = [];
    for (const track of this.#open) {
      track.missed++;
      const expected = foretell(track, frame);
      for (const detection of found) {
        const affinity = this.#affinity(track, expected, detection);
        if (affinity > 0) pairs.push({ track, detection, affinity });
      }
    }
    pairs.sort((a, b) => b.affinity - a.affinity);
    const taken = new Set<FoundDetection>();
    for (const { track, detection } of pairs) {
      if (track.missed === 0 || taken.has(detection)) continue;
      track.add(detection);
      taken.add(detection);
    }
    return taken;
  }

  /** 1 to 2 for boxes that overlap enough, 0 to 1 for near boxes, 0 for others. */
  #affinity({ last }: OpenTrack, expected: Box, detection: FoundDetection): number {
    const { minOverlap, maxDistance, startConfidence } = this.#rules;
    const common = Math.max(iou(expected, detection), iou(last, detection));
    const weak = detection.confidence < startConfidence;
    if (common > 0 && common >= (weak ? Math.max(minOverlap, WEAK_OVERLAP) : minOverlap)) return 1 + common;
    if (weak) return 0;
    const distance = Math.min(centreDistance(expected, detection), centreDistance(last, detection));
    return distance < maxDistance && alike(last, detection) ? 1 - distance / maxDistance : 0;
  }
}

/** True if the boxes have similar areas. Near boxes of very different sizes are different objects. */
function alike(a: Box, b: Box): boolean {
  const ratio = (a.width * a.height) / (b.width * b.height);
  return ratio > 0.4 && ratio < 2.5;
}

function foretell({ last, before }: OpenTrack, frame: number): Box {
  if (before === undefined) return last;
  const steps = (frame - last.frame) / (last.frame - before.frame);
  const dx = last.x + last.width / 2 - (before.x + before.width / 2);
  const dy = last.y + last.height / 2 - (before.y + before.height / 2);
  return { x: last.x + dx * steps, y: last.y + dy * steps, width: last.width, height: last.height };
}
