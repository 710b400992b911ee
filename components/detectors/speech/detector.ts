/** Finds the periods of a sound with speech. Memory does not depend on the length of the sound. */
import type { AudioSource, DetectionJob, Detector, FoundSound } from '../../sdk/detector.ts';
import { readSettings } from './settings.ts';
import { Stretches } from './stretches.ts';
import type { Stretch } from './stretches.ts';
import { loadVoiceModel, SAMPLES_PER_MS, WINDOW } from './voice.ts';
import type { VoiceModel } from './voice.ts';
import { windows } from './windows.ts';

const loadSpeechDetector = async (): Promise<Detector> => {
  const model = await loadVoiceModel();
  const detector: Detector = {
    audio: (source, job) => findSpeech(source, job, model),
    close: () => model.close(),
  };
  return detector;
};

export default loadSpeechDetector;

async function* findSpeech(
  source: AudioSource,
  job: DetectionJob,
  model: VoiceModel,
): AsyncIterable<FoundSound> {
  const stretches = new Stretches(readSettings(job.properties));
  const speechLikely = model.listen();
  let heard = 0;
  for await (const { samples, filled } of windows(source.chunks(), WINDOW)) {
    job.signal.throwIfAborted();
    const start = heard;
    heard += filled / SAMPLES_PER_MS;
    const stretch = stretches.next(start, heard, await speechLikely(samples));
    if (stretch !== undefined) yield soundOf(stretch, source.startTime);
  }
  const last = stretches.end(heard);
  if (last !== undefined) yield soundOf(last, source.startTime);
}

function soundOf({ start, stop, confidence }: Stretch, startTime: number): FoundSound {
  return { startTime: startTime + Math.round(start), stopTime: startTime + Math.round(stop), confidence };
}
