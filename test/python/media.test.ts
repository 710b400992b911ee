/** Media in a Python component, on the host of the server and on a host without shared files and decoders. */
import { expect } from 'chai';
import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { crc32 } from 'node:zlib';
import { readImage } from '../../media/picture/image-frame.ts';
import { openVideo } from '../../media/video/video-frames.ts';
import { frameTransform } from '../../media/picture/transform.ts';
import type { Frame } from '../../components/sdk/detector.ts';
import { makeVideo } from '../media/support/make-video.ts';
import { bitmapOf } from '../support/media/bitmap.ts';
import { pictureUri } from '../support/media/data-uri.ts';
import { sampleUri, Service, tracksOf, type DetectionDocument } from '../support/processes/service.ts';
import { needsPython, probeFile, PythonComponent } from './support.ts';

const PROBE = 'PROBE DETECTION PIPELINE';
const AWAY = { TROUPE_SHARES_FILES: 'false', TROUPE_FFMPEG: 'none', TROUPE_WITHOUT: 'cv2' };

/** 40 frames at 25 per second, then slides. */
const slideAt = (frame: number): number =>
  frame < 40 ? frame * 40 : [3_000, 9_000, 9_400, 12_400][frame - 40]!;

interface Seen {
  readonly frame: number;
  readonly crc: string;
  readonly mean: number;
  readonly size: string;
}

describe('A medium in the Python SDK', function () {
  this.timeout(120_000);
  let service: Service;
  let video: string;
  let slides: string;
  let picture: string;

  before(async function () {
    needsPython(this);
    service = await Service.openShared();
    const fileOf = (name: string) => path.join(service.mediaDir, name);
    makeVideo(fileOf('video.mp4'), { frames: 100, bFrames: 2 });
    makeVideo(fileOf('slides.mkv'), { frames: 44, bFrames: 2, gop: 12, at: slideAt });
    slides = pathToFileURL(fileOf('slides.mkv')).href;
    writeFileSync(fileOf('picture.bmp'), bitmapOf(randomBytes(96 * 64 * 3), 96, 64));
    [video, picture] = ['video.mp4', 'picture.bmp'].map((name) => pathToFileURL(fileOf(name)).href) as [
      string,
      string,
    ];
  });
  after(async () => {
    await service?.ask('DELETE', '/rest/components/PythonProbe');
    await service?.close();
  });

  async function startComponent(
    environment: Readonly<Record<string, string>> = {},
  ): Promise<PythonComponent> {
    const component = PythonComponent.of(service, probeFile, environment);
    await component.says('serving PROBE');
    return component;
  }
  const away = (name: string, more: Readonly<Record<string, string>> = {}) =>
    startComponent({ ...AWAY, MEDIA_CACHE_FOLDER: path.join(service.folder, name), ...more });

  const summaryOf = (document: DetectionDocument, type = 'PROBE'): readonly Seen[] =>
    tracksOf(document.media[0], type).map(({ exemplar: { offsetFrame, detectionProperties: said } }) => ({
      frame: offsetFrame,
      crc: said['CRC'] ?? '',
      mean: Number(said['MEAN']),
      size: said['SIZE'] ?? '',
    }));
  const describeFrame = ({ index, data, width, height }: Frame): Seen => ({
    frame: index,
    crc: String(crc32(data)),
    mean: Math.round((data.reduce((sum, value) => sum + value, 0) / data.length) * 100) / 100,
    size: `${width}x${height}`,
  });
  async function framesOf(uri: string, interval: number, rateCap = 0): Promise<readonly Seen[]> {
    const frames: Seen[] = [];
    const reader = await openVideo(fileURLToPath(uri), { interval, rateCap });
    for await (const frame of reader.frames()) frames.push(describeFrame(frame));
    return frames;
  }
  /** A variable frame rate, where one interval of FRAME_RATE_CAP crosses a segment border. */
  const capTimes = () => ({
    media: [slides],
    pipelineName: PROBE,
    jobProperties: { FRAME_RATE_CAP: '1', VFR_TARGET_SEGMENT_LENGTH: '30', VFR_MIN_SEGMENT_LENGTH: '5' },
  });
  const timesIn = (document: DetectionDocument) =>
    tracksOf(document.media[0], 'PROBE').map(
      ({ exemplar: { offsetFrame, offsetTime, detectionProperties } }) => {
        expect(Number(detectionProperties['TIME'])).to.equal(offsetTime);
        return [offsetFrame, offsetTime];
      },
    );
  const SLIDES = [0, 25, 40, 41, 43].map((frame) => [frame, slideAt(frame)]);
  const sampleOptions = () => ({
    media: [video],
    pipelineName: PROBE,
    jobProperties: { FRAME_INTERVAL: '10', TARGET_SEGMENT_LENGTH: '40', MIN_SEGMENT_LENGTH: '10' },
  });

  describe('on a host that shares no folder and cannot decode', () => {
    let component: PythonComponent;
    before(async () => {
      component = await away('cache');
    });
    after(() => component?.close());

    it('is fetched once by all processes of a host, which keep it for later jobs', async () => {
      const second = await away('cache');
      const fetches = () =>
        service.log('request').filter((line) => String(line['path']).endsWith('/medium')).length;
      const folder = path.join(service.folder, 'cache');
      mkdirSync(folder, { recursive: true });
      const cached = () => readdirSync(folder).filter((name) => !name.endsWith('.use'));
      const before = fetches();
      // No other test has downloaded it.
      const media = Array.from({ length: 3 }, () => sampleUri('coffee.png'));
      const keptBefore = new Set(cached());
      const ids = await Promise.all([0, 1].map(() => service.submit({ media, pipelineName: PROBE })));
      for (const id of ids) expect((await service.terminal(id)).jobStatus).to.equal('COMPLETE');
      expect(fetches() - before).to.equal(1);
      const [sha256] = (await service.document(ids[0]!)).media.map((medium) => medium.sha256);
      expect(cached().filter((name) => !keptBefore.has(name))).to.deep.equal([sha256]);
      await second.close();
    });

    it('is looked at frame by frame as the server decodes it, by a host that cannot decode', async () => {
      const document = await service.run(sampleOptions());
      expect(document.status).to.equal('COMPLETE');
      expect(summaryOf(document)).to.deep.equal(await framesOf(video, 10));
    });

    it('is thinned out by the times of its frames where the rate varies', async () => {
      const document = await service.run(capTimes());
      expect(timesIn(document)).to.deep.equal(SLIDES);
      expect(summaryOf(document)).to.deep.equal(await framesOf(slides, 1, 1));
    });

    it('is turned and cut as the properties say, and its boxes lie in the stored picture', async () => {
      const properties = {
        ROTATION: '90',
        SEARCH_REGION_ENABLE_DETECTION: 'true',
        SEARCH_REGION_TOP_LEFT_X_DETECTION: '20',
        SEARCH_REGION_BOTTOM_RIGHT_Y_DETECTION: '50%',
      };
      const document = await service.run({
        media: [picture],
        pipelineName: PROBE,
        jobProperties: properties,
      });
      const stored = await readImage(fileURLToPath(picture));
      const transform = frameTransform(properties, {}, stored);
      expect(summaryOf(document)).to.deep.equal([describeFrame(transform.apply(stored))]);
      const { x, y, width, height } = transform.toMedium({ x: 0, y: 0, ...transform });
      expect(tracksOf(document.media[0], 'PROBE')[0]?.exemplar).to.include({ x, y, width, height });
    });

    it('shows the region of a track that is fed forward', async () => {
      const action = (name: string, properties: Readonly<Record<string, string>>) => ({
        name,
        algorithm: 'PROBE',
        properties: Object.entries(properties).map(([key, value]) => ({ name: key, value })),
      });
      const actions = [
        action('FIRST', {
          SEARCH_REGION_ENABLE_DETECTION: 'true',
          SEARCH_REGION_TOP_LEFT_X_DETECTION: '64',
        }),
        action('SECOND', { FEED_FORWARD_TYPE: 'REGION' }),
      ];
      const tasks = actions.map(({ name }) => ({ name: `${name} TASK`, actions: [name] }));
      const document = await service.run({
        media: [picture],
        pipelineDefinition: { pipeline: tasks.map(({ name }) => name), tasks, actions },
      });
      const [first, second] = [summaryOf(document)[0], tracksOf(document.media[0], 'FED')[0]];
      expect(first?.size).to.equal('32x64');
      expect(second?.exemplar).to.include({ x: 64, y: 0, width: 32, height: 64 });
      expect(second?.exemplar.detectionProperties['CRC']).to.equal(first?.crc);
    });

    it('that is made of a document comes back from a host that shares no folder', async () => {
      const file = path.join(service.mediaDir, 'note.txt');
      writeFileSync(file, 'a note');
      const document = await service.run({ media: [pathToFileURL(file).href], pipelineName: PROBE });
      expect(document.status).to.equal('COMPLETE');
      const derived = document.media.find(({ parentMediaId }) => parentMediaId !== -1);
      const text = await (await fetchMedium(derived!.path)).text();
      expect(text).to.equal('copied: a note');
    });
    const fetchMedium = async (uri: string) =>
      new Response(await import('node:fs/promises').then((fs) => fs.readFile(fileURLToPath(uri))));
  });

  describe('on a host with little room for media', () => {
    let component: PythonComponent;
    after(() => component?.close());

    it('gives way in the cache to what came later when MEDIA_CACHE_BYTES is full', async () => {
      component = await away('small', { MEDIA_CACHE_BYTES: '5000' });
      const documents = [];
      // The first is larger than the cache. The second and third do not fit together.
      for (const medium of [pictureUri(48, 48), pictureUri(32, 32, 1), pictureUri(32, 32, 2)])
        documents.push(await service.run({ media: [medium], pipelineName: PROBE }));
      expect(documents.map(({ status }) => status)).to.deep.equal(['COMPLETE', 'COMPLETE', 'COMPLETE']);
      const kept = readdirSync(path.join(service.folder, 'small')).filter((name) => !name.endsWith('.use'));
      expect(kept).to.deep.equal([documents[2]?.media[0]?.sha256]);
    });
  });

  describe('on the host of the server', () => {
    let component: PythonComponent;
    before(async () => {
      component = await startComponent();
    });
    after(() => component?.close());

    it('shows the same frames where ffmpeg or OpenCV decode it', async function () {
      if (!component.said.includes('videos by')) this.skip();
      const [found, wanted] = [summaryOf(await service.run(sampleOptions())), await framesOf(video, 10)];
      expect(found.map(({ frame }) => frame)).to.deep.equal(wanted.map(({ frame }) => frame));
      for (const [at, { mean }] of wanted.entries()) expect(found[at]?.mean).to.be.closeTo(mean, 2);
    });

    it('is thinned out by the times of its frames, whatever decodes it', async () => {
      expect(timesIn(await service.run(capTimes()))).to.deep.equal(SLIDES);
      const { jobProperties, ...job } = capTimes();
      const ofKeys = { ...jobProperties, USE_KEY_FRAMES: 'TRUE', VFR_TARGET_SEGMENT_LENGTH: '0' };
      const keys = await service.run({ ...job, jobProperties: ofKeys });
      const times = timesIn(keys).map(([, time]) => Math.floor(time! / 1000));
      expect(times.length).to.be.within(1, SLIDES.length);
      expect(new Set(times).size).to.equal(times.length);
    });

    it('is heard as the standard library reads it', async () => {
      const document = await service.run({ media: [sampleUri('goforward.wav')], pipelineName: PROBE });
      const [track] = tracksOf(document.media[0], 'PROBE');
      expect([track?.startOffsetTime, Math.round((track?.stopOffsetTime ?? 0) / 10)]).to.deep.equal([0, 279]);
    });
  });
});
