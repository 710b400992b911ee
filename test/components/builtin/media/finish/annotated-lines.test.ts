import { mkdtempSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { feed } from '../../../../../components/builtin/media/finish/feed.ts';
import { finish } from '../../../../../components/builtin/media/finish/finish.ts';
import type { FeedWork } from '../../../../../protocol/detection-work.ts';
import type { FinishWork, TrackSource } from '../../../../../protocol/track-work.ts';
import { checkAnswers } from '../../../../../results/check/check-file.ts';
import { readFeedPiece } from '../../../../../results/feed-index.ts';
import type { Properties, ReportedTrack } from '../../../../../domain/types.ts';
import { context, detection, finishAll, finishWork, textOf, track } from '../media-parts.ts';

describe('Finishing what an annotator answered', () => {
  let folder: string;
  const path = (name: string) => join(folder, name);

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'troupe-annotated-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const BOX = [10, 10, 20, 20];
  const trackNamed = (NAME: string, frame: number, more: Partial<ReportedTrack> = {}) =>
    track([detection(frame, BOX), detection(frame + 2, BOX)], { properties: { NAME }, ...more });

  /** The results of a task as a file of lines. */
  async function foundBy(task: number, tracks: readonly ReportedTrack[]): Promise<TrackSource> {
    await writeFile(
      path(`task-${task}`),
      await textOf(finish(await finishWork(path, { parts: [tracks] }), context())),
    );
    return { task, path: path(`task-${task}`), first: 0, count: tracks.length, consumedBy: [] };
  }

  /** An answer to a piece: the annotations of its tracks, by their number in the piece. */
  type Says = readonly {
    readonly fed: number;
    readonly properties: Properties;
    readonly frames?: readonly number[];
  }[];

  /**
   * Finishes the work of an annotator that was fed these sources. One answer per piece; null: the piece
   * failed.
   */
  async function annotateSources(
    sources: readonly TrackSource[],
    answers: readonly (Says | null)[],
    change: Partial<FinishWork> = {},
    properties: Properties = {},
  ): Promise<FinishWork> {
    const work = { ...(await finishWork(path, { parts: [] })), action: 'NOTES', task: 5, ...change };
    const feeding: FeedWork = { medium: work.medium, properties, sources, maxPieces: 100 };
    const text = await textOf(feed(feeding, context()));
    await writeFile(path('fed'), text);
    const { summary } = JSON.parse(text.trimEnd().split('\n').at(-1)!) as { summary: { indexAt: number } };
    const parts: FinishWork['parts'][number][] = [];
    for (const [n, says] of answers.entries()) {
      if (says === null) continue;
      const { offset, bytes, start, stop } = await readFeedPiece(path('fed'), summary.indexAt, n);
      const lines = says.map(({ fed, properties: found, frames = [start] }) =>
        track(
          frames.map((frame) => detection(frame, [0, 0, 1, 1], { properties: found })),
          { fed, properties: found, confidence: 0.5 },
        ),
      );
      await writeFile(path(`said-${n}`), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
      parts.push({
        path: path(`said-${n}`),
        range: { start, stop },
        fed: { path: path('fed'), offset, bytes },
      });
    }
    return { ...work, parts, annotated: sources };
  }

  const says = (NOTE: string, frames?: readonly number[]): Says => [
    { fed: 0, properties: { NOTE }, ...(frames === undefined ? {} : { frames }) },
  ];

  it('writes the tracks of each task anew, changed or not, in one section a task', async () => {
    const sources = [
      await foundBy(0, [trackNamed('a', 0), trackNamed('b', 10)]),
      await foundBy(1, [trackNamed('c', 5, { type: 'CAT' })]),
    ];
    const { tracks, summary } = await finishAll(
      await annotateSources(sources, [says('of a'), null, says('of c')]),
    );
    expect(tracks.map(({ trackProperties }) => trackProperties)).to.deep.equal([
      { NAME: 'a', NOTE: 'of a' },
      { NAME: 'b' },
      { NAME: 'c', NOTE: 'of c' },
    ]);
    expect(summary.sections).to.deep.equal([
      { task: 0, count: 2, types: { FACE: 2 } },
      { task: 1, count: 1, types: { CAT: 1 } },
    ]);
    expect(summary).to.deep.include({ tracks: 3, detections: 6, types: { FACE: 2, CAT: 1 } });
    expect(summary.ranges).to.deep.equal([
      { start: 0, stop: 2 },
      { start: 5, stop: 7 },
      { start: 10, stop: 12 },
    ]);
  });

  it('keeps lines without an answer byte for byte, and says of which tasks there were none', async () => {
    const sources = [await foundBy(0, [trackNamed('a', 0)]), await foundBy(1, [trackNamed('b', 10)])];
    const before = await readFile(path('task-0'), 'utf8');
    const { text, summary } = await finishAll(await annotateSources(sources, [null, says('of b')]));
    expect(text.split('\n')[0]).to.equal(before.split('\n')[0]);
    expect(summary.sections?.map(({ task, untouched }) => [task, untouched])).to.deep.equal([
      [0, true],
      [1, undefined],
    ]);
  });

  it('keeps id, index, source, frames, boxes and confidences of detections', async () => {
    const sources = [await foundBy(0, [trackNamed('a', 0)])];
    const [before] = (await finishAll(await finishWork(path, { parts: [[trackNamed('a', 0)]] }))).tracks;
    const { tracks } = await finishAll(await annotateSources(sources, [says('x', [0, 2])]));
    const noted = { NOTE: 'x' };
    expect(tracks).to.deep.equal([
      {
        ...before,
        trackProperties: { NAME: 'a', ...noted },
        exemplar: { ...before!.exemplar, detectionProperties: noted },
        detections: before!.detections.map((one) => ({ ...one, detectionProperties: noted })),
      },
    ]);
  });

  it('gives detections what was said in their frame', async () => {
    const sources = [await foundBy(0, [trackNamed('a', 0)])];
    const { tracks } = await finishAll(await annotateSources(sources, [says('only there', [2])]));
    expect(tracks[0]?.detections.map(({ detectionProperties }) => detectionProperties)).to.deep.equal([
      {},
      { NOTE: 'only there' },
    ]);
    expect(tracks[0]?.exemplar.detectionProperties, 'the exemplar is the first').to.deep.equal({});
  });

  it('lays several answers over each other, whichever pieces they come from', async () => {
    const sources = [await foundBy(0, [trackNamed('a', 0), trackNamed('b', 10)])];
    const together: Says = [
      { fed: 1, properties: { NOTE: 'b1' } },
      { fed: 0, properties: { NOTE: 'a' } },
      { fed: 1, properties: { MORE: 'b2' } },
    ];
    const all = await annotateSources(sources, [together], {}, { FEED_FORWARD_ALL_TRACKS: 'TRUE' });
    const { tracks } = await finishAll(all);
    expect(tracks.map(({ trackProperties }) => trackProperties)).to.deep.equal([
      { NAME: 'a', NOTE: 'a' },
      { NAME: 'b', NOTE: 'b1', MORE: 'b2' },
    ]);
  });

  it('can be annotated again', async () => {
    const sources = [await foundBy(0, [trackNamed('a', 0)]), await foundBy(1, [trackNamed('b', 10)])];
    await writeFile(
      path('noted'),
      await textOf(finish(await annotateSources(sources, [says('1'), says('2')]), context())),
    );
    const again = [{ task: 1, path: path('noted'), first: 1, count: 1, consumedBy: [] }];
    const { tracks, summary } = await finishAll(
      await annotateSources(again, [[{ fed: 0, properties: { THIRD: '3' } }]]),
    );
    expect(tracks.map(({ trackProperties }) => trackProperties)).to.deep.equal([
      { NAME: 'b', NOTE: '2', THIRD: '3' },
    ]);
    expect(summary.sections).to.deep.equal([{ task: 1, count: 1, types: { FACE: 1 } }]);
  });

  it('drops what is below the quality threshold, and never merges, pads or drops short tracks', async () => {
    const sources = [await foundBy(0, [trackNamed('a', 0), trackNamed('b', 10)])];
    const properties = {
      MERGE_TRACKS: 'TRUE',
      MIN_GAP_BETWEEN_TRACKS: '50',
      MIN_TRACK_LENGTH: '100',
      DETECTION_PADDING_X: '5',
    };
    const { tracks } = await finishAll(
      await annotateSources(sources, [says('a'), says('b')], { properties }),
    );
    expect(tracks.map(({ trackProperties }) => trackProperties['NOTE'])).to.deep.equal(['a', 'b']);
    expect(tracks[0]?.exemplar).to.include({ x: 10, width: 20 });
    const strict = { QUALITY_SELECTION_THRESHOLD: '0.6' };
    const none = await finishAll(
      await annotateSources(sources, [says('a'), says('b')], { properties: strict }),
    );
    expect(none.tracks.map(({ trackProperties }) => trackProperties['NOTE'])).to.deep.equal([
      undefined,
      undefined,
    ]);
  });

  it('knows types and tasks by any name', async () => {
    const sources = [await foundBy(0, [trackNamed('a', 0, { type: '__proto__' })])];
    const text = await textOf(finish(await annotateSources(sources, [says('x')]), context()));
    expect(text).to.contain('"types":{"__proto__":1}');
  });

  it('passes the check of results', async () => {
    const sources = [await foundBy(0, [trackNamed('a', 0)]), await foundBy(1, [trackNamed('b', 10)])];
    await writeFile(
      path('result'),
      await textOf(finish(await annotateSources(sources, [says('x'), null]), context())),
    );
    const answer = { kind: 'FINISH', expectations: {}, path: path('result') } as const;
    const [checked] = await checkAnswers({ answers: [answer] });
    expect(checked).to.deep.include({ ok: true, kind: 'FINISH' });
  });

  it('fills the output document of media selectors', async () => {
    await writeFile(path('document.json'), '{ "a": "hello",\n  "b": 1.0 }');
    const selector = {
      type: 'JSON_PATH',
      expression: '$.a',
      selectionProperties: {},
      resultDetectionProperty: 'NOTE',
    } as const;
    const base = await finishWork(path, { parts: [], mediaType: 'UNKNOWN', trackType: 'TEXT' });
    const medium = { ...base.medium, path: path('document.json') };
    const fed = await textOf(
      feed({ medium, properties: {}, sources: [], selectors: [selector], maxPieces: 9 }, context()),
    );
    await writeFile(path('selected'), fed);
    const length = fed.indexOf('\n') + 1;
    await writeFile(path('found'), `${JSON.stringify(track([detection(0, [])], { fed: 0 }))}\n`);
    const first: FinishWork = {
      ...base,
      medium,
      parts: [
        {
          path: path('found'),
          range: { start: 0, stop: -1 },
          fed: { path: path('selected'), offset: 0, bytes: length },
        },
      ],
    };
    await writeFile(path('task-0'), await textOf(finish(first, context())));
    const source = { task: 0, path: path('task-0'), first: 0, count: 1, consumedBy: [] };
    const second = await annotateSources([source], [says('HELLO')], {
      medium,
      selectorsOutput: { selectors: [selector], file: path('output/filled.json') },
    });
    const text = await textOf(finish(second, context()));
    const { summary } = JSON.parse(text.trimEnd().split('\n').at(-1)!) as {
      summary: { selectorsOutputUri: string };
    };
    expect(await readFile(fileURLToPath(summary.selectorsOutputUri), 'utf8')).to.equal(
      '{ "a": "HELLO",\n  "b": 1.0 }',
    );
  });
});
