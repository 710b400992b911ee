/** Finds moving objects in front of a still camera and tracks them. */
import type { DetectionJob, Detector, FoundTrack, FrameSource } from '../../sdk/detector.ts';
import type { Properties } from '../../../domain/types.ts';
import { countOf, numberWithin, trackingRules } from '../../shared/tracking/settings.ts';
import { asTrack, type TrackPart } from '../../shared/tracking/open-track.ts';
import { Tracker, type TrackingRules } from '../../shared/tracking/tracker.ts';
import { shrinker } from './shrink.ts';
import { Watch, type WatchRules } from './watch.ts';

interface Settings extends WatchRules {
  readonly analysisSize: number;
  readonly minDetections: number;
  readonly rules: TrackingRules;
}

function settingsOf(properties: Properties): Settings {
  return {
    analysisSize: countOf(properties, 'ANALYSIS_SIZE', 32),
    minArea: numberWithin(properties, 'MIN_OBJECT_AREA', 0, 100) / 100,
    minDetections: countOf(properties, 'MIN_DETECTIONS', 1),
    restartShare: numberWithin(properties, 'RESTART_AREA', 0, 100) / 100,
    learningFrames: countOf(properties, 'LEARNING_FRAMES', 1),
    absorbFrames: countOf(properties, 'ABSORB_FRAMES', 1),
    rules: trackingRules(properties, 0),
  };
}

async function* video(source: FrameSource, job: DetectionJob): AsyncIterable<FoundTrack> {
  const settings = settingsOf(job.properties);
  const shrink = shrinker(source.width, source.height, settings.analysisSize);
  let watch: Watch | undefined;
  const tracker = new Tracker(settings.rules, { live: job.live, minDetections: settings.minDetections });
  const asTracks = (parts: readonly TrackPart[]): FoundTrack[] =>
    parts.flatMap((part) => toFoundTracks(part, source.start));
  job.live?.follow({ cut: () => asTracks(tracker.cut()), end: () => asTracks(tracker.finish()) });
  for await (const frame of source.frames()) {
    job.signal.throwIfAborted();
    const picture = shrink(frame);
    watch ??= new Watch(picture, settings);
    const found = watch.next(frame, picture);
    yield* asTracks(found === 'restarted' ? tracker.finish() : tracker.next(frame.index, found));
  }
  yield* asTracks(tracker.finish());
}

/** Returns the part of a track inside the range. Earlier detections only helped to start the track. */
function toFoundTracks(part: TrackPart, start: number): FoundTrack[] {
  const detections = part.detections.filter(({ frame }) => frame >= start);
  return detections.length === 0 ? [] : [asTrack({ ...part, detections })];
}

export default async function loadMotionDetector(): Promise<Detector> {
  return { video, followsStreams: true };
}
