/** Selects the frames of a video that a model receives, because each takes seconds. */
import type { DetectionJob, Frame, FrameSource } from '../../sdk/detector.ts';
import { countOf, numberWithin } from '../../shared/tracking/settings.ts';

/** Maximum frame rate, as in the reference implementation. */
const FASTEST = 10;

/**
 * Returns the frames per second; 0 for all. For feed-forward tracks, GENERATE_FRAME_RATE_CAP applies, as in the reference implementation.
 */
function rateOf({ properties, fed, allFed }: DetectionJob): number {
  const cap = numberWithin(properties, 'GENERATE_FRAME_RATE_CAP', -Infinity, Infinity);
  const rate = numberWithin(properties, 'PROCESS_FPS', 0, FASTEST);
  const isFed = fed !== undefined || allFed !== undefined;
  return Math.max(0, isFed || rate === 0 ? cap : rate);
}

/**
 * Yields the first frame of each interval, at most MAX_FRAMES per sub-job. If that is too few, the frames are spread over the whole source.
 */
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
    // Fixed rates use intervals from the start of the medium. Spread frames use intervals from the first frame. Frame times are rounded,
    // hence the 1.
    const from = isSpread ? (first ??= frame.time) : 0;
    if (step > 0) next = from + (Math.floor((frame.time + 1 - from) / step) + 1) * step - 1;
  }
}

/** Returns the milliseconds between this number of spread frames; 0 if the length of the source is unknown. */
function spreadOver({ start, stop, fps }: FrameSource, count: number): number {
  const ms = ((stop - start + 1) * 1_000) / fps;
  return Number.isFinite(ms) ? ms / count : 0;
}
