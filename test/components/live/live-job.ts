/** A live job with segment borders chosen by the test. Records its reports. */
import type { FoundDetection, FoundTrack, LiveJob, OpenTracks } from '../../../components/sdk/detector.ts';

export class HeardJob implements LiveJob {
  /** Tracks in the order of their first events. */
  readonly began: string[] = [];
  readonly over: string[] = [];
  seenDetections = 0;
  open: OpenTracks | undefined;
  #tracks = 0;

  newTrack(): string {
    return `t${this.#tracks++}`;
  }

  seen(liveId: string, _detection: FoundDetection): void {
    this.seenDetections++;
    if (!this.began.includes(liveId)) this.began.push(liveId);
  }

  mayCount(): void {}

  ended(liveId: string): void {
    this.over.push(liveId);
  }

  follow(open: OpenTracks): void {
    this.open = open;
  }
}

/** Joins the parts of each track by `liveId`, in the order of the first parts. */
export function joinParts(parts: readonly FoundTrack[]): FoundTrack[] {
  const tracks = new Map<string, FoundTrack>();
  for (const { liveId = '', open: _, ...part } of parts) {
    const before = tracks.get(liveId);
    tracks.set(liveId, before === undefined ? part : uniteTracks(before, part));
  }
  return [...tracks.values()];
}

function uniteTracks(before: FoundTrack, part: FoundTrack): FoundTrack {
  return {
    ...part,
    ...(before.startFrame === undefined ? {} : { startFrame: before.startFrame }),
    confidence: Math.max(before.confidence, part.confidence),
    detections: [...before.detections, ...part.detections],
  };
}
