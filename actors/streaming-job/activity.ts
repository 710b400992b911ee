/** Where the first track of the current segment starts, or of the last segment that had tracks (specification 2.3). */
import type { Activity, StreamingJobState } from './state.ts';

type Known = Pick<StreamingJobState, 'activity' | 'tracked'>;

/** The number of the segment that contains a frame. */
export const segmentOf = (frame: number, segmentSize: number): number => Math.floor(frame / segmentSize);

/** The last segment that is known to have a track; -1: none. */
export const lastActive = ({ activity }: Known, segmentSize: number): number =>
  activity === null ? -1 : segmentOf(activity.frame, segmentSize);

/** The report of a segment says which tracks it has; until then the component only expects them. */
export function activityAfter(
  known: Known,
  { segment, firstTrack }: { readonly segment: number; readonly firstTrack: Activity | null },
  segmentSize: number,
): Required<Known> {
  const { activity, tracked: before } = known;
  const tracked = firstTrack ?? before;
  return { tracked, activity: lastActive(known, segmentSize) > segment ? activity : tracked };
}
