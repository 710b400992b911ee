/** Reads and checks the properties of the descriptor. */
import type { Properties } from '../../../domain/types.ts';
import { choiceOf, countOf, invalidProperty, missingProperty } from '../../shared/tracking/settings.ts';
import { WHISPER_LANGUAGES, whisperCode } from './languages.ts';

const MODES = ['LANGUAGE_DETECTION', 'TRANSCRIPTION', 'SPEECH_TRANSLATION'] as const;

/** Releases of the largest model, newest first. `large` means these if no file has exactly this name. */
const LARGE = ['large', 'large-v3', 'large-v2', 'large-v1'];

export interface WhisperSettings {
  readonly mode: (typeof MODES)[number];
  /** Names of suitable files, best first. */
  readonly files: readonly string[];
  readonly englishOnly: boolean;
  /** Whisper's language code; undefined to detect the language. */
  readonly language: string | undefined;
  readonly threads: number;
  readonly useGpu: boolean;
}

export function readSettings(properties: Properties): WhisperSettings {
  const size = sizeOf(properties);
  const lang = choiceOf(properties, 'WHISPER_MODEL_LANG', ['MULTI', 'EN']);
  const mode = choiceOf(properties, 'WHISPER_MODE', MODES);
  const englishOnly = lang === 'EN' || size.endsWith('.en');
  if (englishOnly && mode !== 'TRANSCRIPTION')
    throw invalidProperty(
      `A Whisper model for English alone does not support ${mode}: set WHISPER_MODEL_LANG to multi, or WHISPER_MODE to TRANSCRIPTION.`,
    );
  const language = languageOf(properties);
  if (englishOnly && language !== undefined && language !== 'en')
    throw invalidProperty(
      `AUDIO_LANGUAGE is "${language}", but the Whisper model is one for English alone: set WHISPER_MODEL_LANG to multi.`,
    );
  return {
    mode,
    files: filesOf(size, lang === 'EN' && !size.endsWith('.en')),
    englishOnly,
    language: englishOnly ? 'en' : language,
    threads: countOf(properties, 'WHISPER_THREADS', 1),
    useGpu: choiceOf(properties, 'WHISPER_USE_GPU', ['TRUE', 'FALSE']) === 'TRUE',
  };
}

function sizeOf(properties: Properties): string {
  const size = properties['WHISPER_MODEL_SIZE']?.trim() ?? '';
  if (size === '') throw missingProperty('The WHISPER_MODEL_SIZE property is not set.');
  if (/^[A-Za-z0-9][\w.-]*$/.test(size)) return size;
  throw invalidProperty(
    `WHISPER_MODEL_SIZE is "${size}"; it must be what stands between "ggml-" and ".bin" in the name of a model file, such as base, small or large-v3-turbo.`,
  );
}

function filesOf(size: string, english: boolean): readonly string[] {
  const sizes = size === 'large' && !english ? LARGE : [size];
  return sizes.map((one) => `ggml-${one}${english ? '.en' : ''}.bin`);
}

function languageOf(properties: Properties): string | undefined {
  const wanted = properties['AUDIO_LANGUAGE']?.trim() ?? '';
  if (wanted === '') return undefined;
  const code = whisperCode(wanted);
  if (code !== undefined) return code;
  throw invalidProperty(
    `AUDIO_LANGUAGE is "${wanted}"; it must be empty or the code of a language that Whisper knows (ISO 639-1 or 639-3): ${WHISPER_LANGUAGES.join(', ')}.`,
  );
}
