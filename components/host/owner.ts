/** Finds the fed track to which a result belongs. */
import type { ReportedDetection, ReportedTrack } from '../../domain/types.ts';
import type { FedTrack } from '../../protocol/detection-work.ts';
import { iou } from '../../domain/geometry/geometry.ts';
import { groupBy } from '../../domain/grouping.ts';

/**
 * Returns a function for the index of the fed track that a result belongs to: the largest overlap of boxes in the result's first frame, or
 * for sound the longest common time. It returns 0 if no track overlaps.
 */
export function ownerFinder(tracks: readonly FedTrack[]): (found: ReportedTrack) => number {
  if (tracks.length === 1) return () => 0;
  const boxes = tracks.flatMap(({ detections }, index) => detections.map((box) => ({ index, box })));
  const places = groupBy(boxes, ({ box }) => box.frame);
  return (found) => {
    const [first] = found.detections;
    if (first === undefined) return 0;
    if (!hasPlace(first))
      return best(tracks.map((track, index) => ({ index, score: sharedTime(track, found) })));
    const there = places.get(first.frame) ?? [];
    return best(there.map(({ index, box }) => ({ index, score: iou(box, first) })));
  };
}

function best(candidates: readonly { readonly index: number; readonly score: number }[]): number {
  const [first] = candidates;
  if (first === undefined) return 0;
  return candidates.reduce((most, one) => (one.score > most.score ? one : most), first).index;
}

const hasPlace = ({ width, height }: ReportedDetection): boolean => width > 0 && height > 0;

/** Common time in milliseconds, both ends inclusive; 0 if the track has no times. */
function sharedTime(fed: FedTrack, { startTime, stopTime }: ReportedTrack): number {
  if (startTime === undefined || stopTime === undefined) return 0;
  return Math.max(0, Math.min(fed.stopTime, stopTime) - Math.max(fed.startTime, startTime) + 1);
}
