import { WINDOW, type VoiceModel } from '../../detectors/speech/voice.ts';
import { windows } from '../../detectors/speech/windows.ts';
import type { AudioSource } from '../../sdk/detector.ts';
import { SpeechWindows, type SpeechWindow } from './speech-windows.ts';

/** Yields the windows of a sound that contain speech. */
export async function* speechIn(
  source: AudioSource,
  voice: VoiceModel,
  signal: AbortSignal,
): AsyncIterable<SpeechWindow> {
  const speech = new SpeechWindows();
  const speechLikely = voice.listen();
  for await (const { samples, filled } of windows(source.chunks(), WINDOW)) {
    signal.throwIfAborted();
    const window = speech.add(samples.slice(0, filled), await speechLikely(samples));
    if (window !== undefined) yield window;
  }
  const last = speech.end();
  if (last !== undefined) yield last;
}
