/** The segments of a live stream, one after the other: tracks go into the one that is open, and borders are made where frames pass them. */
import { randomUUID } from 'node:crypto';
import type { StreamCounts } from '../../../protocol/streams.ts';
import type { StreamAssignment } from '../../../protocol/worker-protocol.ts';
import type { FrameTransform } from '../../../media/picture/transform.ts';
import type { FoundTrack } from '../../sdk/detector.ts';
import { pictureTrack } from '../report.ts';
import { FrameClock } from './frame-clock.ts';
import type { LiveTracks } from './live-tracks.ts';
import { OpenSegment } from './open-segment.ts';
import type { LiveFrame } from './source.ts';
import type { StreamShaper } from './stream-shaper.ts';

/** The place of the pictures of a track in the stream, and what becomes of its tracks. */
export interface SegmentView {
  readonly transform: FrameTransform;
  readonly shaper: StreamShaper;
}

export class SegmentLine {
  readonly clock = new FrameClock();
  /** Frames that the detector has looked at, and those that it was spared. */
  processed = 0;
  skipped = 0;
  counts: () => StreamCounts = () => ({ read: 0, processed: 0, dropped: 0, skipped: 0, reconnects: 0 });
  /** The stream was stalled: what comes now is not followed from before. */
  wasInterrupted = false;
  view: SegmentView | undefined;
  readonly #work: StreamAssignment['work'];
  readonly #tracks: LiveTracks;
  readonly #send: (number: number, lines: string) => void;
  #segment: OpenSegment;
  /** The last frame that came. */
  #last = -1;

  constructor(
    work: StreamAssignment['work'],
    tracks: LiveTracks,
    send: (number: number, lines: string) => void,
  ) {
    this.#work = work;
    this.#tracks = tracks;
    this.#send = send;
    this.#segment = this.#newSegment(work.firstSegment);
  }

  /** The last frame of the segment that is open. */
  get stop(): number {
    return this.#segment.stop;
  }

  get last(): number {
    return this.#last;
  }

  /** Makes the borders that lie before a frame. */
  openFor({ index, at }: LiveFrame): void {
    if (index === this.#last) return;
    this.clock.noteFrame(index, at);
    if (this.wasInterrupted) this.addAll(this.#tracks.end(this.#last));
    this.wasInterrupted = false;
    while (index > this.#segment.stop) this.#close(this.#segment.stop);
    this.#last = index;
  }

  /** Closes the segment when its last frame has come. */
  closePassed(): void {
    if (this.#last >= this.#segment.stop) this.#close(this.#segment.stop);
  }

  /** At the end of the stream: the segment ends with the last frame that came, if any did. */
  closeLast(): void {
    if (this.#last >= this.#segment.start) this.#close(this.#last);
  }

  addAll(tracks: readonly FoundTrack[]): void {
    for (const track of tracks) this.add(track);
  }

  add(track: FoundTrack): void {
    const { view } = this;
    if (view === undefined || track.detections.length === 0) return;
    const liveId = track.liveId ?? randomUUID();
    if (track.liveId === undefined) this.#tracks.whole(liveId, track);
    const { start, stop } = this.#segment;
    const open = track.open ?? false;
    const trackStart = this.#tracks.startOf({ ...track, liveId });
    const reported = pictureTrack(track, () => view.transform);
    const shaped = view.shaper.shape(reported, { start, stop, open, trackStart });
    if (shaped !== null) this.#segment.add(shaped, liveId, open);
  }

  #close(stopFrame: number): void {
    const segment = this.#segment;
    this.addAll(this.#tracks.cut(stopFrame));
    this.#send(
      segment.number,
      segment.lines(stopFrame, this.counts(), (frame) => this.clock.at(frame)),
    );
    this.#tracks.border();
    this.#segment = this.#newSegment(segment.number + 1);
    this.clock.forgetBefore(this.#segment.start);
  }

  #newSegment(number: number): OpenSegment {
    return new OpenSegment(number, this.#work.segmentSize, this.#work.trackType);
  }
}
