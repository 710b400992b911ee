import { mkdtempSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { feed } from '../../../../../components/builtin/media/finish/feed.ts';
import type { FedTrack, FeedSummary, FeedWork } from '../../../../../protocol/detection-work.ts';
import type { TrackSource } from '../../../../../protocol/track-work.ts';
import { readFeedPiece, type FeedPiece } from '../../../../../results/feed-index.ts';
import type { MediaSelector } from '../../../../../domain/types.ts';
import { context, detection, finishWork, textOf, track } from '../media-parts.ts';
import { finish } from '../../../../../components/builtin/media/finish/finish.ts';

describe('Choosing what is fed', () => {
  let folder: string;
  const path = (name: string) => join(folder, name);

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'troupe-feed-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  /** The tracks of a task as FINISH writes them: one per name, each ten frames after the previous one. */
  async function foundBy(
    task: number,
    names: readonly string[],
    consumedBy: readonly string[] = [],
  ): Promise<TrackSource> {
    const tracks = names.map((NAME, n) =>
      track(
        [0, 1, 2].map((at) => detection(n * 10 + at, [n, 0, 10, 10], { confidence: at === 1 ? 0.9 : 0.1 })),
        { properties: { NAME } },
      ),
    );
    const text = await textOf(finish(await finishWork(path, { parts: [tracks] }), context()));
    await writeFile(path(`task-${task}`), text);
    return { task, path: path(`task-${task}`), first: 0, count: names.length, consumedBy };
  }

  const MEDIUM: FeedWork['medium'] = {
    mediaId: 1,
    mediaType: 'VIDEO',
    mimeType: 'video/mp4',
    path: '/m',
    length: 1000,
    metadata: {},
    fps: 25,
    inspected: true,
  };

  interface Fed {
    readonly tracks: readonly FedTrack[];
    readonly pieces: readonly FeedPiece[];
    /** The tracks of each piece, by their text. */
    readonly shared: readonly string[];
    readonly summary: FeedSummary;
  }

  /** Parses an answer like the service: piece by piece, from its file. */
  async function feedTracks(change: Partial<FeedWork>): Promise<Fed> {
    const work: FeedWork = { medium: MEDIUM, properties: {}, sources: [], maxPieces: 1000, ...change };
    const text = Buffer.from(await textOf(feed(work, context())));
    await writeFile(path('answer'), text);
    const last = text.toString().trimEnd().split('\n').at(-1)!;
    const { summary } = JSON.parse(last) as { summary: FeedSummary };
    const numbers = Array.from({ length: summary.pieces }, (_, n) => n);
    const pieces = await Promise.all(numbers.map((n) => readFeedPiece(path('answer'), summary.indexAt, n)));
    const linesOf = ({ offset, bytes }: FeedPiece) =>
      text
        .subarray(offset, offset + bytes)
        .toString()
        .trimEnd()
        .split('\n');
    const shared = pieces.map((piece) => linesOf(piece).map((line) => JSON.parse(line) as FedTrack));
    return {
      tracks: shared.flat(),
      pieces,
      shared: shared.map((one) => one.map(({ properties: { NAME, TEXT } }) => NAME ?? TEXT).join()),
      summary,
    };
  }

  it('answers a piece for each track, with its frames and where it comes from', async () => {
    const { tracks, pieces, shared } = await feedTracks({ sources: [await foundBy(3, ['a', 'b'])] });
    expect(shared).to.deep.equal(['a', 'b']);
    expect(pieces.map(({ start, stop, selector }) => [start, stop, selector])).to.deep.equal([
      [0, 2, -1],
      [10, 12, -1],
    ]);
    expect(tracks.map(({ task, line }) => [task, line])).to.deep.equal([
      [3, 0],
      [3, 1],
    ]);
    expect(tracks[1]).to.deep.include({
      startFrame: 10,
      stopFrame: 12,
      startTime: 400,
      type: 'FACE',
      confidence: 0.5,
    });
    expect(tracks[1]?.detections[0]).to.deep.equal({
      ...detection(10, [1, 0, 10, 10], { confidence: 0.1 }),
      time: 400,
    });
  });

  it('leaves out what was consumed, and what does not meet the trigger', async () => {
    const sources = [
      await foundBy(0, ['a', 'b', 'c', 'd'], ['NAME=a', 'NAME=c;x']),
      await foundBy(1, ['a', 'b']),
    ];
    expect((await feedTracks({ sources })).shared).to.deep.equal(['b', 'd', 'a', 'b']);
    const { tracks, shared } = await feedTracks({ sources, properties: { TRIGGER: 'NAME=d;a' } });
    expect(shared).to.deep.equal(['d', 'a']);
    expect(
      tracks.map(({ task, line }) => [task, line]),
      'lines are those of the source',
    ).to.deep.equal([
      [0, 3],
      [1, 0],
    ]);
  });

  it('reads no more than the lines of a source that belong to it', async () => {
    const source = { ...(await foundBy(0, ['a', 'b', 'c', 'd'])), first: 1, count: 2 };
    const { tracks, shared } = await feedTracks({ sources: [source] });
    expect(shared).to.deep.equal(['b', 'c']);
    expect(tracks.map(({ line }) => line)).to.deep.equal([0, 1]);
  });

  it('keeps the best detections of a video, and all of other media', async () => {
    const properties = { FEED_FORWARD_TOP_QUALITY_COUNT: '1' };
    const sources = [await foundBy(0, ['a'])];
    const framesOf = ({ tracks }: Fed) => tracks[0]?.detections.map(({ frame }) => frame);
    expect(framesOf(await feedTracks({ sources, properties }))).to.deep.equal([1]);
    const image = { ...MEDIUM, mediaType: 'IMAGE' } as const;
    expect(framesOf(await feedTracks({ sources, properties, medium: image }))).to.deep.equal([0, 1, 2]);
  });

  it('puts all tracks into one piece when they are wanted together', async () => {
    const sources = [await foundBy(0, ['a', 'b']), await foundBy(1, ['c', 'd', 'e'])];
    const { shared, pieces } = await feedTracks({ sources, properties: { FEED_FORWARD_ALL_TRACKS: 'TRUE' } });
    expect(shared).to.deep.equal(['a,b,c,d,e']);
    expect(pieces[0]).to.include({ start: 0, stop: 22 });
  });

  it('shares tracks out evenly over as many pieces as there may be', async () => {
    const names = Array.from({ length: 10 }, (_, n) => String(n));
    const { shared } = await feedTracks({ sources: [await foundBy(0, names)], maxPieces: 4 });
    expect(shared).to.deep.equal(['0,1,2', '3,4,5', '6,7,8', '9']);
  });

  it('answers nothing but a summary when there is nothing to feed', async () => {
    expect(await feedTracks({ sources: [await foundBy(0, ['a'], ['NAME=a'])] })).to.deep.include({
      summary: { tracks: 0, pieces: 0, indexAt: 0 },
    });
  });

  describe('by media selectors', () => {
    const selector = (expression: string): MediaSelector => ({
      type: 'JSON_PATH',
      expression,
      selectionProperties: {},
      resultDetectionProperty: 'X',
    });
    async function selectTracks(
      document: unknown,
      expressions: readonly string[],
      change: Partial<FeedWork> = {},
    ): Promise<Fed> {
      const isRaw = typeof document === 'string' || Buffer.isBuffer(document);
      await writeFile(path('document.json'), isRaw ? document : JSON.stringify(document));
      const medium = { ...MEDIUM, mediaType: 'UNKNOWN', path: path('document.json') } as const;
      return feedTracks({ medium, selectors: expressions.map(selector), ...change });
    }

    it('answers each string once a selector, in a piece of its own', async () => {
      const { tracks, shared, pieces } = await selectTracks({ a: ['x', 'y', 'x'], b: 'x' }, ['$.a', '$.b']);
      expect(shared).to.deep.equal(['x', 'y', 'x']);
      expect(pieces.map(({ selector: n, start, stop }) => [n, start, stop])).to.deep.equal([
        [0, 0, -1],
        [0, 0, -1],
        [1, 0, -1],
      ]);
      expect(tracks.map(({ task, line, selected: from }) => [task, line, from])).to.deep.equal([
        [-1, 0, { selector: 0, text: 'x' }],
        [-1, 1, { selector: 0, text: 'y' }],
        [-1, 2, { selector: 1, text: 'x' }],
      ]);
    });

    it('never puts strings of several selectors into one piece, however many there may be', async () => {
      const together = { properties: { FEED_FORWARD_ALL_TRACKS: 'TRUE' } };
      const both = ['$.a', '$.b'];
      const document = { a: ['1', '2', '3', '4', '5'], b: ['6', '7'] };
      expect((await selectTracks(document, both, together)).shared).to.deep.equal(['1,2,3,4,5', '6,7']);
      expect((await selectTracks(document, both, { maxPieces: 3 })).shared).to.deep.equal([
        '1,2,3',
        '4,5',
        '6,7',
      ]);
    });

    it('reads documents with a byte order mark', async () => {
      expect((await selectTracks('\uFEFF{"a":"x"}', ['$.a'])).shared).to.deep.equal(['x']);
    });

    const refusalOf = (work: Promise<unknown>) =>
      work.then(
        () => 'nothing',
        (error: unknown) => `${String((error as { code?: string }).code)} ${(error as Error).message}`,
      );

    it('says on one short, printable line why a document is no JSON', async () => {
      const start = 'OTHER The document has media selectors but is not JSON: ';
      for (const [document, reason] of [
        [Buffer.from('89504e470d0a1a0a0000000d', 'hex'), /\?PNG/],
        [Buffer.from('00010000000f0080', 'hex'), /Unexpected token/],
        [`["a",\r\n\u2028${'x'.repeat(5_000)}`, /Unexpected token/],
        [Buffer.from('\uFEFF["a"]', 'utf16le'), /^it seems to be UTF-16; save it as UTF-8\.$/],
        [Buffer.from('["a"]', 'utf16le'), /^it seems to be UTF-16; save it as UTF-8\.$/],
        [Buffer.from('["a"]', 'utf16le').swap16(), /^it seems to be UTF-16; save it as UTF-8\.$/],
      ] as const) {
        const message = await refusalOf(selectTracks(document, ['$.a']));
        expect(message.slice(0, start.length)).to.equal(start);
        expect(message.slice(start.length)).to.match(reason);
        expect(message).to.match(/^[\x20-\x7e]+\.$/);
        expect(message.length).to.be.lessThan(250);
      }
    });

    it('refuses what is no JSON, and a document in which nothing is selected unless that may be', async () => {
      expect(await refusalOf(selectTracks('{', ['$.a']))).to.match(/^OTHER .*not JSON/);
      expect(await refusalOf(selectTracks({ a: 1 }, ['$.a', '$.b']))).to.match(
        /^OTHER None of the media selectors/,
      );
      const { summary } = await selectTracks({ a: 1 }, ['$.a'], {
        properties: { MEDIA_SELECTORS_NO_MATCHES_IS_ERROR: 'FALSE' },
      });
      expect(summary).to.deep.equal({ tracks: 0, pieces: 0, indexAt: 0 });
    });
  });
});
