/** The sequence of segments of a live stream. Tracks go to the open segment, and segments end when frames pass their borders. */
import { randomUUID } from 'node:crypto';
import type { StreamCounts } from '../../../../protocol/streams.ts';
import type { StreamAssignment } from '../../../../protocol/worker-protocol.ts';
import type { FoundTrack } from '../../../sdk/detector.ts';
import { pictureTrack } from '../../report.ts';
import { Annotations } from './annotations.ts';
import { FrameClock } from './frame-clock.ts';
import type { DetectorCall } from '../actions/detector-call.ts';
import { OpenSegment } from './open-segment.ts';
import type { LiveScene } from '../live-scene.ts';
import type { LiveFrame } from '../source.ts';

export class SegmentLine {
  readonly clock = new FrameClock();
  /** What annotators found for tracks of this segment. */
  readonly annotations = new Annotations();
  /** Detector calls that may have open tracks. */
  readonly calls = new Set<DetectorCall>();
  /** Number of frames that a detector processed, and of frames that all detectors skipped. */
  processed = 0;
  skipped = 0;
  counts: () => StreamCounts = () => ({ read: 0, processed: 0, dropped: 0, skipped: 0, reconnects: 0 });
  /** True after a stall: new tracks do not continue earlier ones. */
  wasInterrupted = false;
  readonly #work: StreamAssignment['work'];
  readonly #scene: LiveScene;
  readonly #send: (number: number, lines: string) => void;
  #segment: OpenSegment;
  /** The last received frame. */
  #last = -1;

  constructor(
    work: StreamAssignment['work'],
    scene: LiveScene,
    send: (number: number, lines: string) => void,
  ) {
    this.#work = work;
    this.#scene = scene;
    this.#send = send;
    this.#segment = this.#newSegment(work.firstSegment);
  }

  /** The last frame of the open segment. */
  get stop(): number {
    return this.#segment.stop;
  }

  get last(): number {
    return this.#last;
  }

  /** Ends segments whose border is before the frame. */
  openFor({ index, at }: LiveFrame): void {
    this.clock.noteFrame(index, at);
    if (this.wasInterrupted) for (const call of this.calls) this.endTracks(call);
    this.wasInterrupted = false;
    while (index > this.#segment.stop) this.#close(this.#segment.stop);
    this.#last = index;
  }

  /** Ends the segment if its last frame has arrived. */
  closePassed(): void {
    if (this.#last >= this.#segment.stop) this.#close(this.#segment.stop);
  }

  /** Ends the segment with the last received frame, if any, at the end of the stream. */
  closeLast(): void {
    if (this.#last >= this.#segment.start) this.#close(this.#last);
  }

  /** Ends the open tracks of a call. */
  endTracks(call: DetectorCall): void {
    for (const track of call.tracks.end(this.#last)) this.add(call, track);
  }

  add({ tracks, shaper, action, isHidden, viewOf }: DetectorCall, track: FoundTrack): void {
    if (track.detections.length === 0) return;
    const liveId = track.liveId ?? randomUUID();
    if (track.liveId === undefined) tracks.whole(liveId, track);
    if (isHidden) return;
    const { start, stop } = this.#segment;
    const open = track.open ?? false;
    const trackStart = tracks.startOf({ ...track, liveId });
    const shaped = shaper.shape(pictureTrack(track, viewOf), { start, stop, open, trackStart });
    if (shaped === null) return;
    const properties = { ...shaped.properties, ...tracks.zoneProperties(liveId) };
    this.#segment.add({ ...shaped, properties }, { liveId, open, action });
  }

  #close(stopFrame: number): void {
    const segment = this.#segment;
    for (const call of this.calls) for (const track of call.tracks.cut(stopFrame)) this.add(call, track);
    this.#send(
      segment.number,
      segment.lines(stopFrame, this.counts(), (frame) => this.clock.at(frame), this.annotations),
    );
    this.annotations.border(segment.open);
    for (const call of this.calls) call.border();
    this.#scene.border();
    this.#segment = this.#newSegment(segment.number + 1);
    this.clock.forgetBefore(this.#segment.start);
  }

  #newSegment(number: number): OpenSegment {
    return new OpenSegment(number, this.#work.segmentSize, this.#work.trackType);
  }
}
