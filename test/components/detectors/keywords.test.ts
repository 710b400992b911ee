import { expect } from 'chai';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import loadKeywords from '../../../components/detectors/keywords/detector.ts';
import { parseTagRules } from '../../../components/detectors/keywords/rules.ts';
import { MAX_TRIGGERS, taggerOf } from '../../../components/detectors/keywords/tagger.ts';
import type { Detector, FoundPart } from '../../../components/sdk/detector.ts';
import type { Properties } from '../../../domain/types.ts';
import { fedTrack } from '../host/fed-track.ts';
import { all, descriptorOf, jobOf } from '../visual.ts';

const rules = (value: unknown): Properties => ({ TAGGING_RULES: JSON.stringify(value) });

describe('The KEYWORD TAGGING component', () => {
  let detector: Detector;
  let folder: string;
  before(async () => {
    detector = await loadKeywords();
    folder = await mkdtemp(join(tmpdir(), 'keywords-'));
  });
  after(() => rm(folder, { recursive: true }));

  async function ofTrack(properties: Properties, settings: Properties = {}) {
    const job = await jobOf('keywords', settings);
    const [found] = await all(detector.fed!(fedTrack(properties), job));
    return found?.properties;
  }
  const refusal = async (settings: Properties) =>
    ofTrack({ TEXT: 'x' }, settings).then(
      () => undefined,
      (error: unknown) => error,
    );

  it('says which words triggered a tag, and where they stand, both ends included', async () => {
    expect(await ofTrack({ TRANSLATION: "Where's the airport?" })).to.deep.equal({
      TAGS: 'TRAVEL',
      'TRANSLATION TRAVEL TRIGGER WORDS': 'airport',
      'TRANSLATION TRAVEL TRIGGER WORDS OFFSET': '12-18',
    });
  });

  it('finds mail addresses, telephone numbers, amounts and dates by patterns', async () => {
    const text =
      'Write to jane.doe@example.org or +44 20 7946 0958 before 24 March 2031: it costs $1,250.00, or 8.50 € each.';
    const found = await ofTrack({ TEXT: text });
    expect(found).to.include({
      TAGS: 'CONTACT; MONEY; DATE',
      'TEXT CONTACT TRIGGER WORDS': 'jane.doe@example.org; +44 20 7946 0958',
      'TEXT MONEY TRIGGER WORDS': '$1,250.00; 8.50 €',
      'TEXT DATE TRIGGER WORDS': '24 March 2031',
    });
    const [from, to] = found!['TEXT DATE TRIGGER WORDS OFFSET']!.split('-').map(Number);
    expect(text.slice(from, to! + 1)).to.equal('24 March 2031');
  });

  it('tells each word once with all its places', async () => {
    const settings = rules({ FRUIT: { keywords: ['apple', 'red apple'] } });
    expect(await ofTrack({ TEXT: 'An apple, a red  apple; apple!' }, settings)).to.deep.equal({
      TAGS: 'FRUIT',
      'TEXT FRUIT TRIGGER WORDS': 'apple; red  apple',
      'TEXT FRUIT TRIGGER WORDS OFFSET': '3-7, 24-28; 12-21',
    });
  });

  it('finds whole words only, in any case and script, with one mark between them', async () => {
    const settings = rules({ A: { keywords: ['car', 'e-mail'] }, B: { keywords: ['МОСКВА', 'straße'] } });
    const tags = async (text: string) => (await ofTrack({ TEXT: text }, settings))?.['TAGS'];
    expect(await tags('scar cars cart')).to.equal('');
    expect(await tags('CAR')).to.equal('A');
    expect(await tags('e mail')).to.equal('A');
    expect(await tags('e. Mail')).to.equal('');
    expect(await tags('в Москва!')).to.equal('B');
    expect(await tags('Москвай STRASSE')).to.equal('');
    expect(await tags('Car, Straße')).to.equal('A; B');
  });

  it('counts characters, not halves of them', async () => {
    expect(await ofTrack({ TEXT: '😀😀 car 😀 car' }, rules({ A: { keywords: ['car'] } }))).to.include({ 'TEXT A TRIGGER WORDS OFFSET': '3-5, 9-11' }); // oxfmt-ignore
  });

  it('marks a semicolon in a word', async () => {
    const settings = rules({ A: { patterns: ['a;b', 'c'] } });
    expect(await ofTrack({ TEXT: 'a;b c' }, settings)).to.include({ 'TEXT A TRIGGER WORDS': 'a\\;b; c' });
  });

  it('searches each of the named properties that are there', async () => {
    const found = await ofTrack({ TEXT: 'my car', TRANSCRIPT: 'the hotel', NOTE: 'a bus' });
    expect(found).to.include({ TAGS: 'VEHICLE; TRAVEL', 'TEXT VEHICLE TRIGGER WORDS': 'car', 'TRANSCRIPT TRAVEL TRIGGER WORDS': 'hotel' }); // oxfmt-ignore
    expect(await ofTrack({ TEXT: 'my car', NOTE: 'a bus' }, { FEED_FORWARD_PROP_TO_PROCESS: 'NOTE' })).to.have.keys('TAGS', 'NOTE VEHICLE TRIGGER WORDS', 'NOTE VEHICLE TRIGGER WORDS OFFSET'); // oxfmt-ignore
    expect(await ofTrack({ COLOR: 'red' })).to.equal(undefined);
  });

  it('keeps tags that were there before, and gives an empty list when there are none', async () => {
    expect(await ofTrack({ TEXT: 'my car', TAGS: 'MINE; VEHICLE' })).to.include({ TAGS: 'MINE; VEHICLE' });
    expect(await ofTrack({ TEXT: 'nothing to see' })).to.deep.equal({ TAGS: '' });
  });

  it('tags text files, whole or paragraph by paragraph', async () => {
    const path = join(folder, 'file.txt');
    await writeFile(path, 'The car\nstopped.\n\nNo hotel.\n');
    const ofFile = async (settings: Properties): Promise<FoundPart[]> =>
      all(
        detector.generic!(
          { path, mimeType: 'text/plain', outputFolder: folder },
          await jobOf('keywords', settings),
        ),
      );
    const [whole, ...more] = await ofFile({});
    expect(more).to.deep.equal([]);
    expect(whole?.properties).to.include({ TEXT: 'The car\nstopped.\n\nNo hotel.', TAGS: 'TRAVEL; VEHICLE' });
    const paragraphs = await ofFile({ TEXT_UNIT: 'PARAGRAPH' });
    expect(paragraphs.map(({ properties }) => properties['TAGS'])).to.deep.equal(['VEHICLE', 'TRAVEL']);
  });

  it('reads no file but those in its folder', async () => {
    const outside = join(folder, 'secret.json');
    await writeFile(outside, '{"A": {"keywords": ["x"]}}');
    for (const name of [
      outside,
      '../descriptor.json',
      '../../../package.json',
      'tags/general.json',
      'GENERAL.JSON',
      'nothing.json',
      '',
      '.',
      'general.json\0',
    ])
      // oxfmt-ignore
      expect(await refusal({ TAGGING_FILE: name }), name).to.include({ code: 'INVALID_PROPERTY' });
    expect(await refusal({ TAGGING_FILE: ' general.json ' })).to.equal(undefined);
  });

  it('refuses rules that are wrong, with what to change', async () => {
    const cases: readonly (readonly [string, string])[] = [
      ['{', 'not JSON'],
      ['[]', 'must be a JSON object'],
      ['{"A": []}', 'must be an object with lists'],
      ['{"A": {"keywords": [1]}}', 'must be an object with lists'],
      ['{"A": {"keywords": "x"}}', 'must be an object with lists'],
      ['{"A;B": {}}', 'cannot be a tag'],
      ['{"A": {"keywords": ["..."]}}', 'no letter'],
      ['{"A": {"patterns": ["(?=x)"]}}', 'not a regular expression of RE2'],
      ['{"A": {"patterns": ["x*"]}}', 'matches the empty text'],
    ];
    for (const [text, sentence] of cases) {
      const refused = await refusal({ TAGGING_RULES: text });
      expect(refused, text).to.include({ code: 'INVALID_PROPERTY' });
      expect(refused).to.have.property('message').that.contains(sentence);
    }
  });

  it('cannot be held up by a pattern, and tells so many places and no more', async () => {
    const tag = taggerOf(parseTagRules('{"A": {"patterns": ["(a|a)*(a+)+b", "c"]}}'));
    const [found] = await tag(`${'a'.repeat(50_000)}${'c '.repeat(3_000)}`);
    expect(found?.triggers[0]?.places).to.have.length(MAX_TRIGGERS);
  });

  it('lets signs of life through while many patterns look at a long text', async () => {
    const patterns = Array.from({ length: 60 }, (_, i) => `foo${i}[a-z]+bar`);
    const tag = taggerOf(parseTagRules(JSON.stringify({ A: { patterns } })));
    let beats = 0;
    const beating = setInterval(() => beats++, 1);
    try {
      await tag('ab '.repeat(30_000));
    } finally {
      clearInterval(beating);
    }
    expect(beats).to.be.greaterThan(1);
  });

  it('and the LANGUAGE component bring pipelines whose tasks and actions are there', async () => {
    const named = { tasks: new Set<string>(), actions: new Set<string>() };
    const known = { tasks: new Set<string>(), actions: new Set<string>() };
    for (const component of ['language', 'keywords', 'text', 'document-text']) {
      const { actions, tasks, pipelines } = await descriptorOf(component);
      for (const { name } of actions) known.actions.add(name);
      for (const task of tasks) {
        known.tasks.add(task.name);
        for (const action of task.actions) named.actions.add(action);
      }
      for (const { tasks: names } of pipelines) for (const name of names) named.tasks.add(name);
    }
    expect([...named.actions].filter((name) => !known.actions.has(name))).to.deep.equal([]);
    expect([...named.tasks].filter((name) => !known.tasks.has(name))).to.deep.equal([]);
  });
});
