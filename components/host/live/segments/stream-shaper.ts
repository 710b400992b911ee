/** Gives tracks of a live stream the form of video tracks: whole pixels, times, thresholds, labels, padding. */
import { aboveThreshold, qualityRule, thresholdWarnings } from '../../../../domain/tracks/quality.ts';
import { isTooShort, mergePlan } from '../../../../domain/tracks/track-merging.ts';
import type { Properties, ReportedDetection, ReportedTrack, Track } from '../../../../domain/types.ts';
import { completeDetection } from '../../../builtin/media/finish/raw-tracks.ts';
import { trackShaper } from '../../../builtin/media/finish/shape-tracks.ts';

export interface ShapedStream {
  readonly trackType: string;
  readonly properties: Properties;
  /** Size of the stream's pictures. */
  readonly width: number;
  readonly height: number;
  /** Arrival time of a frame in milliseconds since the epoch. */
  at(frame: number): number;
  /** Receives warnings that a document would contain, such as ill-formed boxes. */
  warn(message: string): void;
}

/** Frames of the reported part, and facts about the whole track. */
export interface PartOf {
  readonly start: number;
  readonly stop: number;
  /** First frame of the track, which may be in an earlier segment. */
  readonly trackStart: number;
  readonly open: boolean;
}

export interface StreamShaper {
  /** Returns null if the track is dropped. An open track is never too short. */
  shape(reported: ReportedTrack, part: PartOf): Track | null;
  /** Returns a detection as a separate track, for start events and later tasks. Returns null if it does not count. */
  single(detection: ReportedDetection, type: string): Track | null;
}

export function streamShaper(stream: ShapedStream): StreamShaper {
  const { properties } = stream;
  const metadata = { FRAME_WIDTH: String(stream.width), FRAME_HEIGHT: String(stream.height) };
  const medium = { mediaType: 'VIDEO' as const, metadata };
  const rule = qualityRule(properties);
  for (const { message } of thresholdWarnings(properties)) stream.warn(message);
  // One shaper per track, because a shaper stores the frames of its warnings, and a stream may be endless.
  const shapeTrack = (track: Track): Track | null => {
    const shaper = trackShaper<Track>({ medium, properties });
    const shaped = shaper.shape(track);
    for (const { message } of shaper.warnings()) stream.warn(message);
    return shaped;
  };
  // The first detection does not show whether a track moves.
  const unlabelled = { ...properties, MOVING_TRACK_LABELS_ENABLED: 'FALSE' };
  const shapeSingle = (track: Track) => trackShaper<Track>({ medium, properties: unlabelled }).shape(track);
  const minLength = (type: string) => mergePlan(properties, 'VIDEO', type).minLength;
  return {
    shape(reported, part) {
      const track = within(completeTrack(reported, stream), part);
      const good = track === null ? null : aboveThreshold(track, rule, 'VIDEO');
      if (good === null) return null;
      const whole = { startFrame: part.trackStart, stopFrame: good.stopFrame };
      return !part.open && isTooShort(whole, minLength(good.type)) ? null : shapeTrack(good);
    },
    single(detection, type) {
      const { frame, confidence, properties: found } = detection;
      const reported = { type, startFrame: frame, stopFrame: frame, confidence, properties: found };
      const track = completeTrack({ ...reported, detections: [detection] }, stream);
      const good = aboveThreshold(track, rule, 'VIDEO');
      return good === null ? null : shapeSingle(good);
    },
  };
}

/** Returns the track with its type and the arrival times of its frames. */
function completeTrack(reported: ReportedTrack, { trackType, at }: ShapedStream): Track {
  const { type = trackType, startFrame, stopFrame, confidence, properties } = reported;
  const startTime = at(startFrame);
  return {
    startFrame,
    stopFrame,
    startTime,
    stopTime: Math.max(startTime, at(stopFrame)),
    type,
    confidence,
    properties,
    detections: reported.detections.map((one) => completeDetection(one, one.frame, at(one.frame))),
  };
}

/** Returns the part of a track inside the segment; null if it has no detections there. */
function within(track: Track, { start, stop }: PartOf): Track | null {
  if (track.startFrame >= start && track.stopFrame <= stop) return track;
  const detections = track.detections.filter(({ frame }) => frame >= start && frame <= stop);
  const [first, last] = [detections[0], detections.at(-1)];
  if (first === undefined || last === undefined) return null;
  return {
    ...track,
    startFrame: Math.max(start, track.startFrame),
    stopFrame: Math.min(stop, track.stopFrame),
    startTime: track.startFrame < start ? first.time : track.startTime,
    stopTime: track.stopFrame > stop ? last.time : track.stopTime,
    detections,
  };
}
