import { expect } from 'chai';
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import loadSpeech from '../../../components/detectors/speech/detector.ts';
import type { AnswersRequest, SubJobAnswer } from '../../../protocol/worker-messages.ts';
import type { Detector, FoundSound, GenericSource } from '../../../components/sdk/detector.ts';
import { openAudio } from '../../../media/sound/audio.ts';
import { answerTo, defaultsOf, FACE_VIDEO, fedTrack, medium, seenAt } from './feed-forward-parts.ts';
import { sample } from '../models/recorded-media.ts';

const NOWHERE = { x: 0, y: 0, width: 0, height: 0 };

/** A track in a sound, in milliseconds. */
const soundTrack = (startTime: number, stopTime: number) =>
  fedTrack([{ ...seenAt(0, NOWHERE), time: startTime }], { startTime, stopTime });

describe('Sound that is fed forward', () => {
  const speechFile = { ...medium('AUDIO', sample('vad_groundtruth.wav')), metadata: { DURATION: '16886' } };
  let speech: Detector;
  before(async () => {
    speech = await loadSpeech();
  });
  after(() => speech.close!());

  /** A detector that records all samples of each call. */
  function listener(): Detector & { readonly calls: { startTime: number; samples: number[] }[] } {
    const calls: { startTime: number; samples: number[] }[] = [];
    return {
      calls,
      async *audio({ startTime, chunks }): AsyncGenerator<FoundSound> {
        const samples: number[] = [];
        calls.push({ startTime, samples });
        for await (const chunk of chunks()) samples.push(...chunk);
        yield* [];
      },
    };
  }

  it('is heard from the start to the stop of its track only', async () => {
    const properties = await defaultsOf('speech');
    const { tracks, progress } = await answerTo(speech, { medium: speechFile, properties }, [
      soundTrack(9200, 12_000),
      soundTrack(11_000, 13_000),
    ]);
    expect(tracks).to.have.length(1);
    expect(tracks[0]!.fed).to.equal(1);
    expect(tracks[0]!.startTime).to.be.within(12_100, 12_800);
    expect(tracks[0]!.stopTime, 'speech goes on where the track ends').to.equal(13_000);
    expect(progress.at(-1)).to.deep.equal([4802, 4802]);
  });

  it('is heard at once with FEED_FORWARD_ALL_TRACKS, silent between tracks, with right times', async () => {
    const detector = listener();
    const tracks = [soundTrack(4000, 4499), soundTrack(3000, 3499), soundTrack(3200, 3599)];
    await answerTo(detector, { medium: speechFile, feed: { allTracks: true } }, tracks);
    expect(detector.calls).to.have.length(1);
    const { startTime, samples } = detector.calls[0]!;
    expect([startTime, samples.length]).to.deep.equal([3000, 24_000]);
    const whole = await openAudio(sample('vad_groundtruth.wav'), { startMs: 3000, stopMs: 4499 });
    const original: number[] = [];
    for await (const chunk of whole.chunks()) original.push(...chunk);
    const expected = original.map((value, i) => (i >= 9600 && i < 16_000 ? 0 : value));
    expect(samples).to.deep.equal(expected);
    expect(original).to.not.deep.equal(expected);
  });

  it('tells which track it is of', async () => {
    const properties = await defaultsOf('speech');
    const work = { medium: speechFile, properties, feed: { allTracks: true } };
    const { tracks } = await answerTo(speech, work, [soundTrack(12_000, 16_000), soundTrack(1000, 6000)]);
    expect(tracks.length).to.be.at.least(2);
    for (const { fed, startTime } of tracks) expect(fed).to.equal(startTime! > 12_000 ? 0 : 1);
  });

  it('of a video reports frames of the track', async () => {
    const finder: Detector = {
      async *audio({ startTime, chunks }) {
        let samples = 0;
        for await (const chunk of chunks()) samples += chunk.length;
        yield { startTime, stopTime: startTime + samples / 16, confidence: 1 };
      },
    };
    const { tracks } = await answerTo(finder, { medium: FACE_VIDEO }, [
      fedTrack([seenAt(25, NOWHERE), seenAt(49, NOWHERE)]),
    ]);
    expect(tracks).to.have.length(1);
    const { startFrame, stopFrame, startTime, stopTime } = tracks[0]!;
    expect([startFrame, stopFrame, startTime]).to.deep.equal([25, 49, 1000]);
    expect(stopTime).to.be.closeTo(1960, 2);
  });

  it('comes back with more properties when the action annotates', async () => {
    const properties = await defaultsOf('speech');
    const namer: Detector = {
      async *audio(source, job) {
        for await (const sound of speech.audio!(source, job))
          yield { ...sound, properties: { SPOKEN: 'TRUE' } };
      },
    };
    const fed = [soundTrack(9200, 12_000), soundTrack(3000, 6000)];
    const { tracks } = await answerTo(
      namer,
      { medium: speechFile, properties, feed: { annotate: true } },
      fed,
    );
    expect(tracks.map(({ startTime, stopTime, type }) => [startTime, stopTime, type])).to.deep.equal([
      [9200, 12_000, 'THING'],
      [3000, 6000, 'THING'],
    ]);
    expect(tracks.map(({ properties: { SPOKEN } }) => SPOKEN)).to.deep.equal([undefined, 'TRUE']);
    expect(tracks[1]!.detections[0]!.properties).to.deep.equal({ SPOKEN: 'TRUE' });
  });
});

describe('A component that knows documents', () => {
  let folder = '';
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'troupe-host-'));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  const letter = () => {
    const path = join(folder, 'letter.txt');
    writeFileSync(path, 'Dear reader');
    return { ...medium('UNKNOWN', path), mimeType: 'text/plain' };
  };
  const clerk: Detector = {
    async *generic({ path, mimeType, outputFolder }: GenericSource, job) {
      const written = join(outputFolder, 'copy.txt');
      writeFileSync(written, readFileSync(path));
      const DERIVATIVE_MEDIA_TEMP_PATH = written;
      yield { type: 'MEDIA', confidence: -1, properties: { DERIVATIVE_MEDIA_TEMP_PATH } };
      yield { confidence: 0.5, properties: { mimeType, about: job.fed?.properties['TEXT'] ?? 'all of it' } };
    },
  };

  it('gets the file, its type and a folder for what it makes of it', async () => {
    const outputFolder = join(folder, 'spool', 'derived');
    const { tracks, progress } = await answerTo(clerk, { medium: letter(), outputFolder });
    const file = join(outputFolder, 'copy.txt');
    expect(readFileSync(file, 'utf8')).to.equal('Dear reader');
    const nowhere = { startFrame: 0, stopFrame: 0, startTime: 0, stopTime: 0 };
    const empty = { frame: 0, time: 0, ...NOWHERE };
    const properties = { mimeType: 'text/plain', about: 'all of it' };
    const media = { confidence: -1, properties: { DERIVATIVE_MEDIA_TEMP_PATH: file } };
    expect(tracks).to.deep.equal([
      { ...nowhere, type: 'MEDIA', ...media, detections: [{ ...empty, ...media }] },
      { ...nowhere, confidence: 0.5, properties, detections: [{ ...empty, confidence: 0.5, properties }] },
    ]);
    expect(progress.map(([done]) => done)).to.deep.equal([1, 2]);
  });

  it('costs no folder when it makes nothing', async () => {
    const reader: Detector = {
      async *generic({ path }: GenericSource) {
        yield { confidence: 1, properties: { TEXT: readFileSync(path, 'utf8') } };
      },
    };
    const outputFolder = join(folder, 'never asked for');
    const { tracks } = await answerTo(reader, { medium: letter(), outputFolder });
    expect(tracks[0]!.properties).to.deep.equal({ TEXT: 'Dear reader' });
    expect(existsSync(outputFolder)).to.equal(false);
  });

  it('reports what it could not analyse in lines of their own, each once, and as many as told', async () => {
    const critic: Detector = {
      async *generic(_: GenericSource, { warn }) {
        for (const message of ['No page 3.', ' ', 'No page 4.', 'No page 3.']) warn?.(message);
        yield* [];
      },
    };
    const outputFolder = join(folder, 'warned');
    const fed = [1, 2].map(() => fedTrack([seenAt(0, NOWHERE)]));
    for (const tracks of [undefined, fed])
      expect((await answerTo(critic, { medium: letter(), outputFolder }, tracks)).tracks).to.deep.equal([
        { warning: 'No page 3.' },
        { warning: 'No page 4.' },
      ]);
    const chatterbox: Detector = {
      async *generic(_: GenericSource, { warn }) {
        for (let n = 0; n < 1000; n++) warn?.(`No page ${n}.`);
        yield* [];
      },
    };
    expect((await answerTo(chatterbox, { medium: letter(), outputFolder })).tracks).to.have.length(21);
  });

  it('is asked once for each track that is fed forward', async () => {
    const outputFolder = join(folder, 'fed');
    const fed = ['one', 'two'].map((TEXT) => fedTrack([seenAt(0, NOWHERE)], { properties: { TEXT } }));
    const { tracks } = await answerTo(clerk, { medium: letter(), outputFolder }, fed);
    expect(tracks.map(({ fed: line, properties }) => [line, properties['about']])).to.deep.equal([
      [0, undefined],
      [0, 'one'],
      [1, undefined],
      [1, 'two'],
    ]);
  });

  it('refuses pictures, and one for pictures refuses documents: both say what they accept', async () => {
    const refusalOf = async (detector: Detector, type: 'IMAGE' | 'UNKNOWN') =>
      answerTo(detector, { medium: { ...letter(), mediaType: type }, outputFolder: folder }).catch(
        (error: Error & { code?: string }) => [error.code, error.message],
      );
    expect(await refusalOf(clerk, 'IMAGE')).to.deep.equal([
      'UNSUPPORTED_DATA_TYPE',
      'This component does not process media of the type IMAGE, only UNKNOWN (documents).',
    ]);
    const pictures: Detector = { async *image() {} };
    expect(await refusalOf(pictures, 'UNKNOWN')).to.deep.equal([
      'UNSUPPORTED_DATA_TYPE',
      'The file is not a picture, video or sound (its content is text/plain): this component processes only IMAGE.',
    ]);
    const hollow = { ...letter(), mediaType: 'UNKNOWN' as const, mimeType: 'video/x-matroska' };
    const error = await answerTo(pictures, { medium: hollow }).catch((e: Error) => e.message);
    expect(error).to.equal(
      'The file (video/x-matroska) has no pictures and no sound in it: this component processes only IMAGE.',
    );
  });
});

describe('A component process', () => {
  /** The answer that a server gets from a component process with one sub-job. */
  async function answerOfProcess(source: string, kind: string): Promise<SubJobAnswer> {
    const folder = mkdtempSync(join(tmpdir(), 'troupe-host-'));
    const module = join(folder, 'detector.mjs');
    writeFileSync(module, source);
    let onAnswer: (answer: SubJobAnswer) => void;
    const answer = new Promise<SubJobAnswer>((resolve) => (onAnswer = resolve));
    const assignment = {
      token: 't',
      id: 's',
      kind,
      algorithm: 'A',
      attempt: 1,
      heartbeatMs: 1000,
      work: { folder: 'f' },
    };
    let given = 0;
    const server = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        const path = request.url ?? '';
        if (path.endsWith('/claim') && given++ > 0) return;
        if (path.endsWith('/claim')) response.end(JSON.stringify({ work: [assignment] }));
        else if (path.endsWith('/answers')) {
          const { answers } = JSON.parse(body) as AnswersRequest;
          response.end(JSON.stringify({ refused: answers.map(() => null), work: [] }));
          onAnswer(answers[0]!);
        } else response.end(JSON.stringify({ go: 'on' }));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const main = join(
      dirname(fileURLToPath(import.meta.url)),
      '..',
      '..',
      '..',
      'components',
      'host',
      'main.js',
    );
    const child = spawn(process.execPath, [main], { stdio: ['pipe', 'ignore', 'inherit'] });
    const ended = new Promise<never>((_resolve, reject) =>
      child.once('exit', (code) => reject(new Error(`The process ended with ${code}.`))),
    );
    const serverUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    child.stdin.write(
      `${JSON.stringify({ kind: 'detector', module, algorithm: 'A', serverUrl, token: 'x' })}\n`,
    );
    try {
      return await Promise.race([answer, ended]);
    } finally {
      child.stdin.end();
      server.closeAllConnections();
      server.close();
      await ended.catch(() => undefined);
      rmSync(folder, { recursive: true, force: true });
    }
  }

  const MARKUP = `export default async () => ({
    async *markup(work) { yield JSON.stringify({ path: work.folder + '/a.png', uri: 'file:///a.png', warnings: [] }) + '\\n'; },
  });`;

  it('draws, when its module is a markup component', async () => {
    const { token, lines } = await answerOfProcess(MARKUP, 'MARKUP');
    expect(token).to.equal('t');
    expect(JSON.parse(lines!)).to.deep.equal({ path: 'f/a.png', uri: 'file:///a.png', warnings: [] });
  });

  it('says so when it is given work of another kind than its own', async () => {
    const { failure } = await answerOfProcess(MARKUP, 'DETECT');
    expect(failure?.message).to.contain('This component cannot do DETECT.');
  });
});
