/** Reads and checks the properties of the descriptor. */
import { invalidProperty, numberWithin } from '../../shared/tracking/settings.ts';
import type { Properties } from '../../../domain/types.ts';

export interface SpeechSettings {
  /** Probability from which speech begins, and below which it pauses. */
  readonly speechThreshold: number;
  readonly silenceThreshold: number;
  /** Milliseconds: the pause that ends speech, the minimum length of speech, and the padding at both ends. */
  readonly minSilence: number;
  readonly minSpeech: number;
  readonly padding: number;
}

export function readSettings(properties: Properties): SpeechSettings {
  const settings = {
    speechThreshold: numberWithin(properties, 'SPEECH_THRESHOLD', 0, 1),
    silenceThreshold: numberWithin(properties, 'SILENCE_THRESHOLD', 0, 1),
    minSilence: numberWithin(properties, 'MIN_SILENCE_DURATION', 0, Infinity),
    minSpeech: numberWithin(properties, 'MIN_SPEECH_DURATION', 0, Infinity),
    padding: numberWithin(properties, 'SPEECH_PADDING', 0, Infinity),
  };
  if (settings.silenceThreshold > settings.speechThreshold)
    throw invalidProperty(
      `SILENCE_THRESHOLD is ${settings.silenceThreshold}, but must not exceed SPEECH_THRESHOLD, which is ${settings.speechThreshold}.`,
    );
  return settings;
}
