/** Start of the first track in the current segment, or in the last segment with tracks (specification 2.3). */
import type { Activity, StreamingJobState } from './state.ts';

type Known = Pick<StreamingJobState, 'activity' | 'tracked'>;

/** Returns the number of the segment that contains a frame. */
export const segmentOf = (frame: number, segmentSize: number): number => Math.floor(frame / segmentSize);

/** Returns the last segment with a known track, or -1. */
export const lastActive = ({ activity }: Known, segmentSize: number): number =>
  activity === null ? -1 : segmentOf(activity.frame, segmentSize);

/** Returns the activity after the report of a segment, which contains its tracks. Before the report, the component only expects them. */
export function activityAfter(
  known: Known,
  { segment, firstTrack }: { readonly segment: number; readonly firstTrack: Activity | null },
  segmentSize: number,
): Required<Known> {
  const { activity, tracked: before } = known;
  const tracked = firstTrack ?? before;
  return { tracked, activity: lastActive(known, segmentSize) > segment ? activity : tracked };
}
