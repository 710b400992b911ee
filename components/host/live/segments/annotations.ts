/** Properties that annotators found for tracks of earlier tasks. They are added to the tracks when their segment is reported. */
import type { Properties } from '../../../../domain/types.ts';
import type { StreamTrack } from '../../../../protocol/streams.ts';
import type { FoundTrack } from '../../../sdk/detector.ts';

interface Annotation {
  /** The most confident result for the track, also from earlier segments. */
  readonly confidence: number;
  readonly properties: Properties;
  /** Properties of detections in this segment, by frame. */
  readonly frames: ReadonlyMap<number, Properties>;
}

export class Annotations {
  readonly #found = new Map<string, Annotation>();

  add(liveId: string, { confidence, properties = {}, detections }: FoundTrack): void {
    const known = this.#found.get(liveId);
    const best = known !== undefined && known.confidence >= confidence ? known : { confidence, properties };
    const frames = new Map(known?.frames);
    for (const { frame, properties: found = {} } of detections) frames.set(frame, found);
    this.#found.set(liveId, { confidence: best.confidence, properties: best.properties, frames });
  }

  has(liveId: string): boolean {
    return this.#found.has(liveId);
  }

  /** Returns the track with the properties that were found for it. */
  annotate(track: StreamTrack): StreamTrack {
    const found = this.#found.get(track.liveId);
    if (found === undefined) return track;
    return {
      ...track,
      properties: { ...track.properties, ...found.properties },
      detections: track.detections.map((one) => ({
        ...one,
        properties: { ...one.properties, ...found.frames.get(one.frame) },
      })),
    };
  }

  /** Starts a new segment. Only tracks that continue keep their best result. */
  border(open: ReadonlySet<string>): void {
    for (const [liveId, found] of this.#found)
      if (open.has(liveId)) this.#found.set(liveId, { ...found, frames: new Map() });
      else this.#found.delete(liveId);
  }
}
