/** Divides a video into its scenes, at hard cuts: one track for each, from its first to its last frame. */
import type { DetectionJob, Detector, FoundTrack, Frame, FrameSource } from '../sdk/detector.ts';
import type { Properties } from '../../domain/types.ts';
import { countOf, numberWithin } from '../tracking/settings.ts';
import { CutFinder, type Cut, type CutRules } from './cuts.ts';
import { fingerprint } from './fingerprint.ts';

function rulesOf(properties: Properties): CutRules {
  return {
    threshold: numberWithin(properties, 'CUT_THRESHOLD', 0.01, 1),
    standOut: numberWithin(properties, 'CUT_STAND_OUT', 0, Infinity),
    minLength: countOf(properties, 'MIN_SCENE_LENGTH', 1),
  };
}

async function* video(source: FrameSource, job: DetectionJob): AsyncIterable<FoundTrack> {
  const cuts = new CutFinder(rulesOf(job.properties));
  let scene: Cut = { frame: source.start, unlikeness: 1 };
  let size: Size | undefined;
  let seen = source.start;
  let step = 0;
  for await (const frame of source.frames()) {
    job.signal.throwIfAborted();
    const cut = cuts.next(frame.index, fingerprint(frame));
    if (frame.warmUp) continue;
    if (size !== undefined) step = Math.max(step, frame.index - seen);
    size = sizeOf(frame);
    seen = frame.index;
    if (cut === undefined || cut.frame <= source.start) continue;
    yield trackOf(scene, cut.frame - 1, size);
    scene = cut;
  }
  if (size === undefined) return;
  const stop = lastOf(source, seen, step);
  const cut = cuts.finish(stop);
  if (cut !== undefined && cut.frame > source.start) {
    yield trackOf(scene, cut.frame - 1, size);
    scene = cut;
  }
  yield trackOf(scene, stop, size);
}

/**
 * The last frame of the last scene: that of the range, unless the video ended before. Frames that were left out by
 * sampling, at most `step` at a time, belong to the scene of the last one seen.
 */
function lastOf(source: FrameSource, seen: number, step: number): number {
  if (step > 0) return Math.min(source.stop, seen + step - 1);
  return source.stop === Number.MAX_SAFE_INTEGER ? seen : source.stop;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

function sizeOf({ width, height }: Frame): Size {
  return { width, height };
}

/** The middle frame stands for the scene: first frames are often still blurred by the cut. */
function trackOf(scene: Cut, stop: number, size: Size): FoundTrack {
  const confidence = scene.unlikeness;
  const middle = Math.floor((scene.frame + stop) / 2);
  return {
    startFrame: scene.frame,
    stopFrame: stop,
    confidence,
    detections: [{ frame: middle, x: 0, y: 0, ...size, confidence }],
  };
}

export default async function loadSceneDetector(): Promise<Detector> {
  return { video };
}
