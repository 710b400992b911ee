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
  /** Least intersection over union of a detection with the foretold box. */
  readonly minOverlap: number;
  /** Largest centre distance, in box sides, of a detection that does not overlap enough; 0 joins by overlap only. */
  readonly maxDistance: number;
  /** Looked-at frames in a row in which a track may find nothing. */
  readonly maxGap: number;
  /** A detection below this confidence goes on with a track, where it overlaps well, but starts none. */
  readonly startConfidence: number;
}

/** What a weak detection must overlap with a track: near its end something else may look a little like it. */
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

  /** Takes what was found in the next frame (frames ascend); answers the tracks that ended by it, oldest first. */
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

  /** What open tracks have found since the last border, for a segment that ends here; they go on. */
  cut(): TrackPart[] {
    return partsOf(this.#open, (track) => track.cut());
  }

  /** Closes all that is open, at the end of the range or where the picture changed altogether. */
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

  /** 1 to 2 for boxes that overlap enough, 0 to 1 for near ones, 0 for strangers. */
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

/** Near boxes are the same thing only when neither is much larger than the other. */
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
