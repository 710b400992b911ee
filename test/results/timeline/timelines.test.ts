/** Timelines and frames for viewers, compared with the document. */
import { mkdirSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect } from 'chai';
import * as fc from 'fast-check';
import type { ViewedBox } from '../../../domain/tracks/viewing.ts';
import { Timelines } from '../../../results/timeline/timelines.ts';
import { until } from '../../support/until.ts';
import { temporaryFolder } from '../folder.ts';
import { allFound, type Found } from '../exports/expected-exports.ts';
import { someDocument } from '../exports/generated-documents.ts';
import { seed, seeded } from '../../support/seed.ts';

const runs = { seed, numRuns: Number(process.env['RUNS'] ?? 15) };
const END = 2 ** 31 - 1;
const OPTIONS = { mostWaiting: 100, waitMs: 60_000, idleMs: 300_000 };
const encodable = (text: string) => new TextDecoder().decode(new TextEncoder().encode(text));

describe('What a viewer asks about a document', () => {
  const inFolder = temporaryFolder();
  const file = () => inFolder('document.json');
  let timelines: Timelines;
  /** Shared by all tests, because its threads start slowly. */
  before(() => {
    timelines = new Timelines(OPTIONS);
  });
  after(() => timelines.close());

  /** Each document gets its own file, like each run of a job. */
  let written = 0;
  const placeDocument = (document: object) => {
    const path = inFolder(`document-${++written}.json`);
    writeFileSync(path, JSON.stringify(document));
    return path;
  };
  const all = { fromMs: 0, toMs: END, lane: undefined, minConfidence: undefined, text: undefined } as const;
  const hasBox = ({ detection }: Found) => detection.width > 0 && detection.height > 0;

  it('is refused as missing if the document is deleted meanwhile', async () => {
    const own = new Timelines(OPTIONS);
    for (let n = 0; n < 20; n++) {
      const folder = inFolder(`deleted-${n}`);
      mkdirSync(folder);
      const path = join(folder, 'document.json');
      writeFileSync(path, JSON.stringify({ media: [] }));
      const asked = own.ask(path, { kind: 'media', limit: 1, offset: 0 }).then(
        () => 'answered',
        (error: unknown) => (error as { code?: unknown }).code,
      );
      // Each round deletes it at another step.
      for (let step = 0; step < n; step++) await new Promise((resolve) => setImmediate(resolve));
      rmSync(folder, { recursive: true });
      expect(await asked).to.be.oneOf(['ENOENT', 'answered']);
    }
    await own.close();
  });

  it(`is told of all tracks and boxes of each medium, none of another ${seeded}`, () =>
    fc.assert(
      fc.asyncProperty(someDocument, async (document) => {
        const path = placeDocument(document);
        const { media, total } = await timelines.ask(path, { kind: 'media', limit: 1_000, offset: 0 });
        expect(total).to.equal(document.media.length);
        const found = allFound(document);
        for (const [n, medium] of document.media.entries()) {
          const own = found.filter(({ medium: of }) => of === medium);
          const tracks = new Set(own.map(({ track }) => track));
          expect(media[n]).to.include({
            n,
            mediaId: medium.mediaId,
            tracks: tracks.size,
            detections: own.length,
          });
          const page = await timelines.ask(path, {
            kind: 'tracks',
            medium: medium.mediaId,
            ...all,
            limit: 1_000,
            offset: 0,
          });
          expect(page.total).to.equal(tracks.size);
          expect(page.tracks.map(({ id }) => id)).to.have.members([...tracks].map(({ id }) => encodable(id)));
          const { boxes } = await timelines.ask(path, {
            kind: 'boxes',
            medium: medium.mediaId,
            fromFrame: 0,
            toFrame: END,
            limit: 10_000,
          });
          expect(boxes.map(boxOf)).to.have.deep.members(
            own.filter(hasBox).map(({ detection }) => boxOf(ofDocument(detection))),
          );
          const lanes = await timelines.ask(path, { kind: 'lanes', medium: medium.mediaId });
          expect(lanes.reduce((sum, { detections }) => sum + detections, 0)).to.equal(own.length);
          for (const { bins, detections } of lanes)
            expect(bins.reduce((sum, count) => sum + count, 0)).to.equal(detections);
        }
      }),
      runs,
    ));

  const ofDocument = (detection: Found['detection']) => ({ ...detection, frame: detection.offsetFrame });
  const boxOf = ({
    frame,
    x,
    y,
    width,
    height,
    confidence,
  }: Pick<ViewedBox, 'frame' | 'x' | 'y' | 'width' | 'height' | 'confidence'>) => ({
    frame,
    x,
    y,
    width,
    height,
    confidence,
  });

  const track = (n: number, startFrame: number, frames: number, more: object = {}) => {
    const detections = Array.from({ length: frames }, (_, k) => ({
      offsetFrame: startFrame + k,
      offsetTime: (startFrame + k) * 40,
      x: n,
      y: k,
      width: 10,
      height: 20,
      confidence: 0.5 + n / 100,
      detectionProperties: {},
      artifactExtractionStatus: 'NOT_ATTEMPTED',
      artifactPath: null,
    }));
    return {
      id: `track ${n}`,
      index: n,
      startOffsetFrame: startFrame,
      stopOffsetFrame: startFrame + frames - 1,
      startOffsetTime: startFrame * 40,
      stopOffsetTime: (startFrame + frames - 1) * 40,
      type: 'CLASS',
      source: 'FIND',
      confidence: 0.5 + n / 100,
      trackProperties: { CLASSIFICATION: n % 2 === 0 ? 'Person' : 'bus' },
      exemplar: detections[0],
      detections,
      ...more,
    };
  };
  const video = (tracks: readonly object[]) => ({
    jobId: 'host-1',
    pipeline: { tasks: [] },
    media: [
      {
        mediaId: 1,
        parentMediaId: -1,
        path: 'file:///video.mp4',
        mimeType: 'video/mp4',
        mediaType: 'VIDEO',
        length: 1_000,
        mediaMetadata: { FPS: '25' },
        status: 'COMPLETE',
        output: { CLASS: [{ source: 'FIND', algorithm: 'FINDER', tracks }] },
      },
    ],
    errors: [{ mediaId: 1, details: [{ source: 'FIND', code: 'OOPS', message: 'It went wrong.' }] }],
    warnings: [{ details: [{ source: 'JOB', code: 'ODD', message: 'It is odd.' }] }],
  });

  it('lists the tracks that overlap a stretch of time, the earliest first, a page at a time', async () => {
    const path = placeDocument(
      video([track(0, 100, 10), track(1, 0, 500), track(2, 300, 5), track(3, 105, 1)]),
    );
    const names = async (fromMs: number, toMs: number, more: object = {}) => {
      const query = { ...all, fromMs, toMs, limit: 100, offset: 0, ...more };
      const { tracks, total } = await timelines.ask(path, { kind: 'tracks', medium: 1, ...query });
      return [tracks.map(({ n }) => n), total];
    };
    expect(await names(0, END)).to.deep.equal([[1, 0, 3, 2], 4]);
    expect(await names(4_200, 4_400)).to.deep.equal([[1, 0, 3], 3]);
    expect(await names(4_361, 11_999), 'between the ends').to.deep.equal([[1], 1]);
    expect(await names(20_001, END)).to.deep.equal([[], 0]);
    expect(await names(0, END, { limit: 2, offset: 1 })).to.deep.equal([[0, 3], 4]);
    expect(await names(0, END, { minConfidence: 0.515 })).to.deep.equal([[3, 2], 2]);
    expect(await names(0, END, { text: 'PERSON' })).to.deep.equal([[0, 2], 2]);
    expect(await names(0, END, { text: '%' })).to.deep.equal([[], 0]);
    expect(await names(0, END, { lane: 7 })).to.deep.equal([[], 0]);
  });

  const stretch = (startMs: number, stopMs: number) =>
    track(0, 0, 1, { startOffsetTime: startMs, stopOffsetTime: stopMs });
  const lanesOf = async (tracks: readonly object[]) => {
    const [lane] = await timelines.ask(placeDocument(video(tracks)), { kind: 'lanes', medium: 1 });
    return lane!;
  };

  it('counts a track of one detection in every part of the lane that it covers', async () => {
    const { bins, binMs } = await lanesOf([
      stretch(0, 1_005),
      stretch(1_000, 2_000),
      stretch(75_000, 75_009),
    ]);
    expect(binMs).to.equal(160);
    const coverRanges = (...ranges: readonly (readonly [from: number, to: number])[]) =>
      Array.from(
        { length: 469 },
        (_, n) => ranges.filter(([from, to]) => from < (n + 1) * binMs && to >= n * binMs).length,
      );
    expect(bins).to.deep.equal(coverRanges([0, 1_005], [1_000, 2_000], [75_000, 75_009]));
  });

  it('counts each detection of a track of several once, where it was found', async () => {
    const { bins } = await lanesOf([track(0, 10, 3), stretch(0, 30)]);
    expect(bins.flatMap((count, n) => (count === 0 ? [] : [[n, count]]))).to.deep.equal([
      ...[0, 1, 2, 3].map((n) => [n, 1]),
      ...[40, 44, 48].map((n) => [n, 1]),
    ]);
  });

  it('is told of the boxes of whole frames, and from where on to ask for more', async () => {
    const path = placeDocument(video([track(0, 0, 10), track(1, 0, 10), track(2, 4, 1)]));
    const ask = (fromFrame: number, toFrame: number, limit: number) =>
      timelines.ask(path, { kind: 'boxes', medium: 1, fromFrame, toFrame, limit });
    const frames = (boxes: readonly ViewedBox[]) => boxes.map(({ frame }) => frame);
    const first = await ask(0, 9, 5);
    expect([frames(first.boxes), first.toFrame]).to.deep.equal([[0, 0, 1, 1], 1]);
    const second = await ask(2, 9, 7);
    expect([frames(second.boxes), second.toFrame]).to.deep.equal([[2, 2, 3, 3, 4, 4, 4], 4]);
    const tight = await ask(4, 9, 2);
    expect([frames(tight.boxes), tight.toFrame], 'a frame that alone has too many').to.deep.equal([
      [4, 4],
      4,
    ]);
    const rest = await ask(9, 2_000, 100);
    expect([frames(rest.boxes), rest.toFrame]).to.deep.equal([[9, 9], 2_000]);
  });

  it('is told the corners of boxes that are turned in the frame', async () => {
    const turnedBox = track(0, 0, 1);
    const [detection] = turnedBox.detections;
    const properties = { ROTATION: '90' };
    const at = { ...detection!, x: 100, y: 50, detectionProperties: properties };
    const path = placeDocument(video([{ ...turnedBox, exemplar: at, detections: [at] }]));
    const { boxes } = await timelines.ask(path, {
      kind: 'boxes',
      medium: 1,
      fromFrame: 0,
      toFrame: 0,
      limit: 1,
    });
    // Rotated counter-clockwise around its top left corner, so its width points upwards.
    expect(boxes[0]?.corners).to.equal('100.0,50.0 100.0,40.0 120.0,40.0 120.0,50.0');
  });

  it('is told of errors and warnings with the medium, or with the job, that they are about', async () => {
    const path = placeDocument(video([]));
    const { media, issues } = await timelines.ask(path, { kind: 'media', limit: 10, offset: 0 });
    expect(media[0]?.issues).to.deep.equal([
      { kind: 'errors', source: 'FIND', code: 'OOPS', message: 'It went wrong.' },
    ]);
    expect(issues.map(({ message }) => message)).to.deep.equal(['It is odd.']);
  });

  it('answers from an index that is built once, also for parallel requests, for each document', async () => {
    const path = placeDocument(video([track(0, 0, 10)]));
    const askTimelines = () => timelines.ask(path, { kind: 'media', limit: 1, offset: 0 });
    const answers = await Promise.all(Array.from({ length: 8 }, askTimelines));
    expect(new Set(answers.map((answer) => answer.media[0]?.tracks))).to.deep.equal(new Set([1]));
    const indexes = () => readdirSync(dirname(path)).filter((name) => name.endsWith('.index'));
    const before = indexes();
    await askTimelines();
    expect(indexes()).to.deep.equal(before);
    writeFileSync(path, JSON.stringify(video([track(0, 0, 10), track(1, 5, 10)])));
    expect((await askTimelines()).media[0]?.tracks).to.equal(2);
  });

  it('is answered from an index made anew when the one that lies there is damaged', async () => {
    const path = placeDocument(video([track(0, 0, 10)]));
    const askedOf = (some: Timelines) => some.ask(path, { kind: 'media', limit: 1, offset: 0 });
    const first = new Timelines(OPTIONS);
    await askedOf(first);
    await first.close();
    const index = readdirSync(dirname(path)).find(
      (name) => name.startsWith(basename(path)) && name.endsWith('.index'),
    )!;
    writeFileSync(join(dirname(path), index), 'no database at all '.repeat(1_000));
    expect((await askedOf(timelines)).media[0]?.tracks).to.equal(1);
  });

  (process.platform === 'linux' ? describe : describe.skip)(
    'is answered from an index that is closed',
    () => {
      /** Open files of this process with this path. Deleted files end with " (deleted)". */
      const openedOf = (path: string) =>
        readdirSync('/proc/self/fd').filter((fd) => {
          try {
            return readlinkSync(`/proc/self/fd/${fd}`).startsWith(path);
          } catch {
            return false;
          }
        }).length;
      let timelines: Timelines;
      afterEach(() => timelines.close());
      const askTimelines = (path: string) => timelines.ask(path, { kind: 'media', limit: 1, offset: 0 });

      it('when nobody has asked for a while, and opened again for the next who asks', async () => {
        timelines = new Timelines({ ...OPTIONS, idleMs: 200 });
        const path = placeDocument(video([track(0, 0, 10)]));
        await askTimelines(path);
        await until('it is closed', () => openedOf(path) === 0);
        expect((await askTimelines(path)).media[0]?.tracks).to.equal(1);
      });

      it('soon after its job was removed, so that the disk gets its room back', async () => {
        timelines = new Timelines({ ...OPTIONS, idleMs: 4_000 });
        const path = placeDocument(video([track(0, 0, 10)]));
        await askTimelines(path);
        expect(openedOf(path)).to.be.greaterThan(0);
        for (const name of readdirSync(dirname(path)).filter((one) => one.startsWith(basename(path))))
          rmSync(join(dirname(path), name));
        const other = placeDocument(video([track(0, 0, 10)]));
        // Other requests continue meanwhile.
        await until(
          'it is closed',
          async () => (await askTimelines(other)).total === 1 && openedOf(path) === 0,
        );
        expect(openedOf(other)).to.be.greaterThan(0);
      });
    },
  );

  it('is told to come again when a hundred wait already', async () => {
    const path = placeDocument(video([track(0, 0, 10)]));
    const many = Array.from({ length: 150 }, () =>
      timelines.ask(path, { kind: 'media', limit: 1, offset: 0 }),
    );
    const outcomes = await Promise.allSettled(many);
    const refused = outcomes
      .filter((one) => one.status === 'rejected')
      .map(({ reason }) => (reason as Error).name);
    expect(new Set(refused)).to.deep.equal(new Set(['TimelineBusy']));
    expect(refused.length).to.equal(50);
  });

  it('is refused with the reason when the document cannot be read, and leaves nothing behind', async () => {
    const path = file();
    writeFileSync(path, '{"media": [{"output": {"CLASS": [{"tracks": [{]');
    const outcome = await timelines.ask(path, { kind: 'media', limit: 1, offset: 0 }).then(
      () => 'answered',
      (error: unknown) => (error as Error).message,
    );
    expect(outcome).to.be.a('string').and.not.equal('answered');
    expect(
      readdirSync(dirname(path)).filter(
        (name) => /\.index|\.part/.test(name) && name.startsWith('document.json'),
      ),
    ).to.deep.equal([]);
    rmSync(path);
    const gone = await timelines.ask(path, { kind: 'media', limit: 1, offset: 0 }).then(
      () => 'answered',
      (error: unknown) => (error as { code?: string }).code,
    );
    expect(gone).to.equal('ENOENT');
  });
});
