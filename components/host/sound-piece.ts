/**
 * Runs a detector on one piece of a sound that is split into several sub-jobs. Each border moves to the quietest place nearby, so that no
 * word is cut. The sub-jobs on both sides examine the same sound and find the same place.
 */
import { SOUND_SEGMENT_LENGTH } from '../../domain/frames/segments.ts';
import type { Range, ReportedTrack } from '../../domain/types.ts';
import { openAudio, SAMPLE_RATE } from '../../media/sound/audio.ts';
import { MediumError } from '../../media/medium-error.ts';
import type { DetectWork } from '../../protocol/detection-work.ts';
import type { DetectionJob, Detector } from '../sdk/detector.ts';
import type { WorkContext } from '../sdk/work/work-context.ts';
import type { Stretch } from './shown-frames.ts';
import { inSound } from './sound.ts';

/** Maximum shift of a border in milliseconds. The shift is also at most a quarter of a piece. */
const FARTHEST = 5_000;
/** Step of the search for quiet places, and length of the wanted silence, in milliseconds. */
const STEP = 10;
const QUIET = 300;

export async function* inPieceOfSound(
  detector: Detector,
  work: DetectWork & { readonly time: Range },
  context: Pick<WorkContext, 'progress'>,
  job: DetectionJob,
): AsyncGenerator<ReportedTrack> {
  const stretch = await stretchOf(work, job.signal);
  const { startMs = 0, stopMs = work.time.stop } = stretch;
  let hasHeard = false;
  const heard = (ms: number) => {
    hasHeard = true;
    context.progress(ms, stopMs - startMs + 1);
  };
  try {
    yield* inSound(detector, work, job, { stretches: [stretch], frames: work.range, heard });
  } catch (error) {
    // A sound may end earlier than its header states. This is no error here, because a detector on the whole sound would only process the
    // actual sound.
    if (hasHeard || startMs === 0 || !isWithoutSound(error)) throw error;
  }
}

async function stretchOf(
  { medium, time, properties }: DetectWork & { readonly time: Range },
  signal: AbortSignal,
): Promise<Stretch> {
  const quarter = (Number(properties[SOUND_SEGMENT_LENGTH]) * 1000) / 4;
  const near = (ms: number) =>
    quietestNear(medium.path, ms, { reach: Math.min(FARTHEST, quarter || 0), signal });
  const isLast = time.stop + 1 >= Number(medium.metadata['DURATION']);
  return {
    startMs: time.start === 0 ? undefined : await near(time.start),
    stopMs: isLast ? undefined : (await near(time.stop + 1)) - 1,
  };
}

/**
 * Returns the middle of the quietest period near a time in milliseconds, or the nearest of several. Returns the time itself if nothing can
 * be decoded.
 */
export async function quietestNear(
  path: string,
  at: number,
  { reach, signal }: { readonly reach: number; readonly signal: AbortSignal },
): Promise<number> {
  const from = Math.round(at - reach);
  let loudness: readonly number[] = [];
  try {
    const audio = await openAudio(path, { startMs: from, stopMs: Math.round(at + reach) - 1, signal });
    try {
      if (audio.startTime === from) loudness = await loudnessOf(audio.chunks());
    } finally {
      audio.close();
    }
  } catch (error) {
    if (!isWithoutSound(error)) throw error;
  }
  const middle = quietest(loudness, (at - from) / STEP);
  return middle === undefined ? at : Math.round(from + middle * STEP);
}

const isWithoutSound = (error: unknown): boolean =>
  error instanceof MediumError && error.code === 'COULD_NOT_READ_MEDIA';

/** Returns the energy of each complete step. */
async function loudnessOf(chunks: AsyncIterable<Float32Array>): Promise<readonly number[]> {
  const samples = (STEP * SAMPLE_RATE) / 1000;
  const energies: number[] = [];
  let [energy, count] = [0, 0];
  for await (const chunk of chunks)
    for (const sample of chunk) {
      energy += sample * sample;
      count += 1;
      if (count < samples) continue;
      energies.push(energy);
      [energy, count] = [0, 0];
    }
  return energies;
}

/** Returns the middle of the quietest period in steps; undefined if the sound is too short. */
function quietest(energies: readonly number[], at: number): number | undefined {
  const length = QUIET / STEP;
  let best: { readonly energy: number; readonly middle: number } | undefined;
  for (let start = 0; start + length <= energies.length; start++) {
    const energy = energies.slice(start, start + length).reduce((sum, one) => sum + one, 0);
    const middle = start + length / 2;
    const isNearer = best !== undefined && Math.abs(middle - at) < Math.abs(best.middle - at);
    if (best === undefined || energy < best.energy || (energy === best.energy && isNearer))
      best = { energy, middle };
  }
  return best?.middle;
}
