/** Splits a video into scenes at hard cuts. Yields one track per scene, from its first to its last frame. */
import type { DetectionJob, Detector, FoundTrack, FrameSource } from '../../sdk/detector.ts';
import type { Properties } from '../../../domain/types.ts';
import { countOf, numberWithin } from '../../shared/tracking/settings.ts';
import { CutFinder, type CutRules } from './cuts.ts';
import { fingerprint } from './fingerprint.ts';
import { SceneTracks } from './scene-tracks.ts';

function rulesOf(properties: Properties): CutRules {
  return {
    threshold: numberWithin(properties, 'CUT_THRESHOLD', 0.01, 1),
    standOut: numberWithin(properties, 'CUT_STAND_OUT', 0, Infinity),
    minLength: countOf(properties, 'MIN_SCENE_LENGTH', 1),
  };
}

async function* video(source: FrameSource, job: DetectionJob): AsyncIterable<FoundTrack> {
  const cuts = new CutFinder(rulesOf(job.properties));
  const scenes = new SceneTracks(source.start, job.live);
  job.live?.follow(scenes);
  let step = 0;
  for await (const frame of source.frames()) {
    job.signal.throwIfAborted();
    const cut = cuts.next(frame.index, fingerprint(frame));
    if (frame.warmUp) continue;
    if (scenes.seen !== undefined) step = Math.max(step, frame.index - scenes.seen);
    if (cut !== undefined) yield* scenes.begin(cut, frame);
    scenes.look(frame);
  }
  if (scenes.seen === undefined) return;
  const stop = job.live === undefined ? lastOf(source, scenes.seen, step) : scenes.seen;
  const cut = cuts.finish(stop);
  if (cut !== undefined) yield* scenes.begin(cut);
  yield* scenes.end(stop);
}

/**
 * Returns the last frame of the last scene: the end of the range, or the end of the video if that is earlier. Frames skipped by sampling,
 * at most `step` at a time, belong to the last scene.
 */
function lastOf(source: FrameSource, seen: number, step: number): number {
  if (step > 0) return Math.min(source.stop, seen + step - 1);
  return source.stop === Number.MAX_SAFE_INTEGER ? seen : source.stop;
}

export default async function loadSceneDetector(): Promise<Detector> {
  return { video, followsStreams: true };
}
