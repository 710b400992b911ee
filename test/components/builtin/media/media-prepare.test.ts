import { expect } from 'chai';
import { createHash } from 'node:crypto';
import { mkdir, readFile, realpath, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import sharp from 'sharp';
import { prepare } from '../../../../components/builtin/media/prepare.ts';
import type { PreparedMedium, PrepareWork } from '../../../../protocol/media-work.ts';
import { ResultChecker } from '../../../../results/check/check.ts';
import { sample } from '../../../media/support/samples.ts';
import { temporaryFolder } from '../../../results/folder.ts';
import { context, textOf } from './media-parts.ts';

const VIDEO = {
  MEDIA_HASH: 'given-hash',
  MIME_TYPE: 'video/mp4',
  FRAME_WIDTH: '64',
  FRAME_HEIGHT: '48',
  FRAME_COUNT: '100',
  FPS: '25',
  DURATION: '4000',
  HAS_CONSTANT_FRAME_RATE: 'true',
};

describe('Preparing a medium', () => {
  const path = temporaryFolder();
  let root = '';
  let picture = Buffer.alloc(0);
  let uri = '';
  before(async () => {
    root = await realpath(path('.'));
    picture = await sharp({ create: { width: 40, height: 30, channels: 3, background: 'red' } })
      .png()
      .toBuffer();
    await writeFile(path('red.png'), picture);
    uri = pathToFileURL(path('red.png')).href;
  });

  async function prepareMedium(change: Partial<PrepareWork>): Promise<PreparedMedium> {
    const text = await textOf(prepare(work(change), context()));
    expect(text.match(/\n/g)).to.have.length(1);
    return JSON.parse(text) as PreparedMedium;
  }
  const work = (change: Partial<PrepareWork>): PrepareWork => ({
    uri,
    fetchTo: path('media/host-1/1'),
    metadata: {},
    properties: {},
    frameRanges: [],
    timeRanges: [],
    limits: { mediaRoots: [root], excluded: [], maxBytes: 1e6, timeoutMs: 10_000, allowPrivate: true },
    ...change,
  });

  it('leaves a local file where it lies and tells what it is', async () => {
    const { facts, ...rest } = await prepareMedium({
      metadata: { CAMERA: '7', FRAME_WIDTH: '1', MEDIA_HASH: 'wrong' },
    });
    const file = `${root}/red.png`;
    const { size: bytes, mtimeMs } = await stat(file);
    const modified = Math.floor(mtimeMs);
    expect(rest).to.deep.equal({
      ...{ inspected: true, path: file, bytes, modified },
      ...{ warnings: [], ranges: [] },
    });
    expect(facts).to.include({ mediaType: 'IMAGE', mimeType: 'image/png', length: 1 });
    expect(facts.sha256).to.equal(createHash('sha256').update(picture).digest('hex'));
    expect(facts.metadata).to.include({ CAMERA: '7', FRAME_WIDTH: '40', FRAME_HEIGHT: '30' });
    expect(facts.metadata).not.to.have.property('MEDIA_HASH');
  });

  for (const [mimeType, data, given, message] of [
    ['image/png', undefined, ['frameRanges'], 'The frameRanges have no effect: all of the medium (image/png) is processed. Ranges are for videos and for pages of documents.'], // oxfmt-ignore
    ['audio/vnd.wave', undefined, ['frameRanges', 'timeRanges'], 'The frameRanges and timeRanges have no effect: all of the medium (audio/vnd.wave) is processed. Ranges are for videos and for pages of documents.'], // oxfmt-ignore
    ['text/plain', 'some words', ['frameRanges', 'timeRanges'], 'The timeRanges have no effect: the medium (text/plain) has no times. Name pages of documents in frameRanges, counted from 1.'], // oxfmt-ignore
    ['text/plain', 'some words', ['frameRanges'], undefined],
  ] as const)
    it(`${message === undefined ? 'takes' : 'warns of'} ${given.join(' and ')} of ${mimeType}`, async () => {
      const ranges = Object.fromEntries(given.map((name) => [name, [{ start: 1, stop: 2 }]]));
      const sound = pathToFileURL(sample('green.wav')).href;
      const from = mimeType.startsWith('audio/')
        ? { uri: sound, limits: { ...work({}).limits, mediaRoots: [dirname(sample('green.wav'))] } }
        : data === undefined
          ? {}
          : { uri: `data:${mimeType},${encodeURIComponent(data)}` };
      const { facts, warnings, ranges: asked } = await prepareMedium({ ...from, ...ranges });
      expect(facts.mimeType).to.equal(mimeType);
      expect(warnings).to.deep.equal(message === undefined ? [] : [{ code: 'OTHER', message }]);
      expect(asked).to.deep.equal([]);
    });

  it('warns of ranges beside media selectors', async () => {
    const frameRanges = [{ start: 1, stop: 2 }];
    const { warnings } = await prepareMedium({
      uri: 'data:application/json,{}',
      frameRanges,
      hasSelectors: true,
    });
    expect(warnings.map(({ message }) => message)).to.deep.equal([
      'The frameRanges have no effect: mediaSelectors choose the parts of the medium. Leave the ranges out.',
    ]);
  });

  it('believes metadata that tell enough, and still brings the file', async () => {
    const bytes = Buffer.from('no video at all');
    const {
      facts,
      path: stored,
      ranges,
    } = await prepareMedium({
      uri: `data:video/mp4;base64,${bytes.toString('base64')}`,
      metadata: VIDEO,
    });
    expect(facts).to.include({ mediaType: 'VIDEO', sha256: 'given-hash', length: 100 });
    expect(ranges).to.deep.equal([{ start: 0, stop: 99 }]);
    expect(await readFile(stored)).to.deep.equal(bytes);
  });

  it('turns ranges of frames and of milliseconds into frames', async () => {
    const { ranges } = await prepareMedium({
      metadata: VIDEO,
      frameRanges: [
        { start: 0, stop: 9 },
        { start: 90, stop: 400 },
      ],
      timeRanges: [{ start: 400, stop: 800 }],
    });
    expect(ranges).to.deep.equal([
      { start: 0, stop: 20 },
      { start: 90, stop: 99 },
    ]);
  });

  it('warns when nothing of a video is looked at, for all that was asked for lies behind its end', async () => {
    const given = { metadata: VIDEO, frameRanges: [{ start: 100, stop: 200 }] };
    const { ranges, warnings } = await prepareMedium(given);
    expect(ranges).to.deep.equal([]);
    expect(warnings).to.deep.equal([
      {
        code: 'OTHER',
        message:
          'No part of the video is processed: all frameRanges and timeRanges lie outside of it (100 frames, 4000 ms).',
      },
    ]);
    expect(
      (await prepareMedium({ ...given, timeRanges: [{ start: 3960, stop: 9000 }] })).warnings,
    ).to.deep.equal([]);
  });

  it('fetches over HTTP, shows progress, and answers what the check of results takes', async () => {
    const server = createServer((_, answer) => answer.end(picture)).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    const seen: number[] = [];
    const text = await textOf(
      prepare(
        work({ uri: `http://127.0.0.1:${port}/a.png`, fetchTo: path('media/new/2') }),
        context({ progress: (done) => void seen.push(done) }),
      ),
    );
    server.close();
    expect(await readFile(path('media/new/2'))).to.deep.equal(picture);
    expect(seen.at(-1)).to.be.at.least(picture.length);
    await writeFile(path('answer'), text);
    const checker = new ResultChecker();
    expect(await checker.checkResult(path('answer'), 'PREPARE')).to.have.nested.property(
      'prepared.facts.length',
      1,
    );
    await checker.close();
  });

  it('fails with the code of what went wrong', async () => {
    await mkdir(path('folder'), { recursive: true });
    await writeFile(path('broken.png'), picture.subarray(0, 40));
    const missing = await prepareMedium({ uri: pathToFileURL(path('missing.png')).href }).catch(
      (e: unknown) => e,
    );
    expect(missing).to.have.property('code', 'MEDIA_INITIALIZATION');
    const { failure, facts } = await prepareMedium({ uri: pathToFileURL(path('broken.png')).href });
    expect(failure).to.have.property('code', 'MEDIA_INSPECTION');
    expect(facts).to.include({ mimeType: 'image/png', mediaType: 'IMAGE', length: -1 });
    expect(facts.sha256).to.have.length(64);
  });
});
