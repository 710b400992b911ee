/** Transcribes speech with the operator's Whisper model. */
import type { Properties } from '../../../domain/types.ts';
import type { Transcription } from '../../../media/sound/whisper-filter.ts';
import { loadVoiceModel, SAMPLES_PER_MS, type VoiceModel } from '../../detectors/speech/voice.ts';
import {
  type AudioSource,
  type DetectionJob,
  type Detector,
  type FoundSound,
  type LoadDetector,
} from '../../sdk/detector.ts';
import { isoOf, whisperCode } from './languages.ts';
import { findModel } from './find-model.ts';
import { readSettings, type WhisperSettings } from './settings.ts';
import { speechIn } from './speech-in.ts';
import type { SpeechWindow } from './speech-windows.ts';
import { inEnglish, type SaidText } from './in-english.ts';
import { Transcriber } from './transcriber.ts';
import { invalidProperty } from '../../shared/tracking/settings.ts';

/** Minimum length of a window in samples, a little more than 1 s. The runtime skips shorter ones, so silence is added. */
const SHORTEST = 17_000;

const loadWhisper: LoadDetector = async ({ models }) => {
  const voice = await loadVoiceModel();
  const transcriber = new Transcriber();
  const detector: Detector = {
    audio: (source, job) => writeDown(source, job, { roots: models.roots, voice, transcriber }),
    async close() {
      await Promise.all([transcriber.close(), voice.close()]);
    },
  };
  return detector;
};

export default loadWhisper;

interface Parts {
  readonly roots: readonly string[];
  readonly voice: VoiceModel;
  readonly transcriber: Transcriber;
}

async function* writeDown(
  source: AudioSource,
  job: DetectionJob,
  { roots, voice, transcriber }: Parts,
): AsyncIterable<FoundSound> {
  const settings = readSettings(job.properties);
  const model = await findModel(roots, settings.files);
  demandLanguage(settings, model);
  const hearing = { signal: job.signal, working: () => job.working?.() };
  let spoken: SpokenLanguage | undefined;
  for await (const window of speechIn(source, voice, job.signal)) {
    const order = {
      model: model.path,
      language: settings.language ?? spoken?.code ?? 'auto',
      threads: settings.threads,
      useGpu: settings.useGpu,
      translate: false,
      samples: longEnough(window.samples),
    };
    const heard = await transcriber.transcribe(order, hearing);
    // All windows use the language of the first one. Detecting it again would add half of the time.
    spoken ??= await languageOf(heard, settings);
    if (settings.mode === 'LANGUAGE_DETECTION') {
      yield languageTrack(window, source.startTime, spoken);
      return;
    }
    let said: readonly SaidText[] = heard.texts;
    if (settings.mode === 'SPEECH_TRANSLATION') {
      const translation = { ...order, language: spoken?.code ?? 'auto', translate: true };
      said = inEnglish(heard.texts, (await transcriber.transcribe(translation, hearing)).texts);
    }
    for (const text of said) {
      const track = textTrack(text, window, source.startTime, spoken);
      if (track !== undefined) yield track;
    }
  }
}

function demandLanguage(
  { language }: WhisperSettings,
  { path, languages }: Awaited<ReturnType<typeof findModel>>,
): void {
  if (language === undefined || languages.includes(language)) return;
  throw invalidProperty(`AUDIO_LANGUAGE is "${language}", which the Whisper model ${path} does not know.`);
}

function longEnough(samples: Float32Array): Float32Array {
  if (samples.length >= SHORTEST) return samples;
  const longer = new Float32Array(SHORTEST);
  longer.set(samples);
  return longer;
}

/** `probability` is the model's. Undefined if AUDIO_LANGUAGE sets the language, or it was recognized from the text. */
interface SpokenLanguage {
  readonly code: string;
  readonly isGiven: boolean;
  readonly probability?: number;
}

/** Returns undefined while the language is unknown. */
async function languageOf(
  { language, texts }: Transcription,
  settings: WhisperSettings,
): Promise<SpokenLanguage | undefined> {
  if (settings.language !== undefined) return { code: settings.language, isGiven: true };
  if (language !== undefined) return { ...language, isGiven: false };
  const { KNOWN_LANGUAGES, recognize } = await import('../../detectors/language/recognize.ts');
  const [first] = recognize(texts.map(({ text }) => text).join('\n'), [...KNOWN_LANGUAGES.values()]);
  const code = first === undefined ? undefined : whisperCode(first.code);
  return code === undefined ? undefined : { code, isGiven: false };
}

const ms = (samples: number) => Math.round(samples / SAMPLES_PER_MS);

function languageTrack(
  { start, samples }: SpeechWindow,
  startTime: number,
  spoken: SpokenLanguage | undefined,
): FoundSound {
  const code = spoken?.code;
  return {
    startTime: startTime + ms(start),
    stopTime: startTime + ms(start + samples.length),
    confidence: spoken?.probability ?? -1,
    properties: {
      DETECTED_LANGUAGE: code ?? 'UNKNOWN',
      ISO_LANGUAGE: code === undefined ? 'UNKNOWN' : isoOf(code),
      ...confidenceOf(spoken),
    },
  };
}

/** Returns undefined for text that the model invented for the silence after the window. */
function textTrack(
  { start, stop, text, english }: SaidText,
  window: SpeechWindow,
  startTime: number,
  spoken: SpokenLanguage | undefined,
): FoundSound | undefined {
  const length = ms(window.samples.length);
  if (start >= length) return undefined;
  const begin = startTime + ms(window.start);
  return {
    startTime: begin + Math.max(0, start),
    stopTime: begin + Math.min(length, Math.max(start, stop)),
    confidence: -1,
    properties: {
      ...(text === undefined ? {} : { TRANSCRIPT: text }),
      ...(english === undefined ? {} : { TRANSLATED_AUDIO: english }),
      ...languageProperties(spoken),
    },
  };
}

function languageProperties(spoken: SpokenLanguage | undefined): Properties {
  if (spoken === undefined) return {};
  const { code, isGiven } = spoken;
  return {
    DECODED_LANGUAGE: code,
    ISO_LANGUAGE: isoOf(code),
    ...(isGiven ? {} : { DETECTED_LANGUAGE: code, ...confidenceOf(spoken) }),
  };
}

function confidenceOf(spoken: SpokenLanguage | undefined): Properties {
  const probability = spoken?.probability;
  return probability === undefined
    ? {}
    : { DETECTED_LANGUAGE_CONFIDENCE: String(Math.round(probability * 1_000) / 1_000) };
}
