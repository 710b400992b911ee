import { expect } from 'chai';
import { mkdtempSync } from 'node:fs';
import { open, readFile, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import load from '../../../components/models/whisper/detector.ts';
import { findModel } from '../../../components/models/whisper/find-model.ts';
import type { Detector, FoundSound } from '../../../components/sdk/detector.ts';
import { openAudio, type AudioOptions } from '../../../media/sound/audio.ts';
import { writeWhisperModel, type WhisperModel } from '../../support/media/whisper-model.ts';
import { sample } from './recorded-media.ts';
import { all, descriptorOf, jobOf } from '../visual.ts';

const WORDS = ['alpha', 'bravo'];
const ENGLISH = ['charlie', 'delta'];
const GERMAN = 2;
/** The last part with speech, because a model takes the same time for each part. */
const END = { startMs: 11_000 };

/** `isLong`: includes larger variations and other values of the same cases. */
export function whisperTests({ isLong }: { readonly isLong: boolean }): void {
  describe('The WHISPERSPEECH component', () => {
    let roots: string;
    let detector: Detector;
    const model = (name: string) => join(roots, name);
    before(async () => {
      roots = mkdtempSync(join(tmpdir(), 'troupe-models-'));
      await writeWhisperModel(model('ggml-base.bin'), { words: WORDS, english: ENGLISH, language: GERMAN });
      await writeWhisperModel(model('ggml-tiny.en.bin'), { words: WORDS });
      detector = await load({ models: { roots: [roots], loaded: 2, checkMs: 60_000 } });
    });
    after(async () => {
      await detector.close!();
      await rm(roots, { recursive: true, force: true });
    });

    async function hear(
      properties: Record<string, string> = {},
      { signal, ...options }: AudioOptions = {},
      name = 'vad_groundtruth.wav',
    ): Promise<FoundSound[]> {
      const audio = await openAudio(sample(name), options);
      const job = await jobOf('whisper', { WHISPER_MODE: 'TRANSCRIPTION', ...properties });
      try {
        return await all(detector.audio!(audio, signal === undefined ? job : { ...job, signal }));
      } finally {
        audio.close();
      }
    }

    let frenchAtEnd: Promise<FoundSound[]> | undefined;
    const heardAtEnd = (): Promise<FoundSound[]> => (frenchAtEnd ??= hear({ AUDIO_LANGUAGE: 'FRA' }, END));

    const complaint = (properties: Record<string, string>): Promise<string> =>
      hear(properties).then(
        () => 'nothing',
        (error: { code?: string; message: string }) => `${error.code}: ${error.message}`,
      );

    it('writes down what is said where somebody speaks, with the language', async () => {
      const found = await hear();
      expect(found).to.have.length.above(1);
      for (const { properties, startTime, stopTime } of found) {
        expect(properties).to.include({
          TRANSCRIPT: 'alpha bravo',
          DETECTED_LANGUAGE: 'de',
          DECODED_LANGUAGE: 'de',
          ISO_LANGUAGE: 'DEU',
        });
        expect(Number(properties?.['DETECTED_LANGUAGE_CONFIDENCE'])).to.be.within(0, 1);
        expect(stopTime).to.be.above(startTime);
      }
      expect(found[0]!.startTime, 'somebody speaks from 2.0 s on').to.be.within(1_500, 2_300);
      expect(found.at(-1)!.stopTime, 'and until 14.9 s').to.be.within(14_000, 15_500);
    });

    it('tells times of the medium when it hears only a part of it', async () => {
      const [first] = await heardAtEnd();
      expect(first!.startTime).to.be.within(11_600, 12_500);
    });

    it('asks the model for no language that is given, in letters of either standard', async () => {
      for (const found of [
        await heardAtEnd(),
        ...(isLong ? [await hear({ AUDIO_LANGUAGE: 'fr' }, END)] : []),
      ]) {
        expect(found[0]!.properties).to.deep.equal({
          TRANSCRIPT: 'alpha bravo',
          DECODED_LANGUAGE: 'fr',
          ISO_LANGUAGE: 'FRA',
        });
      }
    });

    if (isLong)
      it('takes models of English alone, and from then on others again', async () => {
        const [english] = await hear({ WHISPER_MODEL_SIZE: 'tiny', WHISPER_MODEL_LANG: 'en' });
        expect(english!.properties).to.include({ TRANSCRIPT: 'alpha bravo', DECODED_LANGUAGE: 'en' });
        expect((await hear())[0]!.properties).to.include({ DETECTED_LANGUAGE: 'de' });
      });

    it('translates speech into English, beside the original, with its language', async () => {
      const spoken = await heardAtEnd();
      for (const [AUDIO_LANGUAGE, code, given] of [
        ['', 'de', false],
        ...(isLong ? [['fr', 'fr', true] as const] : []),
      ] as const) {
        const found = await hear({ WHISPER_MODE: 'SPEECH_TRANSLATION', AUDIO_LANGUAGE }, END);
        expect(found).to.have.length(spoken.length);
        for (const { properties } of found) {
          expect(properties).to.include({
            TRANSCRIPT: 'alpha bravo',
            TRANSLATED_AUDIO: 'charlie delta',
            DECODED_LANGUAGE: code,
          });
          expect(properties?.['DETECTED_LANGUAGE']).to.equal(given ? undefined : code);
        }
      }
    });

    it('says in which language the beginning is, in one track', async () => {
      const found = await hear({ WHISPER_MODE: 'LANGUAGE_DETECTION' });
      expect(found).to.have.length(1);
      expect(found[0]!.properties).to.include({ DETECTED_LANGUAGE: 'de', ISO_LANGUAGE: 'DEU' });
      expect(found[0]!.confidence).to.be.within(0, 1);
    });

    it('hears nothing where nobody speaks, and asks no model', async () => {
      expect(await hear({}, {}, 'silence.mp3')).to.deep.equal([]);
    });

    if (isLong)
      it('stops when the job is cancelled while the model works, and works on afterwards', async () => {
        const stop = new AbortController();
        const heard = hear({}, { signal: stop.signal });
        setImmediate(() => stop.abort(new Error('cancelled')));
        expect(await heard.catch((error: Error) => error.message)).to.equal('cancelled');
        expect(await hear({}, END)).to.have.length.above(0);
      });

    it('says which file to put where when there is no model', async () => {
      const said = await complaint({ WHISPER_MODEL_SIZE: 'small' });
      expect(said)
        .to.include('COULD_NOT_OPEN_DATAFILE')
        .and.to.include('ggml-small.bin')
        .and.to.include(roots);
      const none = await findModel([], ['ggml-base.bin']).catch((error: Error) => error.message);
      expect(none).to.include('ggml-base.bin').and.to.include('MODEL_ROOTS');
    });

    it('names a model that the runtime dies of, and goes on with the next', async () => {
      await writeWhisperModel(model('ggml-dying.bin'), { words: WORDS, language: GERMAN, textHeads: 3 });
      const said = await complaint({ WHISPER_MODEL_SIZE: 'dying' });
      expect(said).to.match(/^DETECTION_FAILED: .*ggml-dying\.bin.*SIGABRT/);
      expect(await hear({}, END)).to.have.length.above(0);
    });

    describe('refuses a model file', () => {
      /** One for each step of reading a file: the file, its header, its vocabulary and its weights. */
      const SPOILED = ['pointer', 'head', 'words', 'first'];
      const spoiled: Readonly<Record<string, readonly [RegExp, (path: string) => Promise<void>]>> = {
        empty: [/has 0 bytes/, (path) => writeFile(path, '')],
        text: [/another format/, (path) => writeFile(path, 'not a model at all')],
        page: [/a web page/, (path) => writeFile(path, '<!DOCTYPE html><title>Sign in</title>')],
        pointer: [/Git LFS/, (path) => writeFile(path, 'version https://git-lfs.github.com/spec/v1\n')],
        gguf: [/GGUF/, (path) => writeFile(path, Buffer.from('GGUF\u0003\0\0\0'))],
        wide: [/32-bit/, (path) => writeWhisperModel(path, { words: WORDS, weights: 0 })],
        first: [/encoder\.conv1\.weight must hold 16-bit/, (path) => writeModel(path, { convolution: 0 })],
        short: [/cut off/, async (path) => truncateFile(path, 3_000_000)],
        head: [/cut off/, async (path) => truncateFile(path, 30)],
        huge: [/its header gives vocabulary/, (path) => changeByte(path, 4, 0x7fff_ffff)],
        words: [/words/, (path) => changeByte(path, 56 + 80 * 201 * 4, 0x7fff_ffff)],
      };
      const writeModel = (path: string, change: Partial<WhisperModel>) =>
        writeWhisperModel(path, { words: WORDS, ...change });
      async function truncateFile(path: string, bytes: number): Promise<void> {
        await writeModel(path, {});
        await truncate(path, bytes);
      }
      async function changeByte(path: string, at: number, value: number): Promise<void> {
        await writeModel(path, {});
        const file = await open(path, 'r+');
        await file.write(Buffer.from(Int32Array.of(value).buffer), 0, 4, at);
        await file.close();
      }

      for (const [name, [why, spoil]] of Object.entries(spoiled).filter(
        ([kind]) => isLong || SPOILED.includes(kind),
      ))
        it(`that is spoiled (${name}), and says what is wrong`, async () => {
          await spoil(model(`ggml-${name}.bin`));
          const said = await complaint({ WHISPER_MODEL_SIZE: name });
          expect(said)
            .to.match(/^COULD_NOT_READ_DATAFILE/)
            .and.to.include(`ggml-${name}.bin`);
          expect(said).to.match(why);
        });

      it('that is a link out of the roots', async () => {
        const outside = join(tmpdir(), `troupe-outside-${process.pid}.bin`);
        await writeFile(outside, await readFile(model('ggml-base.bin')));
        await symlink(outside, model('ggml-linked.bin'));
        expect(await complaint({ WHISPER_MODEL_SIZE: 'linked' })).to.include('leads out of MODEL_ROOTS');
        await rm(outside);
      });
    });

    it('refuses properties that make no sense', async () => {
      for (const properties of [
        { WHISPER_MODEL_SIZE: '../../etc/passwd' },
        { WHISPER_MODEL_LANG: 'fr' },
        { WHISPER_MODE: 'SHOUTING' },
        { WHISPER_THREADS: '-1' },
        { AUDIO_LANGUAGE: 'klingon' },
        { AUDIO_LANGUAGE: 'fr', WHISPER_MODEL_LANG: 'en' },
        { AUDIO_LANGUAGE: 'yue' },
        { WHISPER_MODE: 'LANGUAGE_DETECTION', WHISPER_MODEL_LANG: 'en' },
        { WHISPER_MODE: 'SPEECH_TRANSLATION', WHISPER_MODEL_LANG: 'en' },
      ])
        expect(await complaint(properties), JSON.stringify(properties)).to.match(/^INVALID_PROPERTY/);
      expect(await complaint({ WHISPER_MODEL_SIZE: '' })).to.match(/^MISSING_PROPERTY/);
    });

    it('has the names and defaults of the reference', async () => {
      const { algorithm } = await descriptorOf('whisper');
      expect([algorithm.name, algorithm.trackType]).to.deep.equal(['WHISPERSPEECH', 'SPEECH']);
      const defaults = Object.fromEntries(
        algorithm.providesCollection.properties.map(({ name, defaultValue }) => [name, defaultValue]),
      );
      expect(defaults).to.include({
        TARGET_SEGMENT_LENGTH: '-1',
        VFR_TARGET_SEGMENT_LENGTH: '-1',
        WHISPER_MODEL_LANG: 'multi',
        WHISPER_MODEL_SIZE: 'base',
        WHISPER_MODE: 'LANGUAGE_DETECTION',
        AUDIO_LANGUAGE: '',
      });
    });
  });
}
