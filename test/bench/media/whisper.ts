/**
 * The WHISPERSPEECH component, compared with the FFmpeg filter that it uses, on the same windows of the same
 * sound.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Detector } from '../../../components/sdk/detector.ts';
import { loadVoiceModel } from '../../../components/detectors/speech/voice.ts';
import loadWhisper from '../../../components/models/whisper/detector.ts';
import { speechIn } from '../../../components/models/whisper/speech-in.ts';
import { openAudio } from '../../../media/sound/audio.ts';
import { sample } from '../../components/models/recorded-media.ts';
import { all, jobOf } from '../../components/visual.ts';
import { writeWhisperModel } from '../../support/media/whisper-model.ts';
import type { BareOrder } from '../bare/bare-whisper.ts';
import { cpuMsOf, runInterleaved, round, type Figure } from '../measure.ts';

const SOUND = sample('vad_groundtruth.wav');
const ROUNDS = 5;
/** The size of the smallest model of Whisper. */
const SIZE = { state: 384, heads: 6 };

export async function whisperOverhead(): Promise<readonly Figure[]> {
  const folder = await mkdtemp(path.join(tmpdir(), 'troupe-bench-whisper-'));
  const model = path.join(folder, 'ggml-tiny.bin');
  await writeWhisperModel(model, { words: ['alpha', 'bravo'], language: 0, ...SIZE });
  const windows = await windowsOf(SOUND);
  const detector = await loadWhisper({ models: { roots: [folder], loaded: 1, checkMs: 60_000 } });
  const child = await bareProcess();
  try {
    // A warm-up: starts the processes and fills the file cache.
    await bare(child, { model, windows });
    await inComponent(detector);
    const times = await runInterleaved(ROUNDS, {
      bare: () => measureProcessorTime(() => bare(child, { model, windows })),
      component: () => measureProcessorTime(() => inComponent(detector)),
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
    child.kill();
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

async function bareProcess(): Promise<ChildProcess> {
  const path = fileURLToPath(new URL('../bare/bare-whisper.js', import.meta.url));
  const child = fork(path, { serialization: 'advanced', execArgv: [] });
  await once(child, 'message');
  return child;
}

async function bare(child: ChildProcess, order: BareOrder): Promise<void> {
  child.send(order);
  const [texts] = (await once(child, 'message')) as [readonly string[]];
  if (texts.length === 0) throw new Error('The filter has heard nothing.');
}

async function inComponent(detector: Detector): Promise<void> {
  const audio = await openAudio(SOUND);
  const properties = { WHISPER_MODEL_SIZE: 'tiny', WHISPER_MODE: 'TRANSCRIPTION', AUDIO_LANGUAGE: 'en' };
  const found = await all(detector.audio!(audio, await jobOf('whisper', properties)));
  audio.close();
  if (found.length === 0) throw new Error('The component has heard nothing.');
}

/** Processor time of this process and its child processes. */
async function measureProcessorTime(work: () => Promise<unknown>): Promise<number> {
  const before = spentUntilNow();
  await work();
  return spentUntilNow() - before;
}

function spentUntilNow(): number {
  const children = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').trim();
  const pids = children === '' ? [] : children.split(' ').map(Number);
  return [process.pid, ...pids].reduce((sum, pid) => sum + cpuMsOf(pid), 0);
}
