/** MOTION_GATE: passes frames to the detector only during motion and shortly after it. */
import { booleanOf } from '../../../../domain/properties/properties.ts';
import type { Properties } from '../../../../domain/types.ts';
import { shrinker } from '../../../detectors/motion/shrink.ts';
import { Watch, type WatchRules } from '../../../detectors/motion/watch.ts';
import type { Frame } from '../../../sdk/detector.ts';

/** Longer side of the picture in which motion is detected. */
const SIDE = 160;
const RULES: WatchRules = { minArea: 0.0015, restartShare: 0.6, learningFrames: 10, absorbFrames: 250 };
/**
 * Time in milliseconds of the stream after motion during which frames are processed, so that the track of a briefly still object does not
 * break.
 */
const AFTER_MS = 1_500;

export interface MotionGate {
  /** True if the frame must be processed. Must be called for each frame in order. */
  isOpen(frame: Frame): boolean;
}

/** Creates a gate for pictures of one size. Returns undefined if the gate is disabled. */
export function motionGate(
  properties: Properties,
  { width, height }: Pick<Frame, 'width' | 'height'>,
): MotionGate | undefined {
  if (!booleanOf(properties, 'MOTION_GATE')) return undefined;
  const shrink = shrinker(width, height, SIDE);
  let watch: Watch | undefined;
  let seen = 0;
  let openUntil = -Infinity;
  return {
    isOpen(frame) {
      const picture = shrink(frame);
      watch ??= new Watch(picture, RULES);
      const found = watch.next(frame, picture);
      // Until the background is learned, anything may have moved.
      const isNew = found === 'restarted' || ++seen <= RULES.learningFrames;
      if (found === 'restarted') seen = 0;
      if (isNew || found.length > 0) openUntil = frame.time + AFTER_MS;
      return frame.time <= openUntil;
    },
  };
}
