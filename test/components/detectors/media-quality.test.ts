import { expect } from 'chai';
import { mkdtempSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import loadPictures from '../../../components/detectors/picture-quality/detector.ts';
import loadSounds from '../../../components/detectors/sound-quality/detector.ts';
import type { Detector, FoundSound, FoundTrack } from '../../../components/sdk/detector.ts';
import { writeChangingSound, type SoundForm } from '../../support/media/changing-sound.ts';
import { toneFile, type Tone } from '../../support/media/tone-file.ts';
import { sample } from '../models/recorded-media.ts';
import { acceptsBroken, all, jobOf, noise, paintVideo, picture, spans, type Painter } from '../visual.ts';

const grey = (value: number) => [value, value, value] as const;
const alive: Painter = (x, y, frame) => grey(60 + 150 * noise(x >> 3, y >> 3, frame));
const BLACK = grey(0);

describe('The PICTURE QUALITY component', () => {
  let detector: Detector;
  before(async () => {
    detector = await loadPictures();
  });

  /** Runs the detector on a video with 25 frames per second. */
  async function look(frames: number, paint: Painter, properties: Record<string, string> = {}) {
    const job = await jobOf('picture-quality', { MIN_FREEZE_DURATION: '1000', ...properties });
    return all(detector.video!(paintVideo({ frames }, paint), job));
  }
  const of = (tracks: readonly FoundTrack[], quality: string) =>
    tracks.filter(({ properties }) => properties?.['QUALITY'] === quality);

  it('finds nothing in a video that moves and fills the picture', async () => {
    expect(await look(60, alive)).to.deep.equal([]);
  });

  it('finds black stretches at the very frames, also at the end', async () => {
    const isBlack = (frame: number) => (frame >= 20 && frame < 40) || frame >= 70;
    const found = of(await look(90, (x, y, frame) => (isBlack(frame) ? BLACK : alive(x, y, frame))), 'BLACK');
    expect(spans(found)).to.deep.equal([[20, 39], [70, 89]]); // oxfmt-ignore
    expect(found.map(({ properties }) => properties?.['DURATION'])).to.deep.equal(['800', '760']);
    expect(found[0]!.detections[0]).to.include({ frame: 20, x: 0, y: 0, width: 160, height: 96 });
  });

  it('leaves out black that is shorter than MIN_BLACK_DURATION', async () => {
    const flash: Painter = (x, y, frame) => (frame >= 20 && frame < 30 ? BLACK : alive(x, y, frame));
    expect(await look(60, flash)).to.deep.equal([]);
    expect(of(await look(60, flash, { MIN_BLACK_DURATION: '300' }), 'BLACK')).to.have.length(1);
  });

  it('finds where a video stands still, from the first of the equal frames', async () => {
    const found = of(
      await look(100, (x, y, frame) => alive(x, y, frame >= 30 && frame < 70 ? 30 : frame)),
      'FROZEN',
    );
    expect(spans(found)).to.deep.equal([[30, 69]]);
    expect(found[0]!.properties).to.include({ DURATION: '1600' });
    const last = of(await look(60, (x, y, frame) => alive(x, y, Math.min(frame, 20))), 'FROZEN');
    expect(spans(last), 'until the end').to.deep.equal([[20, 59]]);
  });

  it('finds what lies within black bars', async () => {
    const bars: Painter = (x, y, frame) => (y < 16 || y >= 80 ? BLACK : alive(x, y, frame));
    const [found, ...others] = await look(40, bars);
    expect(others).to.deep.equal([]);
    expect(found!.properties).to.deep.equal({ QUALITY: 'CROP', CROP: '160:64:0:16' });
    expect(found!.detections[0]).to.include({ x: 0, y: 16, width: 160, height: 64 });
    expect(spans([found!])).to.deep.equal([[0, 39]]);
  });

  it('looks at images, too', async () => {
    const job = await jobOf('picture-quality');
    const found = await all(
      detector.image!(
        picture(64, 64, () => BLACK),
        job,
      ),
    );
    expect(found.map(({ properties }) => properties?.['QUALITY'])).to.deep.equal(['BLACK']);
    const framed = await all(
      detector.image!(
        picture(64, 64, (x) => (x < 20 ? BLACK : grey(180))),
        job,
      ),
    );
    expect(framed.map(({ properties }) => properties?.['CROP'])).to.deep.equal(['44:64:20:0']);
  });

  it('finds no bars in a picture of odd size, which the filter cannot tell to the pixel', async () => {
    const whole = picture(63, 47, () => grey(180));
    expect(await all(detector.image!(whole, await jobOf('picture-quality')))).to.deep.equal([]);
  });

  it('refuses properties that make no sense', async () => {
    expect(
      await acceptsBroken('picture-quality', (job) => detector.video!(paintVideo({ frames: 1 }, alive), job)),
    ).to.deep.equal([]);
  });
});

describe('The SOUND QUALITY component', () => {
  let detector: Detector;
  let folder: string;
  before(async () => {
    detector = await loadSounds();
    folder = mkdtempSync(join(tmpdir(), 'troupe-tones-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  async function hear(path: string, part = { startMs: 0, stopMs: Infinity }): Promise<FoundSound[]> {
    const heard = () => undefined;
    return all(detector.soundFile!({ path, ...part, heard }, await jobOf('sound-quality')));
  }
  async function hearTones(...tones: Tone[]): Promise<FoundSound[]> {
    const path = join(folder, 'tones.wav');
    await writeFile(path, toneFile(tones));
    return hear(path);
  }

  it('measures loudness as EBU R 128 tells it of a tone in both channels', async () => {
    const [found] = await hearTones({ seconds: 20, level: -23 });
    const { QUALITY, INTEGRATED_LOUDNESS, TRUE_PEAK, LOUDNESS_RANGE } = found!.properties!;
    expect(QUALITY).to.equal('LOUDNESS');
    expect(Number(INTEGRATED_LOUDNESS)).to.be.closeTo(-23, 0.1);
    expect(Number(TRUE_PEAK)).to.be.closeTo(-23, 0.2);
    expect(Number(LOUDNESS_RANGE)).to.be.closeTo(0, 0.1);
    expect([found!.startTime, found!.stopTime]).to.deep.equal([0, 20_000]);
  });

  it('finds silence in the middle and at the end', async () => {
    const found = await hearTones(
      { seconds: 3, level: -20 },
      { seconds: 2.5, level: -Infinity },
      { seconds: 3, level: -20 },
      { seconds: 4, level: -Infinity },
    );
    const silent = found.filter(({ properties }) => properties?.['QUALITY'] === 'SILENT');
    const times = silent.flatMap(({ startTime, stopTime }) => [startTime, stopTime]);
    for (const [at, wanted] of [3_000, 5_500, 8_500, 12_500].entries())
      expect(times[at]).to.be.closeTo(wanted, 5);
    expect(silent[0]!.properties?.['DURATION']).to.equal(String(times[1]! - times[0]!));
  });

  describe('where the sound changes its rate and its channels', () => {
    const [LOUD, SILENT] = [-20, -Infinity];
    const first = { rate: 48_000, channels: 2 } as const;
    const second = { rate: 32_000, channels: 1 } as const;

    async function silences(...forms: readonly SoundForm[]): Promise<[number, number][]> {
      const path = join(folder, 'changing.ts');
      writeChangingSound(path, forms);
      const found = await hear(path);
      const silent = found.filter(({ properties }) => properties?.['QUALITY'] === 'SILENT');
      return silent.map(({ startTime, stopTime }) => [startTime, stopTime]);
    }
    /** Tolerance: one AAC packet, plus the delay of the encoder. */
    function near(found: readonly [number, number][], wanted: readonly [number, number][]): void {
      expect(found).to.have.length(wanted.length);
      for (const [at, [start, stop]] of wanted.entries()) {
        expect(found[at]![0]).to.be.closeTo(start, 70);
        expect(found[at]![1]).to.be.closeTo(stop, 70);
      }
    }
    const tone = (seconds: number, level: number): Tone => ({ seconds, level });

    it('finds one silence where it goes on over that, though each half were too short', async () => {
      near(
        await silences(
          { ...first, tones: [tone(2, LOUD), tone(1.5, SILENT)] },
          { ...second, tones: [tone(1.5, SILENT), tone(2, LOUD)] },
        ),
        [[2_000, 5_000]],
      );
    });

    it('ends a silence there when it ends there, and finds those that follow', async () => {
      near(
        await silences(
          { ...first, tones: [tone(1, LOUD), tone(3, SILENT)] },
          { ...second, tones: [tone(2, LOUD), tone(3, SILENT)] },
          { ...first, tones: [tone(2, LOUD)] },
        ),
        [
          [1_000, 4_000],
          [6_000, 9_000],
        ],
      );
    });

    it('finds a silence from there to the end', async () => {
      near(await silences({ ...first, tones: [tone(2, LOUD)] }, { ...second, tones: [tone(3, SILENT)] }), [
        [2_000, 5_000],
      ]);
    });
  });

  it('hears nothing but silence in a minute of it', async () => {
    const found = await hear(sample('silence.mp3'));
    expect(found[0]!.properties).to.include({ QUALITY: 'SILENT' });
    expect(found.map(({ properties }) => properties?.['TRUE_PEAK'])).to.deep.equal([undefined, '-inf']);
  });

  it('hears only the part that is wanted', async () => {
    const found = await hear(sample('vad_groundtruth.wav'), { startMs: 4_000, stopMs: 8_000 });
    const loudness = found.find(({ properties }) => properties?.['QUALITY'] === 'LOUDNESS')!;
    expect(loudness.startTime).to.be.within(4_000, 4_300);
    expect(loudness.stopTime).to.be.within(7_700, 8_300);
  });

  it('says that a video has no sound', async () => {
    const found = await hear(sample('face-morphing.gif'));
    expect(found.map(({ properties }) => properties)).to.deep.equal([{ QUALITY: 'NO SOUND' }]);
  });
});
