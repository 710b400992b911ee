/** Which frames of a video a model receives: it takes seconds for each. */
import type { DetectionJob, Frame, FrameSource } from '../../sdk/detector.ts';
import { countOf, numberWithin } from '../../shared/tracking/settings.ts';

/** As the reference has it. */
const FASTEST = 10;

/** Frames a second; 0: all. Of tracks that are fed, GENERATE_FRAME_RATE_CAP counts, as in the reference. */
function rateOf({ properties, fed, allFed }: DetectionJob): number {
  const cap = numberWithin(properties, 'GENERATE_FRAME_RATE_CAP', -Infinity, Infinity);
  const rate = numberWithin(properties, 'PROCESS_FPS', 0, FASTEST);
  const isFed = fed !== undefined || allFed !== undefined;
  return Math.max(0, isFed || rate === 0 ? cap : rate);
}

/** The first frame of each interval, at most MAX_FRAMES of a sub-job. Fewer frames are spread over all of it. */
export async function* shownFrames(source: FrameSource, job: DetectionJob): AsyncGenerator<Frame> {
  const most = countOf(job.properties, 'MAX_FRAMES', 1);
  const rate = rateOf(job);
  const usual = rate > 0 ? 1_000 / rate : 0;
  const spread = spreadOver(source, most);
  const isSpread = spread > Math.max(usual, 1_000 / source.fps);
  if (isSpread)
    job.warn?.(
      `Of a piece of the video only ${most} frames were shown to the model (MAX_FRAMES), spread over all of it.`,
    );
  const step = isSpread ? spread : usual;
  let [asked, next] = [0, -Infinity];
  let first: number | undefined;
  for await (const frame of source.frames()) {
    job.signal.throwIfAborted();
    if (frame.warmUp || frame.time < next) continue;
    if (asked === most) return;
    yield frame;
    asked++;
    // Seconds of the medium have borders of their own, what is spread begins with the first frame. Times of frames are rounded.
    const from = isSpread ? (first ??= frame.time) : 0;
    if (step > 0) next = from + (Math.floor((frame.time + 1 - from) / step) + 1) * step - 1;
  }
}

/** Milliseconds from one to the next of so many frames; 0 where nobody knows how long the source is. */
function spreadOver({ start, stop, fps }: FrameSource, count: number): number {
  const ms = ((stop - start + 1) * 1_000) / fps;
  return Number.isFinite(ms) ? ms / count : 0;
}
