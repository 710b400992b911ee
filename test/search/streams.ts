/** Tests of segments of live streams for every search index. */
import { expect } from 'chai';
import type { SearchedJob, SearchIndex, SimilarQuery } from '../../store/search.ts';
import { askedOf, type Asked, type GivenDocument } from './documents.ts';
import { MODEL, trackLike } from './vectors.ts';

export interface StreamsContract {
  index(): SearchIndex;
  document(given: GivenDocument): SearchedJob;
}

const CREATED = 1_000_000;
const ALL_RUNS = Number.MAX_SAFE_INTEGER;

export function streamsContract({ index, document }: StreamsContract): void {
  const numbers = new Set<number>();
  afterEach(async () => {
    for (const number of numbers) await index().remove(number, ALL_RUNS);
    numbers.clear();
  });

  /** A segment of ten seconds. Times of tracks are frames of 40 ms since the creation of the job. */
  const segment = (number: number, segmentId: number, given: Partial<GivenDocument>): SearchedJob => {
    numbers.add(number);
    const endedAt = CREATED + (segmentId + 1) * 10_000;
    const run = segmentId + 1;
    const stream = { uri: `rtsp://camera-${number}.example/live`, createdAt: CREATED };
    return { ...document({ number, run, endedAt, ...given }), jobId: String(number), stream };
  };
  const ids = async (query: Asked) =>
    (await index().find(askedOf(query))).hits.map(({ trackId }) => trackId).toSorted();

  it('finds tracks of all segments, with their stream, beside those of jobs', async () => {
    await index().put([
      segment(8, 0, { tracks: [{ id: 'a', class: 'car' }] }),
      document({ number: 9, tracks: [{ id: 'b', class: 'car' }] }),
      segment(8, 1, { tracks: [{ id: 'c', class: 'car', at: 300 }] }),
    ]);
    expect(await ids({ class: 'car' })).to.deep.equal(['a', 'b', 'c']);
    expect(await ids({ camera: 'CAMERA-8' })).to.deep.equal(['a', 'c']);
    expect(await ids({ camera: '8' })).to.deep.equal(['a', 'c']);
    expect(await ids({ camera: '%' })).to.deep.equal([]);
    const { hits } = await index().find(askedOf({ class: 'car' }));
    expect(hits.map(({ stream }) => stream?.uri ?? null)).to.have.members([
      ...['rtsp://camera-8.example/live', 'rtsp://camera-8.example/live', null],
    ]);
  });

  it('takes a segment that comes again once', async () => {
    const once = segment(8, 0, { tracks: [{ id: 'a' }] });
    await index().put([once, once]);
    await index().put([once]);
    expect(await ids({})).to.deep.equal(['a']);
  });

  it('finds a track of several segments once, from where it began', async () => {
    await index().put([segment(8, 0, { tracks: [{ id: 'a', at: 200 }, { id: 'b' }] })]);
    await index().put([segment(8, 1, { tracks: [{ id: 'a', at: 250, text: 'later' }] })]);
    await index().put([segment(7, 0, { tracks: [{ id: 'a' }] })]);
    const { hits } = await index().find(askedOf({ camera: 'camera-8' }));
    expect(hits.map(({ trackId, startFrame, stopFrame }) => [trackId, startFrame, stopFrame])).to.deep.equal([
      ['a', 200, 252],
      ['b', 0, 2],
    ]);
    expect(await ids({ text: 'later' })).to.deep.equal(['a']);
    expect(await ids({ camera: 'camera-7' }), 'another stream').to.deep.equal(['a']);
  });

  it('compares times with those of the track', async () => {
    await index().put([
      segment(8, 0, {
        tracks: [
          { id: 'a', at: 0 },
          { id: 'b', at: 100 },
        ],
      }),
    ]);
    const seen = (from: number, to: number) => ids({ from: CREATED + from, to: CREATED + to });
    expect(await seen(0, 4_000)).to.deep.equal(['a']);
    expect(await seen(4_050, 5_000)).to.deep.equal(['b']);
    expect(await seen(80, 4_001)).to.deep.equal(['a', 'b']);
    expect(await seen(5_000, 9_000)).to.deep.equal([]);
  });

  it('finds similar tracks of cameras and media, by camera and by the clock', async () => {
    const like = (id: string, east: number, at = 0) => trackLike(id, [east, 1, 0], { at });
    await index().put([
      segment(8, 0, { tracks: [like('a', 9), like('b', 2, 100)] }),
      document({ number: 9, tracks: [like('file', 8)] }),
      segment(7, 0, { tracks: [like('c', 7)] }),
    ]);
    // The vector of the last part of a track counts.
    await index().put([segment(8, 1, { tracks: [like('a', 0, 300)] })]);
    const { cursor: _, ...query } = askedOf({});
    const near = async (more: Partial<SimilarQuery> = {}) => {
      const found = await index().similar({ ...query, ...more, like: { vector: [1, 0, 0], model: MODEL } });
      if (!('hits' in found)) throw new Error(JSON.stringify(found));
      return found.hits.map(({ trackId }) => trackId);
    };
    expect(await near()).to.deep.equal(['file', 'c', 'b', 'a']);
    expect(await near({ camera: 'camera-8' })).to.deep.equal(['b', 'a']);
    expect(await near({ camera: '7' })).to.deep.equal(['c']);
    expect(await near({ from: CREATED + 4_000, to: CREATED + 5_000 })).to.deep.equal(['b', 'a']);
    expect(await near({ from: CREATED + 5_000, to: CREATED + 6_000 })).to.deep.equal(['a']);
    expect(await near({ from: CREATED + 13_000, to: CREATED + 14_000 })).to.deep.equal([]);
    const own = await index().similar({ ...query, like: { job: 8, mediaId: 800, trackId: 'b' } });
    if (!('hits' in own)) throw new Error(JSON.stringify(own));
    expect([own.like?.stream?.uri, own.hits.map(({ trackId }) => trackId)]).to.deep.equal([
      'rtsp://camera-8.example/live',
      ['c', 'file', 'a'],
    ]);
  });

  it('lists streams apart from jobs, and keeps them out of the library', async () => {
    await index().put([segment(8, 0, { tracks: [{}] }), segment(8, 4, { tracks: [{}] })]);
    expect(await index().jobs(0, 10)).to.deep.equal([]);
    expect(await index().streams()).to.deep.equal([{ number: 8, lastSegment: 4 }]);
    expect(await index().countMedia('ALL')).to.deep.equal({
      total: 0,
      mediaTypes: {},
      findings: [],
      labels: [],
    });
  });

  it('forgets what is too old, and all of a stream that is removed', async () => {
    await index().put([
      segment(7, 0, { tracks: [{ id: 'a' }] }),
      segment(8, 0, { tracks: [{ id: 'b' }] }),
      segment(8, 1, { tracks: [{ id: 'c' }] }),
    ]);
    await index().expire(CREATED + 15_000);
    expect(await ids({})).to.deep.equal(['c']);
    await index().remove(8, ALL_RUNS);
    expect(await ids({})).to.deep.equal([]);
  });

  it('are seen by their owner alone', async () => {
    const owner = { user: 'anna', group: 'red' };
    await index().put([segment(8, 0, { owner, tracks: [{ id: 'a' }] })]);
    expect(await ids({ sight: { user: 'bob' } })).to.deep.equal([]);
    expect(await ids({ sight: { user: 'anna' } })).to.deep.equal(['a']);
  });
}
