import { SAMPLES_PER_MS } from '../../detectors/speech/voice.ts';

const RATE = SAMPLES_PER_MS * 1_000;

/** Returns a WAV file with one 16-bit channel, from samples between -1 and 1. */
export function waveFile(samples: Float32Array): Buffer {
  const file = Buffer.alloc(44 + samples.length * 2);
  file.write('RIFF', 0);
  file.writeUInt32LE(file.length - 8, 4);
  file.write('WAVEfmt ', 8);
  file.writeUInt32LE(16, 16);
  file.writeUInt16LE(1, 20);
  file.writeUInt16LE(1, 22);
  file.writeUInt32LE(RATE, 24);
  file.writeUInt32LE(RATE * 2, 28);
  file.writeUInt16LE(2, 32);
  file.writeUInt16LE(16, 34);
  file.write('data', 36);
  file.writeUInt32LE(samples.length * 2, 40);
  for (const [at, sample] of samples.entries())
    file.writeInt16LE(Math.round(Math.min(1, Math.max(-1, sample)) * 32_767), 44 + at * 2);
  return file;
}
