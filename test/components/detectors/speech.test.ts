import { expect } from 'chai';
import load from '../../../components/detectors/speech/detector.ts';
import { Stretches } from '../../../components/detectors/speech/stretches.ts';
import { windows } from '../../../components/detectors/speech/windows.ts';
import type { AudioSource, Detector, FoundSound } from '../../../components/sdk/detector.ts';
import { openAudio, type AudioOptions } from '../../../media/sound/audio.ts';
import { sample } from '../models/recorded-media.ts';
import { all, descriptorOf, jobOf } from '../visual.ts';

/** Speech in vad_groundtruth.wav, in milliseconds. From 9,100 to 12,100 there is noise. */
const SPOKEN = [[2000, 9100], [12_100, 14_900]] as const; // oxfmt-ignore
const TOLERANCE = 500;

const SETTINGS = { speechThreshold: 0.5, silenceThreshold: 0.3, minSilence: 100, minSpeech: 50, padding: 0 };

/** Speech segments [start, stop] for windows of 10 ms. Each digit is the probability of speech in tenths. */
function stretchesOf(digits: string, settings: Partial<typeof SETTINGS> = {}): [number, number][] {
  const stretches = new Stretches({ ...SETTINGS, ...settings });
  const found = Array.from(digits, (digit, i) => stretches.next(i * 10, (i + 1) * 10, Number(digit) / 10));
  return [...found, stretches.end(digits.length * 10)].flatMap((stretch) =>
    stretch === undefined ? [] : [[stretch.start, stretch.stop] as [number, number]],
  );
}

async function* inPieces(sound: Float32Array, length: number): AsyncIterable<Float32Array> {
  for (let from = 0; from < sound.length; from += length) yield sound.subarray(from, from + length);
}

describe('The SPEECH component', () => {
  let detector: Detector;
  before(async () => {
    detector = await load();
  });
  after(() => detector.close!());

  async function hear(source: AudioSource, properties = {}): Promise<FoundSound[]> {
    return all(detector.audio!(source, await jobOf('speech', properties)));
  }

  async function hearFile(name: string, options: AudioOptions = {}, properties = {}): Promise<FoundSound[]> {
    const audio = await openAudio(sample(name), options);
    try {
      return await hear(audio, properties);
    } finally {
      audio.close();
    }
  }

  it('finds speech where somebody speaks, and neither in noise nor in silence', async () => {
    const found = await hearFile('vad_groundtruth.wav');
    const within = SPOKEN.map(([from, to]) =>
      found.filter(({ startTime, stopTime }) => startTime >= from - TOLERANCE && stopTime <= to + TOLERANCE),
    );
    expect(within.flat(), 'no track leaves the spoken parts').to.have.length(found.length);
    const [first, second] = within.map((tracks) =>
      tracks.reduce((sum, { startTime, stopTime }) => sum + stopTime - startTime, 0),
    );
    expect(first).to.be.at.least(6300);
    expect(second).to.be.at.least(1500);
    for (const { confidence } of found) expect(confidence).to.be.within(0.5, 1);
  });

  it('finds nothing in a minute of silence', async () => {
    expect(await hearFile('silence.mp3')).to.deep.equal([]);
  });

  it('tells times of the medium when it hears only a part of it', async () => {
    const found = await hearFile('vad_groundtruth.wav', { startMs: 11_000, stopMs: 13_000 });
    expect(found).to.have.length(1);
    expect(found[0]!.startTime).to.be.within(12_100, 12_800);
    expect(found[0]!.stopTime, 'speech goes on where the part ends').to.be.within(12_900, 13_001);
  });

  it('hears the same however the sound is cut into chunks, and whatever it heard before', async () => {
    const audio = await openAudio(sample('vad_groundtruth.wav'), { stopMs: 5000 });
    const sound = Float32Array.from((await all(audio.chunks())).flatMap((chunk) => [...chunk]));
    const cut = (length: number): AudioSource => ({ startTime: 0, chunks: () => inPieces(sound, length) });
    const whole = await hear(cut(sound.length));
    expect(whole).to.have.length.above(0);
    expect(await hear(cut(777))).to.deep.equal(whole);
  });

  it('makes stretches longer by SPEECH_PADDING', async () => {
    const options = { startMs: 11_000 };
    const [bare] = await hearFile('vad_groundtruth.wav', options, { SPEECH_PADDING: '0' });
    const [padded] = await hearFile('vad_groundtruth.wav', options, { SPEECH_PADDING: '200' });
    expect([bare!.startTime - padded!.startTime, padded!.stopTime - bare!.stopTime]).to.deep.equal([
      200, 200,
    ]);
  });

  it('stops when the job is cancelled', async () => {
    const job = { ...(await jobOf('speech')), signal: AbortSignal.abort(new Error('cancelled')) };
    const source = { startTime: 0, chunks: () => inPieces(new Float32Array(1024), 1024) };
    const outcome = await all(detector.audio!(source, job)).catch((error: Error) => error.message);
    expect(outcome).to.equal('cancelled');
  });

  it('refuses a property that is missing, no number or out of its range', async () => {
    const silent = { startTime: 0, chunks: () => inPieces(new Float32Array(0), 1) };
    const codeWith = (properties: Record<string, string>): Promise<string | undefined> =>
      hear(silent, properties).then(
        () => 'accepted',
        (error: { code?: string }) => error.code,
      );
    const { properties } = (await descriptorOf('speech')).algorithm.providesCollection;
    for (const { name } of properties) {
      expect(await codeWith({ [name]: '' }), name).to.equal('MISSING_PROPERTY');
      expect(await codeWith({ [name]: 'many' }), name).to.equal('INVALID_PROPERTY');
      expect(await codeWith({ [name]: '-1' }), name).to.equal('INVALID_PROPERTY');
    }
    expect(await codeWith({ SILENCE_THRESHOLD: '0.6' })).to.equal('INVALID_PROPERTY');
  });

  it('knows sound only, and videos by their sound', () => {
    expect(detector).to.not.have.any.keys('image', 'video');
  });

  it('comes with a pipeline that hears a video in one piece', async () => {
    const { algorithm, actions, tasks, pipelines } = await descriptorOf('speech');
    expect([algorithm.name, algorithm.trackType]).to.deep.equal(['SPEECH', 'SPEECH']);
    expect(pipelines.map(({ name }) => name)).to.deep.equal(['SPEECH DETECTION PIPELINE']);
    expect(pipelines[0]!.tasks).to.deep.equal(tasks.map(({ name }) => name));
    expect(tasks[0]!.actions).to.deep.equal(actions.map(({ name }) => name));
    expect(actions[0]!.properties).to.deep.include.members([
      { name: 'TARGET_SEGMENT_LENGTH', value: '0' },
      { name: 'VFR_TARGET_SEGMENT_LENGTH', value: '0' },
    ]);
  });
});

describe('Stretches of speech', () => {
  it('begin at the upper threshold and last while the lower one is met', () => {
    expect(stretchesOf('0044599943330000000000000')).to.deep.equal([[40, 120]]);
  });

  it('bridge pauses that are shorter than the shortest silence', () => {
    expect(stretchesOf('99999900000000099999900000000000')).to.deep.equal([[0, 210]]);
    expect(stretchesOf('99999900000000009999990000000000')).to.deep.equal([[0, 60], [160, 220]]); // oxfmt-ignore
  });

  it('leave out what is too short to be speech', () => {
    expect(stretchesOf('0099990000000000000999990000000000')).to.deep.equal([[190, 240]]);
  });

  it('are padded, but neither into each other nor out of the sound', () => {
    const sound = '99999900000000009999990000000000';
    expect(stretchesOf(sound, { padding: 30 })).to.deep.equal([[0, 90], [130, 250]]); // oxfmt-ignore
    expect(stretchesOf(sound, { padding: 80 })).to.deep.equal([[0, 140], [140, 300]]); // oxfmt-ignore
    expect(stretchesOf('999999', { padding: 30 })).to.deep.equal([[0, 60]]);
  });

  it('are as sure as their voiced windows on average', () => {
    const stretches = new Stretches(SETTINGS);
    [0.9, 0, 0.7, 0.8, 0.8, 0.8].forEach((probability, i) =>
      stretches.next(i * 10, i * 10 + 10, probability),
    );
    expect(stretches.end(60)!.confidence).to.be.closeTo(0.8, 1e-9);
  });
});

describe('Windows of sound', () => {
  it('hold every sample once, and end with silence', async () => {
    const sound = Float32Array.from({ length: 10 }, (_, i) => i + 1);
    const cut: (readonly [number[], number])[] = [];
    for await (const { samples, filled } of windows(inPieces(sound, 3), 4)) cut.push([[...samples], filled]);
    expect(cut).to.deep.equal([[[1, 2, 3, 4], 4], [[5, 6, 7, 8], 4], [[9, 10, 0, 0], 2]]); // oxfmt-ignore
  });
});
