import { expect } from 'chai';
import { createHash } from 'node:crypto';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { document } from '../../../../components/builtin/media/document.ts';
import { finish } from '../../../../components/builtin/media/finish/finish.ts';
import { MAX_TRACK_RANGES } from '../../../../protocol/track-work.ts';
import { ResultChecker } from '../../../../results/check/check.ts';
import { head, mediumWith, outputOf } from '../../../results/document/document-parts.ts';
import { temporaryFolder } from '../../../results/folder.ts';
import { context, detection, finishAll, finishWork, span, textOf, track, type Given } from './media-parts.ts';
import { finishesInLittleMemory } from './media-suite.ts';

describe('Finishing the tracks of a medium and an action', () => {
  const path = temporaryFolder();
  const finishGiven = async (given: Given): ReturnType<typeof finishAll> =>
    finishAll(await finishWork(path, given));
  const spans = (tracks: readonly { startOffsetFrame: number; stopOffsetFrame: number }[]): string[] =>
    tracks.map(({ startOffsetFrame, stopOffsetFrame }) => `${startOffsetFrame}-${stopOffsetFrame}`);

  it('writes tracks as the specification has them', async () => {
    const raw = track([detection(10, [1.4, 2.5, 30.2, 40.6], { properties: { POSE: 'a' } })], {
      properties: { A: 'b' },
    });
    const { tracks, summary } = await finishGiven({ parts: [[raw]] });
    const written = {
      offsetFrame: 10,
      offsetTime: 400,
      x: 1,
      y: 3,
      width: 30,
      height: 41,
      confidence: 0.5,
      detectionProperties: { POSE: 'a' },
      artifactExtractionStatus: 'NOT_ATTEMPTED',
      artifactPath: null,
    };
    expect(tracks).to.deep.equal([
      {
        id: createHash('sha256').update('abc:10:1:3:30:41:FACE').digest('hex'),
        index: 0,
        startOffsetFrame: 10,
        stopOffsetFrame: 10,
        startOffsetTime: 400,
        stopOffsetTime: 400,
        type: 'FACE',
        source: 'THE ACTION',
        confidence: 0.5,
        trackProperties: { A: 'b' },
        exemplar: written,
        detections: [written],
      },
    ]);
    expect(summary).to.deep.equal({
      tracks: 1,
      detections: 1,
      types: { FACE: 1 },
      warnings: [],
      ranges: [{ start: 10, stop: 10 }],
    });
  });

  it('answers only a summary when nothing was found', async () => {
    const { tracks, summary } = await finishGiven({ parts: [[], []] });
    expect(tracks).to.deep.equal([]);
    expect(summary).to.deep.equal({ tracks: 0, detections: 0, types: {}, warnings: [], ranges: [] });
  });

  it('uses the times of a variable rate from the prepared medium, and keeps reported times', async () => {
    const frameTimes = { fps: 25, constantRate: false, startTime: 0, times: [0, 50, 170, 180] };
    const exact = { ...span(1, 3), startTime: 60.4, stopTime: 179 };
    const { tracks } = await finishGiven({ parts: [[span(1, 3), exact]], frameTimes });
    expect(
      tracks.map(({ startOffsetTime, stopOffsetTime }) => [startOffsetTime, stopOffsetTime]),
    ).to.deep.equal([
      [50, 180],
      [60, 179],
    ]);
    expect(tracks[0]?.detections.map(({ offsetTime }) => offsetTime)).to.deep.equal([50, 180]);
  });

  it('gives images and generic media no frames and no times, and sound its times in order', async () => {
    const raw = (startTime: number): ReturnType<typeof track> => ({
      ...span(3, 4),
      startTime,
      stopTime: startTime + 50,
    });
    for (const mediaType of ['IMAGE', 'UNKNOWN'] as const) {
      const { tracks, summary } = await finishGiven({ parts: [[raw(900)]], mediaType });
      expect(tracks[0]).to.include({
        startOffsetFrame: 0,
        stopOffsetFrame: 0,
        startOffsetTime: 0,
        stopOffsetTime: 0,
      });
      expect(summary.ranges).to.deep.equal([]);
    }
    const { tracks } = await finishGiven({
      parts: [[raw(900), raw(100)]],
      mediaType: 'AUDIO',
      trackType: 'SPEECH',
    });
    expect(
      tracks.map(({ startOffsetTime, stopOffsetTime }) => [startOffsetTime, stopOffsetTime]),
    ).to.deep.equal([
      [100, 150],
      [900, 950],
    ]);
    expect(tracks[0]?.detections[0]).to.include({ offsetFrame: 0, offsetTime: 100 });
  });

  it('drops detections below the quality threshold and tracks that have no other', async () => {
    const mixed = track([
      detection(1, [0, 0, 9, 9], { confidence: 0.2 }),
      detection(2, [0, 0, 9, 9], { confidence: 0.9 }),
    ]);
    const { tracks } = await finishGiven({
      parts: [[mixed, track([detection(5, [0, 0, 9, 9], { confidence: 0.1 })])]],
      properties: { QUALITY_SELECTION_THRESHOLD: '0.4' },
    });
    expect(tracks.map(({ detections }) => detections.map(({ offsetFrame }) => offsetFrame))).to.deep.equal([
      [2],
    ]);
  });

  it('merges tracks over borders of segments, across parts and in any order of their lines', async () => {
    const other = [300, 300, 50, 60];
    const parts = [
      [span(0, 99, other), { ...span(0, 99), confidence: 0.8, properties: { NAME: 'x', SAME: 's' } }],
      [{ ...span(100, 199), properties: { NAME: 'y', SAME: 's' } }, span(101, 150, other)],
      [span(200, 250)],
    ];
    const { tracks, summary } = await finishGiven({ parts, properties: { MERGE_TRACKS: 'TRUE' } });
    expect(spans(tracks)).to.deep.equal(['0-99', '0-250', '101-150']);
    expect(tracks[1]).to.deep.include({ confidence: 0.8, trackProperties: { NAME: 'x; y', SAME: 's' } });
    expect(tracks[1]?.detections.map(({ offsetFrame }) => offsetFrame)).to.deep.equal([
      0, 99, 100, 199, 200, 250,
    ]);
    expect(summary).to.deep.include({ tracks: 3, detections: 10, ranges: [{ start: 0, stop: 250 }] });
    const apart = await finishGiven({ parts });
    expect(apart.summary.tracks).to.equal(5);
  });

  it('never unites scenes, speech and sound', async () => {
    for (const type of ['SPEECH', 'SCENE', 'SOUND']) {
      const parts = [[{ ...span(0, 99), type }], [{ ...span(100, 199), type }]];
      const { summary } = await finishGiven({
        parts,
        properties: { MERGE_TRACKS: 'TRUE', MIN_TRACK_LENGTH: '500' },
      });
      expect(summary.types).to.deep.equal({ [type]: 2 });
    }
  });

  it('drops tracks that are too short, after they were united', async () => {
    const properties = { MERGE_TRACKS: 'TRUE', MIN_TRACK_LENGTH: '12' };
    const { tracks } = await finishGiven({
      parts: [[span(90, 99), span(50, 60)], [span(100, 101)]],
      properties,
    });
    expect(spans(tracks)).to.deep.equal(['90-101']);
  });

  it('orders tracks by start, stop, exemplar and type, and numbers them by type', async () => {
    const at = (start: number, x: number, type: string): ReturnType<typeof track> => ({
      ...span(start, start + 5, [x, 0, 9, 9]),
      type,
    });
    const all = [at(5, 1, 'A'), at(0, 9, 'A'), at(0, 2, 'B'), at(0, 2, 'A'), at(3, 0, 'constructor')];
    const { tracks } = await finishGiven({ parts: [all] });
    const order = tracks.map((one) => `${one.startOffsetFrame} ${one.exemplar.x} ${one.type} ${one.index}`);
    expect(order).to.deep.equal(['0 2 A 0', '0 2 B 0', '0 9 A 1', '3 0 constructor 0', '5 1 A 2']);
    const turned = await finishGiven({ parts: [all.toReversed()] });
    expect(turned.tracks).to.deep.equal(tracks);
  });

  it('answers the same bytes for the same input', async () => {
    const parts = Array.from({ length: 10 }, (_, part) =>
      Array.from({ length: 40 }, (_unused, i) =>
        span(part * 100, part * 100 + 99, [(i * 37) % 600, (i * 91) % 400, 30, 30]),
      ),
    );
    const given = { parts, properties: { MERGE_TRACKS: 'TRUE', DETECTION_PADDING_X: '10%' } };
    const first = await finishGiven(given);
    expect((await finishGiven(given)).text).to.equal(first.text);
    expect(first.summary.tracks).to.equal(40);
  });

  it('names at most so many ranges of frames', async () => {
    const { summary } = await finishGiven({
      parts: [Array.from({ length: 2500 }, (_, i) => span(i * 10, i * 10 + 3))],
    });
    expect(summary.ranges).to.have.length(MAX_TRACK_RANGES);
    expect(summary.ranges.at(-1)?.stop).to.equal(24_993);
  });

  it('passes the check of results', async () => {
    const work = await finishWork(path, { parts: [[span(1, 3)]] });
    await writeFile(path('finished'), await textOf(finish(work, context())));
    const checker = new ResultChecker();
    expect(await checker.checkResult(path('finished'), 'FINISH')).to.have.nested.property(
      'summary.tracks',
      1,
    );
    await checker.close();
  });

  it('stops when the job is cancelled, and leaves no file behind', async () => {
    const tmp = process.env['TMPDIR'];
    process.env['TMPDIR'] = path('tmp');
    await mkdir(path('tmp'));
    const abort = new AbortController();
    const work = await finishWork(path, {
      parts: [[span(0, 9), span(1, 9)]],
      properties: { MERGE_TRACKS: 'TRUE' },
    });
    const stopped = textOf(
      finish(work, context({ signal: abort.signal, progress: () => abort.abort(new Error('cancelled')) })),
    );
    expect(await stopped.catch(String)).to.match(/cancelled|abort/i);
    if (tmp === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = tmp;
    expect(await readdir(path('tmp'))).to.deep.equal([]);
  });

  it('shows its progress by every track', async () => {
    const seen: number[] = [];
    const work = await finishWork(path, { parts: [[span(0, 9), span(20, 29)]] });
    await textOf(finish(work, context({ progress: (done) => void seen.push(done) })));
    expect(seen)
      .to.deep.equal(seen.toSorted((a, b) => a - b))
      .and.have.length.above(1);
  });

  finishesInLittleMemory({ merge: 'TRUE', parts: 2_000, tracks: 200, memoryMb: 16 });

  it('shows the same tracks when they are written into the document, with merged errors', async () => {
    const { text, tracks, summary } = await finishGiven({ parts: [[span(0, 9), span(20, 29)]] });
    await writeFile(path('tracks'), text);
    const failure = {
      startTime: 0,
      stopTime: 0,
      algorithm: 'FACE',
      code: 'DEAD_LETTER',
      message: 'gone',
    } as const;
    const medium = mediumWith(
      [outputOf({ action: 'THE ACTION', algorithm: 'FACE', tracks: path('tracks'), types: summary.types })],
      {
        errors: [{ source: 'FACE', code: 'OTHER', message: 'before' }],
        detectionErrors: {
          'THE ACTION': [
            { ...failure, range: { start: 0, stop: 9 } },
            { ...failure, range: { start: 10, stop: 19 } },
          ],
        },
      },
    );
    const input = [head(), medium].map((part) => `${JSON.stringify(part)}\n`);
    const body = document({ input: '/in' }, context({ input: () => Promise.resolve(Readable.from(input)) }));
    const written = JSON.parse(await textOf(body)) as {
      errors: unknown;
      media: {
        output: Record<string, { tracks: unknown }[]>;
        detectionProcessingErrors: Record<string, unknown[]>;
      }[];
    };
    expect(written.media[0]?.output['FACE']?.[0]?.tracks).to.deep.equal(tracks);
    expect(written.media[0]?.detectionProcessingErrors['THE ACTION']).to.have.length(2);
    expect(written.errors).to.deep.equal([
      {
        mediaId: 8,
        details: [
          { source: 'FACE', code: 'OTHER', message: 'before' },
          { source: 'FACE', code: 'DEAD_LETTER', message: 'gone (Frames: 0 - 19)' },
        ],
      },
    ]);
  });
});
