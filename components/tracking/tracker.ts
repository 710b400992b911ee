/**
 * Joins the detections of successive frames into tracks, while the frames come in.
 *
 * Every open track foretells its next box from its last two (constant speed). Pairs of track and detection are taken best
 * first by overlap; what does not overlap enough may still be joined by the distance of the centres, which a sampled
 * video needs. A track that found nothing for more than `maxGap` looked-at frames is closed and handed out, so
 * that memory holds open tracks only.
 */
import type { FoundDetection } from '../sdk/detector.ts';
import { centreDistance, overlap, type Box } from './boxes.ts';

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

interface OpenTrack {
  readonly detections: FoundDetection[];
  missed: number;
}

interface Pair {
  readonly track: OpenTrack;
  readonly detection: FoundDetection;
  readonly affinity: number;
}

export class Tracker {
  readonly #rules: TrackingRules;
  #open: OpenTrack[] = [];

  constructor(rules: TrackingRules) {
    this.#rules = rules;
  }

  /** Takes what was found in the next frame (frames ascend); answers the tracks that ended by it, oldest first. */
  next(frame: number, found: readonly FoundDetection[]): FoundDetection[][] {
    const taken = this.#join(frame, found);
    const ended: FoundDetection[][] = [];
    const open: OpenTrack[] = [];
    for (const track of this.#open) {
      if (track.missed <= this.#rules.maxGap) open.push(track);
      else ended.push(track.detections);
    }
    for (const detection of found)
      if (!taken.has(detection) && detection.confidence >= this.#rules.startConfidence)
        open.push({ detections: [detection], missed: 0 });
    this.#open = open;
    return ended;
  }

  /** Closes all that is open, at the end of the range or where the picture changed altogether. */
  finish(): FoundDetection[][] {
    const ended = this.#open.map((track) => track.detections);
    this.#open = [];
    return ended;
  }

  #join(frame: number, found: readonly FoundDetection[]): Set<FoundDetection> {
    const pairs: Pair[] = [];
    for (const track of this.#open) {
      track.missed++;
      const expected = foretell(track.detections, frame);
      for (const detection of found) {
        const affinity = this.#affinity(track, expected, detection);
        if (affinity > 0) pairs.push({ track, detection, affinity });
      }
    }
    pairs.sort((a, b) => b.affinity - a.affinity);
    const taken = new Set<FoundDetection>();
    for (const { track, detection } of pairs) {
      if (track.missed === 0 || taken.has(detection)) continue;
      track.detections.push(detection);
      track.missed = 0;
      taken.add(detection);
    }
    return taken;
  }

  /** 1 to 2 for boxes that overlap enough, 0 to 1 for near ones, 0 for strangers. */
  #affinity(track: OpenTrack, expected: Box, detection: FoundDetection): number {
    const { minOverlap, maxDistance, startConfidence } = this.#rules;
    const last = track.detections.at(-1)!;
    const common = Math.max(overlap(expected, detection), overlap(last, detection));
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

function foretell(detections: readonly FoundDetection[], frame: number): Box {
  const last = detections.at(-1)!;
  const before = detections.at(-2);
  if (before === undefined) return last;
  const steps = (frame - last.frame) / (last.frame - before.frame);
  const dx = last.x + last.width / 2 - (before.x + before.width / 2);
  const dy = last.y + last.height / 2 - (before.y + before.height / 2);
  return { x: last.x + dx * steps, y: last.y + dy * steps, width: last.width, height: last.height };
}
