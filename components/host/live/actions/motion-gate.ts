/** MOTION_GATE: passes frames to the detector only while something moves, or shortly after. */
import { booleanOf } from '../../../../domain/properties/properties.ts';
import type { Properties } from '../../../../domain/types.ts';
import { shrinker } from '../../../detectors/motion/shrink.ts';
import { Watch, type WatchRules } from '../../../detectors/motion/watch.ts';
import type { Frame } from '../../../sdk/detector.ts';

/** Longer side of the picture in which motion is looked for. */
const SIDE = 160;
const RULES: WatchRules = { minArea: 0.0015, restartShare: 0.6, learningFrames: 10, absorbFrames: 250 };
/** What stands still for a moment is still looked at (milliseconds of the stream), so that its track does not break. */
const AFTER_MS = 1_500;

export interface MotionGate {
  /** To be asked of each frame in turn. */
  isOpen(frame: Frame): boolean;
}

/** For pictures of a size. Undefined when it is switched off. */
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
      // As long as the background is not known, everything may have moved.
      const isNew = found === 'restarted' || ++seen <= RULES.learningFrames;
      if (found === 'restarted') seen = 0;
      if (isNew || found.length > 0) openUntil = frame.time + AFTER_MS;
      return frame.time <= openUntil;
    },
  };
}
