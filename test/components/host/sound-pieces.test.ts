import { expect } from 'chai';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { waveFile } from '../../../components/models/openai-speech/wave-file.ts';
import type { Detector, FoundSound } from '../../../components/sdk/detector.ts';
import type { Range } from '../../../domain/types.ts';
import { answerTo, medium } from './feed-forward-parts.ts';
import { sample } from '../models/recorded-media.ts';

describe('Sound that is heard in pieces', () => {
  const RATE = 16_000;
  const SECONDS = 12;
  let folder: string;
  before(() => void (folder = mkdtempSync(join(tmpdir(), 'troupe-pieces-'))));
  after(() => rmSync(folder, { recursive: true }));

  /** A tone that is silent twice: for half a second from 4.6 s, and again from 7.3 s. */
  function tone(name: string, seconds = SECONDS): string {
    const samples = Int16Array.from({ length: seconds * RATE }, (_, n) => {
      const time = n / RATE;
      const isSilent = (time >= 4.6 && time < 5.1) || (time >= 7.3 && time < 7.8);
      return isSilent ? 0 : 8_000 * Math.sin(time * 2 * Math.PI * 440);
    });
    const file = join(folder, name);
    writeFileSync(file, waveFile(Float32Array.from(samples, (value) => value / 32_768)));
    return file;
  }

  async function pieceOf(path: string, time: Range, duration = SECONDS * 1_000) {
    const heard: { startTime: number; samples: number }[] = [];
    const detector: Detector = {
      async *audio({ startTime, chunks }): AsyncGenerator<FoundSound> {
        let samples = 0;
        for await (const chunk of chunks()) samples += chunk.length;
        heard.push({ startTime, samples });
        if (samples > 0) yield { startTime, stopTime: startTime + samples, confidence: -1 };
      },
    };
    const file = { ...medium('AUDIO', path), metadata: { DURATION: String(duration) } };
    const properties = { AUDIO_TARGET_SEGMENT_LENGTH: '4' };
    return { ...(await answerTo(detector, { medium: file, properties, time })), heard };
  }

  it('is cut where it is quietest near the border, without a gap or an overlap', async () => {
    const path = tone('tone.wav');
    const all = [];
    for (const time of [
      { start: 0, stop: 3_999 },
      { start: 4_000, stop: 7_999 },
      { start: 8_000, stop: 11_999 },
    ])
      all.push(...(await pieceOf(path, time)).heard);
    const [first, second, third] = all;
    expect(first!.startTime).to.equal(0);
    expect(second!.startTime, 'in the silence near 4 s').to.be.within(4_750, 4_950);
    expect(third!.startTime, 'in the silence near 8 s').to.be.within(7_450, 7_650);
    expect(all.map(({ startTime, samples }) => startTime + (samples * 1_000) / RATE)).to.deep.equal([
      second!.startTime,
      third!.startTime,
      SECONDS * 1_000,
    ]);
  });

  it('tells how far it is of its own piece', async () => {
    const { progress, heard } = await pieceOf(tone('progress.wav'), { start: 4_000, stop: 7_999 });
    const length = (heard[0]!.samples * 1_000) / RATE;
    expect(progress.at(-1)).to.deep.equal([length, length]);
  });

  it('is nothing at all where the sound ends before its header says', async () => {
    for (const path of [tone('short.wav', 6), sample('h264_aac.mp4')])
      for (const time of [
        { start: 600_000, stop: 603_999 },
        { start: 604_000, stop: 607_999 },
      ])
        expect((await pieceOf(path, time, 608_000)).tracks, path).to.deep.equal([]);
  });

  it('fails where nothing at all can be decoded', async () => {
    const path = join(folder, 'none.wav');
    writeFileSync(path, waveFile(new Float32Array(0)));
    const said = await pieceOf(path, { start: 0, stop: 3_999 }).catch(
      (error: { code: string }) => error.code,
    );
    expect(said).to.equal('COULD_NOT_READ_MEDIA');
  });
});
