/**
 * GET /rest/jobs/{id}/media/{mediaId}/frames and .../frames/{k}.jpg (extensions): frames that the page shows
 * with detections.
 */
import { once } from 'node:events';
import { createReadStream, rmSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect } from 'chai';
import sharp from 'sharp';
import type { LibraryPage } from '../../../client/rest-types.ts';
import type { FrameTable } from '../../../domain/frames/frame-runs.ts';
import { timesOfRuns } from '../../support/frame-times.ts';
import { makeVideo } from '../../media/support/make-video.ts';
import { paintedNumber } from '../../media/support/painted-number.ts';
import { RawComponent, trackNamed } from '../../support/processes/raw-component.ts';
import { sampleUri, Service, tracksOf, type DetectionDocument } from '../../support/processes/service.ts';
import { until } from '../../support/until.ts';

const FRAMES = 45;
/** Indexes of media in the job that most tests use. */
const [CONSTANT, VARIABLE, OLD, PICTURE] = [0, 1, 2, 3] as const;
/** Frame times without a constant rate. */
const variableAt = (frame: number) => frame * 40 + (frame % 7) * 3;

describe('The frames of the media of a job over REST', () => {
  let service: Service;
  let document: DetectionDocument;
  before(async () => {
    service = await Service.openShared();
    document = await service.run({
      media: [
        makeClip('constant.mp4', { frames: FRAMES, gop: 30, bFrames: 2 }),
        makeClip('variable.mkv', { frames: FRAMES, gop: 40, at: variableAt }),
        makeClip('old.avi', { frames: FRAMES, encoder: 'mpeg4', gop: 20 }),
        sampleUri('digital-clock.jpg'),
      ],
      pipelineName: 'LIGHT PIPELINE',
    });
  });
  after(() => service.close());

  const get = (path: string, headers: Readonly<Record<string, string>> = {}) =>
    fetch(`${service.url}${path}`, { headers: { authorization: `Bearer ${service.token}`, ...headers } });
  const jpegOf = async (path: string) => {
    const response = await get(path);
    if (response.status !== 200) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    expect(response.headers.get('content-type')).to.equal('image/jpeg');
    return Buffer.from(await response.arrayBuffer());
  };
  const tableOf = async (path: string) => {
    const { status, body, text } = await service.ask('GET', path);
    expect(status, text).to.equal(200);
    return body as FrameTable;
  };
  const makeClip = (name: string, recipe: Parameters<typeof makeVideo>[1]) => {
    const path = join(service.mediaDir, name);
    makeVideo(path, recipe);
    return pathToFileURL(path).href;
  };
  const framesOf = (n: number, of = document) =>
    `/rest/jobs/${of.jobId}/media/${of.media[n]!.mediaId}/frames`;
  const messageOf = async (path: string) => {
    const { status, body } = await service.ask('GET', path);
    return [status, (body as { message: string }).message] as const;
  };

  it('are exactly those of the numbers in the document, at any rate, in both directions', async () => {
    for (const [n, numbers] of [
      [CONSTANT, [17, 44, 16]],
      [VARIABLE, [29, 0, 43, 17]],
      [OLD, [44, 1]],
    ] as const)
      for (const k of numbers)
        expect(await paintedNumber(await jpegOf(`${framesOf(n)}/${k}.jpg`), FRAMES), `${n}/${k}`).to.equal(k);
    expect(await messageOf(`${framesOf(CONSTANT)}/45.jpg`)).to.deep.equal([
      404,
      'The medium has 45 frames, numbered from 0.',
    ]);
  });

  it('are pages of a PDF, page 1 as frame 0', async () => {
    const pdf = await service.run({
      media: [sampleUri('text-embedded-and-images.pdf')],
      pipelineName: 'DOCUMENT TEXT DETECTION PIPELINE',
    });
    const [first, second] = await Promise.all([0, 1].map((k) => jpegOf(`${framesOf(0, pdf)}/${k}.jpg`)));
    const { width, height } = await sharp(first).metadata();
    expect(height / width).to.be.within(1.2, 1.5);
    // Pages with text are mostly white, and no two pages are the same.
    const { channels } = await sharp(first).stats();
    expect(channels[0]!.mean).to.be.within(150, 254.9);
    expect(first!.equals(second!)).to.equal(false);
    const small = await sharp(await jpegOf(`${framesOf(0, pdf)}/0.jpg?small=true`)).metadata();
    expect(Math.max(small.width, small.height)).to.equal(480);
    const [status, message] = await messageOf(`${framesOf(0, pdf)}/999.jpg`);
    expect([status, message]).to.deep.equal([404, 'Page 1000 cannot be drawn: Invalid page request.']);
    expect(await messageOf(framesOf(0, pdf))).to.deep.equal([404, 'The pages of a document have no times.']);
  });

  it('have a small picture of the frame with the findings when the fetched medium is gone', async () => {
    const files = new Map([
      ['/clip.mp4', join(service.mediaDir, 'constant.mp4')],
      ['/clock.jpg', fileURLToPath(sampleUri('digital-clock.jpg'))],
      ['/broken.jpg', fileURLToPath(import.meta.url)],
    ]);
    const web = createServer(({ url = '' }, response) => createReadStream(files.get(url)!).pipe(response));
    await once(web.listen(0, '127.0.0.1'), 'listening');
    const { port } = web.address() as AddressInfo;
    const media = [...files.keys()].map((name) => `http://127.0.0.1:${port}${name}`);
    const { jobId, media: found } = await service.run({ media, pipelineName: 'LIGHT PIPELINE' });
    web.close();
    const medium = (n: number) => `/rest/jobs/${jobId}/media/${found[n]!.mediaId}`;
    const isGone = async (n: number) => (await service.ask('GET', medium(n))).status === 404;
    await until('the copies are gone', async () =>
      (await Promise.all([isGone(0), isGone(1)])).every(Boolean),
    );
    const listed = await until(
      'the library has the job',
      async () => (await service.ask('GET', '/rest/library')).body as LibraryPage,
      (library) => library.media.filter((one) => one.jobId === jobId).length === 3,
    );
    const frameOf = (n: number) =>
      listed.media.find((one) => one.jobId === jobId && one.mediaId === found[n]!.mediaId)!.frame;
    const certain = tracksOf(found[0], 'LIGHT').map(({ exemplar }) => exemplar.offsetFrame);
    expect(certain).to.include(frameOf(0)!);
    const small = await jpegOf(`${medium(0)}/frames/${frameOf(0)}.jpg?small=true`);
    expect(await paintedNumber(small, FRAMES)).to.equal(frameOf(0));
    const clock = await sharp(await jpegOf(`${medium(1)}/frames/${frameOf(1)}.jpg?small=true`)).metadata();
    const { width, height } = await sharp(files.get('/clock.jpg')).metadata();
    expect([clock.width, clock.height]).to.deep.equal([width, height]);
    expect(frameOf(2)).to.equal(null);
    for (const path of [`${medium(0)}/frames/1.jpg?small=true`, `${medium(1)}/frames/0.jpg`])
      expect((await messageOf(path))[1]).to.include('removed its copy when the job ended');
  });

  it('have times that are one run at a constant rate, and exact at a variable one', async () => {
    expect(await tableOf(framesOf(CONSTANT))).to.deep.equal({
      frames: FRAMES,
      fps: 25,
      constantRate: true,
      runs: [[0, 40, FRAMES]],
    });
    const { runs, ...rest } = await tableOf(framesOf(VARIABLE));
    expect(rest).to.include({ frames: FRAMES, constantRate: false });
    const times = timesOfRuns(runs);
    expect(times).to.deep.equal(Array.from({ length: FRAMES }, (_, frame) => variableAt(frame)));
    const found = tracksOf(document.media[VARIABLE], 'LIGHT');
    expect(found).to.have.length.greaterThan(0);
    for (const { detections } of found)
      for (const { offsetFrame, offsetTime } of detections) expect(times[offsetFrame]).to.equal(offsetTime);
    expect(await tableOf(framesOf(PICTURE))).to.deep.equal({
      frames: 1,
      fps: 0,
      constantRate: true,
      runs: [[0, 0, 1]],
    });
  });

  it('show images that no browser shows, upright', async () => {
    const [turned, tiff] = ['turned.jpg', 'a.tif'].map((name) => join(service.mediaDir, name));
    const picture = sharp(fileURLToPath(sampleUri('digital-clock.jpg')));
    const { width, height } = await picture.metadata();
    await picture.clone().withMetadata({ orientation: 6 }).toFile(turned!);
    await picture.clone().tiff().toFile(tiff!);
    const media = [turned!, tiff!].map((path) => pathToFileURL(path).href);
    const job = await service.run({ media, pipelineName: 'LIGHT PIPELINE' });
    const sizes = [];
    for (const n of [0, 1]) {
      const shown = await sharp(await jpegOf(`${framesOf(n, job)}/0.jpg`)).metadata();
      sizes.push([shown.format, shown.width, shown.height]);
    }
    expect(sizes).to.deep.equal([
      ['jpeg', height, width],
      ['jpeg', width, height],
    ]);
    expect((await messageOf(`${framesOf(0, job)}/1.jpg`))[1]).to.equal(
      'The medium has 1 frame, numbered from 0.',
    );
  });

  it('are drawn with what the document has found at them, when that is asked for', async () => {
    const jobId = await service.submit({
      media: [sampleUri('astronaut.png')],
      pipelineName: 'ABSENT PIPELINE',
    });
    const component = new RawComponent(service);
    const { token } = await component.claimOf(jobId, 'ABSENT');
    const [x, y, width, height] = [170, 60, 100, 140];
    const { detections, ...track } = trackNamed('a face');
    const box = { ...detections[0]!, x, y, width, height };
    expect((await component.result(token, [{ ...track, detections: [box] }])).status).to.equal(200);
    await service.terminal(jobId);
    const path = `/rest/jobs/${jobId}/${await service.placeOf(jobId)}/frames/0.jpg`;
    const [plain, drawn] = await Promise.all(
      [path, `${path}?boxes=true`].map(async (one) =>
        sharp(await jpegOf(one))
          .raw()
          .toBuffer(),
      ),
    );
    const size = 512;
    const differs = (column: number, row: number) => {
      const at = (row * size + column) * 3;
      return [0, 1, 2].some((channel) => Math.abs(plain![at + channel]! - drawn![at + channel]!) > 60);
    };
    expect(differs(x + Math.round(width / 2), y), 'on the upper edge of the box').to.equal(true);
    expect(differs(x, y + Math.round(height / 2)), 'on its left edge').to.equal(true);
    expect(differs(5, 5), 'far from it').to.equal(false);
  });

  it('are refused with a sentence when there are none, when their medium is gone or damaged', async () => {
    const path = join(service.mediaDir, 'going.mp4');
    await copyFile(fileURLToPath(sampleUri('hello.avi')), path);
    const job = await service.run({
      media: [sampleUri('green.wav'), pathToFileURL(path).href],
      pipelineName: 'LIGHT PIPELINE',
    });
    expect(await messageOf(`${framesOf(0, job)}/0.jpg`)).to.deep.equal([
      404,
      'A medium of the type AUDIO has no frames.',
    ]);
    rmSync(path);
    expect((await messageOf(`${framesOf(1, job)}/0.jpg`))[1]).to.include('can no longer be read');
    for (const k of ['-1', 'x', '1e3', '99999999999'])
      expect((await get(`${framesOf(1, job)}/${k}.jpg`)).status, k).to.equal(400);
  });

  it('are 503 with Retry-After when more are asked for than may be made, as exports are', async () => {
    const narrow = await Service.here({ MAX_FRAME_REQUESTS: '0', MAX_EXPORTS: '0' });
    try {
      const job = await narrow.run({
        media: [sampleUri('digital-clock.jpg')],
        pipelineName: 'LIGHT PIPELINE',
        jobProperties: { ARTIFACT_EXTRACTION_POLICY: 'NONE' },
      });
      const { jobId } = job;
      const { status, headers, text } = await narrow.ask('GET', `${framesOf(0, job)}/0.jpg`);
      expect([status, headers.get('retry-after')]).to.deep.equal([503, '2']);
      expect(text).to.include('0 frames are being made already, which is the limit');
      const form = await narrow.ask('GET', `/rest/jobs/${jobId}/output/detection?format=ndjson`);
      expect([form.status, form.headers.get('retry-after')]).to.deep.equal([503, '2']);
      expect(form.body).to.include({
        code: 'overloaded',
        message: '0 exports are running, which is the limit. Try again later.',
      });
      expect((await narrow.document(jobId)).jobId).to.equal(jobId);
      expect((await narrow.ask('GET', framesOf(0, job))).status).to.equal(200);
    } finally {
      await narrow.close();
    }
  });
});
