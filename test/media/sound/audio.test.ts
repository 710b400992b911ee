import { expect } from 'chai';
import { readFile } from 'node:fs/promises';
import { openAudio, SAMPLE_RATE } from '../../../media/sound/audio.ts';
import type { AudioOptions } from '../../../media/sound/audio.ts';
import { mediumError, sample } from '../support/samples.ts';

async function listen(
  name: string,
  options: AudioOptions = {},
): Promise<{ startTime: number; samples: Float32Array }> {
  const reader = await openAudio(sample(name), options);
  const pieces: number[] = [];
  for await (const chunk of reader.chunks()) for (const value of chunk) pieces.push(value);
  return { startTime: reader.startTime, samples: Float32Array.from(pieces) };
}

/** The 16-bit samples after the header of a WAV file. */
async function pcm(name: string): Promise<Int16Array> {
  const bytes = await readFile(sample(name));
  const data = bytes.indexOf('data') + 8;
  return new Int16Array(
    bytes.buffer.slice(bytes.byteOffset + data, bytes.byteOffset + data + bytes.readUInt32LE(data - 4)),
  );
}

function loudness(samples: Float32Array): number {
  return Math.sqrt(samples.reduce((sum, value) => sum + value * value, 0) / samples.length);
}

describe('reading the sound of a medium', () => {
  it('gives the samples of a 16 kHz file unchanged', async () => {
    const { startTime, samples } = await listen('vad_groundtruth.wav');
    const expected = Float32Array.from(await pcm('vad_groundtruth.wav'), (value) => value / 32_768);
    expect(startTime).to.equal(0);
    expect(samples).to.deep.equal(expected);
  });

  it('gives 16,000 samples for each second of whatever format', async () => {
    const seconds = {
      'green.wav': 2.2,
      'silence.mp3': 60,
      'amrnb.amr': 1.04,
      'video_02_audio_only.mp4': 17.415,
      'face_move.mp4': 4,
      'theora_opus.ogg': 1.04,
      'bbb24p_00_short.ts': 1.024,
    };
    for (const [name, expected] of Object.entries(seconds))
      expect((await listen(name)).samples.length / SAMPLE_RATE, name).to.be.closeTo(expected, 0.03);
  });

  it('keeps the values within one and lets silence be silent', async () => {
    expect(loudness((await listen('silence.mp3')).samples)).to.be.lessThan(1e-4);
    const { samples } = await listen('video_02_audio_only.mp4');
    expect(loudness(samples)).to.be.within(0.005, 0.5);
  });

  it('cuts out a stretch at the sample', async () => {
    const { startTime, samples } = await listen('vad_groundtruth.wav', { startMs: 5000, stopMs: 5999 });
    const expected = Float32Array.from(
      (await pcm('vad_groundtruth.wav')).subarray(80_000, 96_000),
      (value) => value / 32_768,
    );
    expect(startTime).to.equal(5000);
    expect(samples).to.deep.equal(expected);
  });

  it('cuts compressed sound where a straight decode has it', async () => {
    const { samples: all } = await listen('video_02_audio_only.mp4');
    const { samples } = await listen('video_02_audio_only.mp4', { startMs: 7000, stopMs: 7999 });
    expect(samples.length).to.equal(SAMPLE_RATE);
    const distance = (shift: number): number =>
      loudness(samples.subarray(200, -200).map((value, i) => value - (all[i + 200 + 112_000 + shift] ?? 0)));
    expect(distance(0)).to.be.lessThan(0.01);
    expect(distance(0)).to.be.lessThan(distance(1) / 5);
    expect(distance(0)).to.be.lessThan(distance(-1) / 5);
  });

  it('says what is missing', async () => {
    const error = await mediumError(listen('scenes_pd.mp4'));
    expect([error.code, error.message]).to.deep.equal([
      'COULD_NOT_OPEN_MEDIA',
      'The medium has no audio stream.',
    ]);
    expect((await mediumError(listen('chelsea.png'))).code).to.equal('COULD_NOT_OPEN_MEDIA');
  });
});
