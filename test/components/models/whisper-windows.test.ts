import { expect } from 'chai';
import { inEnglish } from '../../../components/models/whisper/in-english.ts';
import { LONGEST, SpeechWindows } from '../../../components/models/whisper/speech-windows.ts';
import { textsOf } from '../../../media/sound/whisper-filter.ts';

describe('Windows of speech', () => {
  /**
   * Windows [start, stop] in seconds. Each digit is the probability of speech of half a second, in tenths.
   */
  function windowsOf(digits: string): [number, number][] {
    const speech = new SpeechWindows();
    const found = Array.from(digits, (digit) => speech.add(new Float32Array(8_000), Number(digit) / 10));
    return [...found, speech.end()].flatMap((window) =>
      window === undefined
        ? []
        : [[window.start / 16_000, (window.start + window.samples.length) / 16_000] as [number, number]],
    );
  }

  it('begin a little before speech does and end a little after it', () => {
    expect(windowsOf('0000990000000000')).to.deep.equal([[1.5, 3.2]]);
    expect(windowsOf('99')).to.deep.equal([[0, 1]]);
  });

  it('hold pauses, but no long silence', () => {
    expect(windowsOf('9900099')).to.deep.equal([[0, 3.5]]);
    expect(windowsOf(`99${'0'.repeat(20)}99`)).to.deep.equal([[0, 1.2], [10.5, 12]]); // oxfmt-ignore
  });

  it('leave out silence and clicks', () => {
    const speech = new SpeechWindows();
    speech.add(new Float32Array(512), 0.9);
    for (let i = 0; i < 200; i++)
      expect(speech.add(new Float32Array(512), 0), 'a click is no window').to.equal(undefined);
    expect(speech.end()).to.equal(undefined);
  });

  it('are cut where speech is least likely when nobody makes a pause', () => {
    const found = windowsOf(`${'9'.repeat(40)}4${'9'.repeat(40)}`);
    expect(found).to.deep.equal([[0, 20.5], [20.5, 40.5]]); // oxfmt-ignore
  });

  it('are never longer than what the model takes, and lose no speech', () => {
    const speech = new SpeechWindows();
    let [until, seed] = [0, 7];
    const check = (window: ReturnType<SpeechWindows['add']>) => {
      if (window === undefined) return;
      expect(window.samples.length).to.be.at.most(LONGEST);
      expect(window.start).to.be.at.most(until + 512);
      until = window.start + window.samples.length;
    };
    const pieces = 12_000;
    for (let i = 0; i < pieces; i++) {
      seed = (seed * 1_664_525 + 1_013_904_223) % 2 ** 32;
      check(speech.add(new Float32Array(512), 0.36 + (0.6 * seed) / 2 ** 32));
    }
    check(speech.end());
    expect(until).to.equal(pieces * 512);
  });
});

describe('What was said and the same in English', () => {
  const at = (start: number, stop: number, text: string) => ({ start, stop, text });

  it('are joined where they share the most time, or else to the nearest, and nothing is lost', () => {
    const spoken = [
      at(0, 900, 'eins'),
      at(900, 2_000, 'zwei'),
      at(2_000, 3_000, 'drei'),
      at(9_000, 9_500, 'vier'),
    ];
    const english = [at(0, 1_100, 'one'), at(1_100, 3_000, 'two three'), at(4_000, 5_000, 'made up'), at(6_000, 8_000, 'four')]; // oxfmt-ignore
    expect(inEnglish(spoken, english)).to.deep.equal([
      { start: 0, stop: 1_100, text: 'eins', english: 'one' },
      { start: 1_100, stop: 3_000, text: 'zwei drei', english: 'two three' },
      { start: 4_000, stop: 5_000, english: 'made up' },
      { start: 6_000, stop: 8_000, text: 'vier', english: 'four' },
    ]);
    expect(inEnglish(spoken, [])).to.deep.equal(spoken);
  });
});

describe('What the whisper filter writes', () => {
  it('is read with quotation marks and line ends in the text', () => {
    const written =
      '{"start":0,"end":900,"text":"He said "no"."}\n{"start":900,"end":1400,"text":"One\ntwo"}\n{"start":1400,"end":1500,"text":" "}\n';
    expect(textsOf(written)).to.deep.equal([
      { start: 0, stop: 900, text: 'He said "no".' },
      { start: 900, stop: 1400, text: 'One\ntwo' },
    ]);
  });
});
