/** What a detector can do for a live stream besides answering tracks. */
import type { FoundDetection, FoundTrack } from './detector.ts';

/**
 * Given to a detector that follows things over the borders of segments (`followsStreams`): its `video` is called once for the whole
 * stream. Every track that it answers has the `liveId` that it got here.
 */
export interface LiveJob {
  /** A name for a new track. */
  newTrack(): string;
  /** To be called for each detection of a track as soon as it is known that the track counts: the first one tells of its beginning. */
  seen(liveId: string, detection: FoundDetection): void;
  /** The track gets no more detections. */
  ended(liveId: string): void;
  /** Takes who holds the open tracks; to be called before the first frame is asked for. */
  follow(open: OpenTracks): void;
}

/** Asked while the detector waits for a frame. */
export interface OpenTracks {
  /**
   * A segment ends with frame `last`: answers what each open track has found since the border before, and forgets it. The tracks go on.
   * A track without any detection since then is left out.
   */
  cut(last: number): readonly FoundTrack[];
  /** The stream was away for so long that nothing can be followed over the gap: closes all tracks, and answers the same of them. */
  end(last: number): readonly FoundTrack[];
}
