/** Runs a detector on sound. Times are in milliseconds. For a video, the displayed frames are also reported. */
import { openAudio, SAMPLE_RATE } from '../../media/sound/audio.ts';
import type { Range, ReportedTrack } from '../../domain/types.ts';
import type { DetectionJob, Detector, FoundSound } from '../sdk/detector.ts';
import type { DetectWork } from '../../protocol/detection-work.ts';
import { soundTrack } from './report.ts';
import { shownFrames, type Stretch } from './shown-frames.ts';

export interface Listening {
  /** Periods in ascending order, at least one. The detector receives silence between two periods, so that times stay correct. */
  readonly stretches: readonly Stretch[];
  /** Frames of a video that may be reported. */
  readonly frames: Range;
  /** Called with the processed time in milliseconds. */
  heard(ms: number): void;
}

export async function* inSound(
  detector: Detector,
  { medium }: DetectWork,
  job: DetectionJob,
  { stretches, frames, heard }: Listening,
): AsyncGenerator<ReportedTrack> {
  const { signal } = job;
  const shown = await shownFrames(medium, signal);
  const frameAt = (ms: number) =>
    shown === undefined ? 0 : clamp(shown.frameAt(ms), frames.start, frames.stop);
  const startMs = stretches[0]?.startMs;
  const stopMs = endOf(stretches);
  const reportSound = (sound: FoundSound) =>
    soundTrack({ ...sound, stopTime: Math.min(sound.stopTime, Math.floor(stopMs)) }, frameAt);
  if (detector.soundFile !== undefined) {
    const file = { path: medium.path, startMs: startMs ?? 0, stopMs, heard };
    for await (const sound of detector.soundFile(file, job)) yield reportSound(sound);
    return;
  }
  const audio = await openAudio(medium.path, { startMs, stopMs, signal });
  const chunks = async function* () {
    let samples = 0;
    for await (const chunk of audio.chunks()) {
      signal.throwIfAborted();
      silenceBetween(stretches, chunk, (audio.startTime * SAMPLE_RATE) / 1000 + samples);
      samples += chunk.length;
      yield chunk;
      heard(Math.round((samples * 1000) / SAMPLE_RATE));
    }
  };
  try {
    for await (const sound of detector.audio!({ startTime: audio.startTime, chunks }, job))
      yield reportSound(sound);
  } finally {
    audio.close();
  }
}

function endOf(stretches: readonly Stretch[]): number {
  return stretches.reduce((end, { stopMs = Infinity }) => Math.max(end, stopMs), 0);
}

/** Silences samples between the periods. `at`: number of the chunk's first sample on the medium's timeline. */
function silenceBetween(stretches: readonly Stretch[], chunk: Float32Array, at: number): void {
  let end = -Infinity;
  for (const { startMs = 0, stopMs = Infinity } of stretches) {
    const start = (startMs * SAMPLE_RATE) / 1000;
    if (end > -Infinity && start > end) chunk.fill(0, inside(end), inside(start));
    end = Math.max(end, ((stopMs + 1) * SAMPLE_RATE) / 1000);
  }
  function inside(sample: number): number {
    return clamp(Math.round(sample - at), 0, chunk.length);
  }
}

const clamp = (value: number, low: number, high: number) => Math.min(Math.max(value, low), high);
