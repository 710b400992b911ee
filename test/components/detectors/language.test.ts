import { expect } from 'chai';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import loadLanguage from '../../../components/detectors/language/detector.ts';
import { KNOWN_LANGUAGES } from '../../../components/detectors/language/recognize.ts';
import { letterWeight, scriptOf } from '../../../components/detectors/language/script.ts';
import type { DetectionError, Detector, FoundPart } from '../../../components/sdk/detector.ts';
import { MAX_SECTION_LENGTH } from '../../../components/documents/limits.ts';
import type { Properties } from '../../../domain/types.ts';
import { fedTrack } from '../host/fed-track.ts';
import { all, descriptorOf, jobOf } from '../visual.ts';

const ENGLISH = 'All human beings are born free and equal in dignity and rights.';
const BULGARIAN = 'Всички хора се раждат свободни и равни по достойнство и права.';

describe('The LANGUAGE component', () => {
  let detector: Detector;
  let folder: string;
  before(async () => {
    detector = await loadLanguage();
    folder = await mkdtemp(join(tmpdir(), 'language-'));
  });
  after(() => rm(folder, { recursive: true }));

  async function ofTrack(properties: Properties, settings: Properties = {}) {
    const job = await jobOf('language', settings);
    const [found, ...more] = await all(detector.fed!(fedTrack(properties), job));
    expect(more).to.deep.equal([]);
    return found?.properties;
  }
  const ofText = async (text: string, settings: Properties = {}) => ofTrack({ TEXT: text }, settings);

  async function ofFile(content: string | Buffer, settings: Properties = {}): Promise<FoundPart[]> {
    const path = join(folder, 'file.txt');
    await writeFile(path, content);
    const job = await jobOf('language', settings);
    return all(detector.generic!({ path, mimeType: 'text/plain', outputFolder: folder }, job));
  }
  const codesOf = (parts: readonly FoundPart[]) => parts.map(({ properties }) => properties['ISO_LANGUAGE']);

  const sentences: readonly (readonly [code: string, name: string, script: string, text: string])[] = [
    ['ENG', 'English', 'LATN', 'Where is the library?'],
    ['DEU', 'German', 'LATN', 'Wo ist der Bahnhof, bitte?'],
    ['FRA', 'French', 'LATN', "Où est la gare, s'il vous plaît ?"],
    ['SPA', 'Spanish', 'LATN', '¿Dónde está la biblioteca?'],
    ['ITA', 'Italian', 'LATN', 'Dove si trova la biblioteca?'],
    ['POR', 'Portuguese', 'LATN', 'Onde fica a biblioteca?'],
    ['NLD', 'Dutch', 'LATN', 'Waar is de bibliotheek?'],
    ['POL', 'Polish', 'LATN', 'Gdzie jest biblioteka?'],
    ['CES', 'Czech', 'LATN', 'Zavolejte mi prosím zítra.'],
    ['TUR', 'Turkish', 'LATN', 'Lütfen beni yarın arayın.'],
    ['VIE', 'Vietnamese', 'LATN', 'Thư viện ở đâu?'],
    ['NOR', 'Norwegian', 'LATN', 'Vær så snill å ringe meg i morgen.'],
    ['RUS', 'Russian', 'CYRL', 'Где находится библиотека?'],
    ['UKR', 'Ukrainian', 'CYRL', 'Де знаходиться бібліотека?'],
    ['BUL', 'Bulgarian', 'CYRL', BULGARIAN],
    ['ELL', 'Greek', 'GREK', 'Πού είναι η βιβλιοθήκη;'],
    ['ARA', 'Arabic', 'ARAB', 'أين المكتبة؟'],
    ['FAS', 'Persian', 'ARAB', 'کتابخانه کجاست؟'],
    ['HEB', 'Hebrew', 'HEBR', 'איפה הספרייה?'],
    ['HIN', 'Hindi', 'DEVA', 'पुस्तकालय कहाँ है?'],
    ['THA', 'Thai', 'THAI', 'ห้องสมุดอยู่ที่ไหน'],
    ['KOR', 'Korean', 'HANG', '도서관은 어디에 있습니까?'],
    ['JPN', 'Japanese', 'JPAN', '図書館はどこですか。'],
    ['ZHO', 'Chinese', 'HANS', '你叫什么名字？'],
    ['ZHO', 'Chinese', 'HANT', '圖書館在哪裡？'],
  ];
  for (const [code, name, script, text] of sentences)
    it(`knows ${name} (${script}) by one sentence`, async () => {
      expect(await ofText(text)).to.include({ ISO_LANGUAGE: code, LANGUAGE: name, ISO_SCRIPT: script });
    });

  it('says UNKNOWN of a text with too few letters, and still its script', async () => {
    const unknown = { ISO_LANGUAGE: 'UNKNOWN', LANGUAGE: 'Unknown', PRIMARY_LANGUAGE_CONFIDENCE: '-1' };
    expect(await ofText('12:30 / 45')).to.deep.equal({ ...unknown, ISO_SCRIPT: 'ZYYY' });
    expect(await ofText('Ω 7')).to.deep.equal({ ...unknown, ISO_SCRIPT: 'GREK' });
    expect(await ofText(ENGLISH, { MIN_LENGTH: '500' })).to.deep.equal({ ...unknown, ISO_SCRIPT: 'LATN' });
    expect(await ofText('你好')).to.include({ ISO_LANGUAGE: 'ZHO' });
  });

  it('names a second language when a text is written in two', async () => {
    const found = await ofText(`${`${ENGLISH} `.repeat(3)}\n${BULGARIAN}`);
    expect(found).to.include({ ISO_LANGUAGE: 'ENG', SECONDARY_LANGUAGE: 'BUL', ISO_SCRIPT: 'LATN' });
    const [first, second] = ['PRIMARY_LANGUAGE_CONFIDENCE', 'SECONDARY_LANGUAGE_CONFIDENCE'].map((name) => Number(found?.[name])); // oxfmt-ignore
    expect(first).to.be.within(0.6, 0.85);
    expect(second).to.be.within(0.15, 0.4);
    expect(await ofText(BULGARIAN)).to.not.have.property('SECONDARY_LANGUAGE');
  });

  it('takes the first of the named properties that is there, of a track and not of the medium', async () => {
    const track = { TEXT: ' ', TRANSCRIPT: BULGARIAN, TRANSLATION: ENGLISH };
    expect(await ofTrack(track)).to.include({ ISO_LANGUAGE: 'BUL' });
    expect(await ofTrack(track, { FEED_FORWARD_PROP_TO_PROCESS: 'NOTE, TRANSLATION' })).to.include({ ISO_LANGUAGE: 'ENG' }); // oxfmt-ignore
    expect(await ofTrack({ COLOR: 'red' })).to.equal(undefined);
  });

  it('chooses among the languages that LANGUAGES names', async () => {
    expect(await ofText('Zavolejte mi prosím zítra.', { LANGUAGES: 'slk; eng' })).to.include({ ISO_LANGUAGE: 'SLK' }); // oxfmt-ignore
    const refused = await ofText('text', { LANGUAGES: 'ENG;XXX' }).catch((error: DetectionError) => error);
    expect(refused).to.include({ code: 'INVALID_PROPERTY' });
    expect(refused).to.have.property('message').that.contains('"XXX"');
  });

  it('says of a text file in which language it is written', async () => {
    const [part, ...more] = await ofFile(`${ENGLISH}\n\nNobody shall be held in slavery.\n`);
    expect(more).to.deep.equal([]);
    expect(part?.confidence).to.equal(-1);
    expect(part?.properties).to.include({
      TEXT: `${ENGLISH}\n\nNobody shall be held in slavery.`,
      SECTION_NUM: '1',
      ISO_LANGUAGE: 'ENG',
    });
  });

  it('says so of each paragraph when that is asked for', async () => {
    const parts = await ofFile(`${ENGLISH}\n\n${BULGARIAN}\n`, { TEXT_UNIT: 'paragraph' });
    expect(codesOf(parts)).to.deep.equal(['ENG', 'BUL']);
    expect(parts.map(({ properties }) => properties['TEXT'])).to.deep.equal([ENGLISH, BULGARIAN]);
  });

  it('reads a file in another encoding, an empty one, and a very long one in portions', async () => {
    expect(codesOf(await ofFile(Buffer.from(`\uFEFF${BULGARIAN}`, 'utf16le')))).to.deep.equal(['BUL']);
    expect(await ofFile('\n\n')).to.deep.equal([]);
    for (const TEXT_UNIT of ['FILE', 'PARAGRAPH']) {
      const parts = await ofFile(`${ENGLISH} `.repeat(4_000), { TEXT_UNIT });
      expect(parts.every(({ properties }) => properties['TEXT']!.length <= MAX_SECTION_LENGTH)).to.equal(
        true,
      );
      expect(codesOf(parts)).to.deep.equal(['ENG', 'ENG', 'ENG']);
    }
  });

  it('refuses a file that is no text', async () => {
    for (const [mimeType, content] of [
      ['application/zip', Buffer.from([0, 1, 2, 3])],
      ['text/plain', '%PDF-1.7 and so on'],
    ] as const) {
      const source = { path: join(folder, 'no-text'), mimeType, outputFolder: folder };
      await writeFile(source.path, content);
      const job = await jobOf('language');
      const refused = await all(detector.generic!(source, job)).catch((error: unknown) => error);
      expect(refused, mimeType).to.include({ code: 'UNSUPPORTED_DATA_TYPE' });
    }
  });

  it('stops when the job is cancelled', async () => {
    const path = join(folder, 'long.txt');
    await writeFile(path, `${ENGLISH}\n\n`.repeat(100));
    const job = { ...(await jobOf('language')), signal: AbortSignal.abort(new Error('cancelled')) };
    const ended = await all(detector.generic!({ path, mimeType: 'text/plain', outputFolder: folder }, job)).catch((error: unknown) => error); // oxfmt-ignore
    expect(ended).to.be.an('error');
  });
});

describe('The languages of the LANGUAGE component', () => {
  it('are as many as its description says, by codes of ISO 639-3', async () => {
    const { algorithm } = await descriptorOf('language');
    expect(algorithm.description).to.contain(` ${KNOWN_LANGUAGES.size} languages`);
    for (const code of KNOWN_LANGUAGES.keys()) expect(code).to.match(/^[A-Z]{3}$/);
  });

  it('have scripts that are told by most of the letters', () => {
    expect(scriptOf('Привет, world')).to.equal('CYRL');
    expect(scriptOf('カタカナ')).to.equal('JPAN');
    expect(scriptOf('漢字 中文')).to.equal('HANI');
    expect(scriptOf('ⵜⴰⵎⴰⵣⵉⵖⵜ')).to.equal('ZZZZ');
    expect(letterWeight('ab 1 你')).to.equal(9);
  });
});
