/** Transcribes speech with a model server. */
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { Properties } from '../../../domain/types.ts';
import { parseShape } from '../openai/chat.ts';
import { readServer, type ServerProperties } from '../openai/server-properties.ts';
import { ModelServer } from '../openai/server.ts';
import {
  type AudioSource,
  type DetectionJob,
  type Detector,
  type FoundSound,
  type LoadDetector,
} from '../../sdk/detector.ts';
import { loadVoiceModel, SAMPLES_PER_MS, type VoiceModel } from '../../detectors/speech/voice.ts';
import { speechIn } from '../whisper/speech-in.ts';
import type { SpeechWindow } from '../whisper/speech-windows.ts';
import { waveFile } from './wave-file.ts';
import { missingProperty } from '../../shared/tracking/settings.ts';

/** Answer in the form `verbose_json`. Servers that support only `json` return only the text. Times are in seconds. */
const transcription = z.object({
  text: z.string(),
  language: z.string().nullish(),
  segments: z.array(z.object({ start: z.number(), end: z.number(), text: z.string() })).nullish(),
});
type Transcription = z.infer<typeof transcription>;

const loadOpenAiSpeech: LoadDetector = async ({ modelServers }) => {
  const voice = await loadVoiceModel();
  const server = new ModelServer(modelServers);
  const detector: Detector = {
    audio: (source, job) => writeDown(source, job, voice, server),
    async close() {
      await server.close();
      await voice.close();
    },
  };
  return detector;
};

export default loadOpenAiSpeech;

async function* writeDown(
  source: AudioSource,
  job: DetectionJob,
  voice: VoiceModel,
  server: ModelServer,
): AsyncIterable<FoundSound> {
  const settings = readServer(job.properties);
  if (settings.model === '')
    throw missingProperty(
      'The LLM_MODEL property is not set: give it the name of a speech model of the server.',
    );
  const language = job.properties['AUDIO_LANGUAGE']?.trim() ?? '';
  if (settings.healthUri !== '') await server.healthy(settings, job);
  for await (const window of speechIn(source, voice, job.signal)) {
    const question = questionOf(window, settings, language);
    const answer = parseShape(transcription, await server.ask(question, settings, job));
    yield* tracksOf(answer, window, source.startTime);
  }
}

function questionOf({ samples }: SpeechWindow, { model }: ServerProperties, language: string) {
  const fields = {
    model,
    response_format: 'verbose_json',
    'timestamp_granularities[]': 'segment',
    ...(language === '' ? {} : { language }),
  };
  const boundary = `troupe-${randomBytes(12).toString('hex')}`;
  const part = (head: string) => `--${boundary}\r\nContent-Disposition: form-data; ${head}\r\n`;
  const body = Buffer.concat([
    ...Object.entries(fields).map(([name, value]) =>
      Buffer.from(`${part(`name="${name}"`)}\r\n${value}\r\n`),
    ),
    Buffer.from(`${part('name="file"; filename="speech.wav"')}Content-Type: audio/wav\r\n\r\n`),
    waveFile(samples),
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ]);
  const contentType = `multipart/form-data; boundary=${boundary}`;
  return { method: 'POST', path: '/audio/transcriptions', body, contentType } as const;
}

function* tracksOf(answer: Transcription, window: SpeechWindow, startTime: number): Iterable<FoundSound> {
  const begin = startTime + Math.round(window.start / SAMPLES_PER_MS);
  const length = Math.round(window.samples.length / SAMPLES_PER_MS);
  const segments = answer.segments ?? [{ start: 0, end: length / 1_000, text: answer.text }];
  const language: Properties = answer.language ? { DETECTED_LANGUAGE: answer.language } : {};
  for (const { start, end, text } of segments) {
    const [from, to] = [Math.round(start * 1_000), Math.round(end * 1_000)];
    if (text.trim() === '' || from >= length) continue;
    yield {
      startTime: begin + Math.max(0, from),
      stopTime: begin + Math.min(length, Math.max(from, to, 0)),
      confidence: -1,
      properties: { TRANSCRIPT: text.trim(), ...language },
    };
  }
}
