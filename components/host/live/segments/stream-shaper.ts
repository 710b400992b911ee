/** Tracks of a live stream in the form that tracks of a video get: whole pixels, times, thresholds, labels, padding. */
import { aboveThreshold, qualityRule, thresholdWarnings } from '../../../../domain/tracks/quality.ts';
import { isTooShort, mergePlan } from '../../../../domain/tracks/track-merging.ts';
import type { Properties, ReportedDetection, ReportedTrack, Track } from '../../../../domain/types.ts';
import { completeDetection } from '../../../builtin/media/finish/raw-tracks.ts';
import { trackShaper } from '../../../builtin/media/finish/shape-tracks.ts';

export interface ShapedStream {
  readonly trackType: string;
  readonly properties: Properties;
  /** Of the stream's pictures. */
  readonly width: number;
  readonly height: number;
  /** When a frame came: milliseconds since the epoch. */
  at(frame: number): number;
  /** Takes what a document would have among its warnings: ill-formed boxes, say. */
  warn(message: string): void;
}

/** The frames in which a part is reported, and what is known of its track as a whole. */
export interface PartOf {
  readonly start: number;
  readonly stop: number;
  /** The first frame of the track, which may lie in an earlier segment. */
  readonly trackStart: number;
  readonly open: boolean;
}

export interface StreamShaper {
  /** Null when it is dropped. A track that may go on is not too short yet. */
  shape(reported: ReportedTrack, part: PartOf): Track | null;
  /** A detection as a track of its own: its beginning can be told, and later tasks can work on it. Null when it does not count. */
  single(detection: ReportedDetection, type: string): Track | null;
}

export function streamShaper(stream: ShapedStream): StreamShaper {
  const { properties } = stream;
  const metadata = { FRAME_WIDTH: String(stream.width), FRAME_HEIGHT: String(stream.height) };
  const medium = { mediaType: 'VIDEO' as const, metadata };
  const rule = qualityRule(properties);
  for (const { message } of thresholdWarnings(properties)) stream.warn(message);
  // One a track: a shaper keeps the frames of its warnings, for which there is no end here.
  const shapeTrack = (track: Track): Track | null => {
    const shaper = trackShaper<Track>({ medium, properties });
    const shaped = shaper.shape(track);
    for (const { message } of shaper.warnings()) stream.warn(message);
    return shaped;
  };
  // Whether a track moves is not known of its first detection.
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

/** With its type, and with the times at which its frames came. */
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

/** The part of a track that lies in a segment; null when none of its detections does. */
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
