/** A WAV file in stereo at 48 kHz: a tone of 1 kHz, as loud as told, in stretches. */
export interface Tone {
  readonly seconds: number;
  /** Decibels of full scale that the peaks have; -Infinity: silence. */
  readonly level: number;
}

const RATE = 48_000;
/** Samples of a wave of the tone. */
const WAVE = 48;

export function toneFile(tones: readonly Tone[]): Buffer {
  const stretches = tones.map(({ seconds, level }) => {
    const amplitude = 32_767 * 10 ** (level / 20);
    const wave = Int16Array.from({ length: WAVE * 2 }, (_, i) =>
      Math.round(amplitude * Math.sin((2 * Math.PI * Math.floor(i / 2)) / WAVE)),
    );
    return Buffer.alloc(Math.ceil(seconds * RATE) * 4, Buffer.from(wave.buffer));
  });
  const data = Buffer.concat(stretches);
  const head = Buffer.alloc(44);
  head.write('RIFF', 0);
  head.writeUInt32LE(36 + data.length, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(2, 22);
  head.writeUInt32LE(RATE, 24);
  head.writeUInt32LE(RATE * 4, 28);
  head.writeUInt16LE(4, 32);
  head.writeUInt16LE(16, 34);
  head.write('data', 36);
  head.writeUInt32LE(data.length, 40);
  return Buffer.concat([head, data]);
}
