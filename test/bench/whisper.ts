/** The WHISPERSPEECH component against the filter of FFmpeg that it uses: the same windows of the same sound, transcribed without anything around it. */
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Detector } from '../../components/sdk/detector.ts';
import { loadVoiceModel } from '../../components/speech/voice.ts';
import loadWhisper from '../../components/whisper/detector.ts';
import { hideVulkan } from '../../components/whisper/no-vulkan.ts';
import { speechIn } from '../../components/whisper/speech-in.ts';
import { openAudio } from '../../media/audio.ts';
import { sample } from '../components/recorded.ts';
import { all, jobOf } from '../components/visual.ts';
import { writeWhisperModel } from '../support/whisper-model.ts';
import { cpuMsOf, interleaved, round, type Figure } from './measure.ts';

const SOUND = sample('vad_groundtruth.wav');
const ROUNDS = 5;
/** As large as the smallest of Whisper's own models. */
const SIZE = { state: 384, heads: 6 };

export async function whisperOverhead(): Promise<readonly Figure[]> {
  const folder = await mkdtemp(path.join(tmpdir(), 'troupe-bench-whisper-'));
  const model = path.join(folder, 'ggml-tiny.bin');
  await writeWhisperModel(model, { words: ['alpha', 'bravo'], language: 0, ...SIZE });
  const windows = await windowsOf(SOUND);
  const detector = await loadWhisper({ models: { roots: [folder], loaded: 1, checkMs: 60_000 } });
  try {
    // The process is started, and what it loads is in the cache of files.
    await inComponent(detector);
    const times = await interleaved(ROUNDS, {
      bare: () => spent(() => bare(model, windows)),
      component: () => spent(() => inComponent(detector)),
    });
    const seconds = windows.reduce((sum, { length }) => sum + length, 0) / 16_000;
    return [
      {
        what: `Whisper: the bare filter, ${round(seconds)} s of speech in ${windows.length} window(s)`,
        value: cpu(times.bare),
      },
      {
        what: 'Whisper: the component, from the file to tracks',
        value: `${cpu(times.component)}, ratio ${round(times.component / times.bare, 3)}`,
        aim: '1.05',
      },
    ];
  } finally {
    await detector.close!();
    await rm(folder, { recursive: true });
  }
}

const cpu = (ms: number) => `${round(ms)} ms of CPU time`;

async function windowsOf(file: string): Promise<readonly Float32Array[]> {
  const voice = await loadVoiceModel();
  const audio = await openAudio(file);
  const windows = await all(speechIn(audio, voice, new AbortController().signal));
  audio.close();
  await voice.close();
  return windows.map(({ samples }) => samples);
}

async function bare(model: string, windows: readonly Float32Array[]): Promise<void> {
  hideVulkan();
  const { transcribe } = await import('../../media/whisper-filter.ts');
  const options = { model, language: 'en', threads: 1, useGpu: false, translate: false };
  for (const samples of windows) await transcribe(samples, options);
}

async function inComponent(detector: Detector): Promise<void> {
  const audio = await openAudio(SOUND);
  const properties = { WHISPER_MODEL_SIZE: 'tiny', WHISPER_MODE: 'TRANSCRIPTION', AUDIO_LANGUAGE: 'en' };
  await all(detector.audio!(audio, await jobOf('whisper', properties)));
  audio.close();
}

/** Processor time of this process and of those that it has started. */
async function spent(work: () => Promise<unknown>): Promise<number> {
  const before = spentUntilNow();
  await work();
  return spentUntilNow() - before;
}

function spentUntilNow(): number {
  const children = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').trim();
  const pids = children === '' ? [] : children.split(' ').map(Number);
  return [process.pid, ...pids].reduce((sum, pid) => sum + cpuMsOf(pid), 0);
}
