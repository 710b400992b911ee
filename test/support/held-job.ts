/** A job that waits after some of its pieces are complete. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { makeVideo } from '../media/support/make-video.ts';
import type { Service } from './processes/service.ts';

export const FRAMES = 50;
/** The first frame of the pieces that wait. */
export const HELD = 30;
/** Irregular times between frames, which no frame rate explains. */
export const variableAt = (frame: number) => frame * 40 + (frame % 7) * 3;
const framesFrom = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => from + n);
export const STAGE = [
  { frames: framesFrom(2, 8), boxes: [[4, 6, 20, 30]], confidence: 0.9 },
  { frames: framesFrom(11, 19), boxes: [[40, 16, 24, 12]], confidence: 0.7 },
  { frames: framesFrom(21, 28), boxes: [[90, 40, 33, 21]], confidence: 0.8 },
  { frames: framesFrom(32, 47), boxes: [[70, 30, 10, 20]], confidence: 0.6 },
];

/** A job whose last pieces wait until `release` is called. */
export async function heldJob(service: Service, name: string, at?: (frame: number) => number) {
  const path = join(service.mediaDir, name);
  makeVideo(path, { frames: FRAMES, gop: 12, bFrames: 2, ...(at === undefined ? {} : { at }) });
  const go = join(service.mediaDir, `${name}.go`);
  const segments = { TARGET_SEGMENT_LENGTH: '10', MIN_SEGMENT_LENGTH: '1' };
  const job = await service.submit({
    media: [pathToFileURL(path).href],
    pipelineName: 'STAGED PIPELINE',
    jobProperties: {
      ...{ ...segments, VFR_TARGET_SEGMENT_LENGTH: '10', VFR_MIN_SEGMENT_LENGTH: '1' },
      ...{ STAGE: JSON.stringify(STAGE), HOLD_FROM: String(HELD), HOLD_FILE: go },
    },
  });
  return { job, release: () => writeFileSync(go, '') };
}
