/** Tests of the media library for every search index: media with their results. */
import { expect } from 'chai';
import type { MediaQuery, SearchIndex } from '../../store/search.ts';
import type { GivenDocument } from './documents.ts';

export interface LibraryTools {
  readonly index: () => SearchIndex;
  readonly put: (...documents: readonly GivenDocument[]) => Promise<unknown>;
}

const ASKED: MediaQuery = {
  ...{ class: undefined, type: undefined, mediaType: undefined, name: undefined },
  ...{ from: undefined, to: undefined, sight: 'ALL', limit: 50, cursor: undefined },
};

const nameOf = (uri: string): string => uri.replace('file:///media/', '');

export function libraryContract({ index, put }: LibraryTools): void {
  const list = async (query: Partial<MediaQuery> = {}) => (await index().media({ ...ASKED, ...query })).media;
  const names = async (query: Partial<MediaQuery> = {}) =>
    (await list(query)).map(({ mediaUri }) => nameOf(mediaUri));

  it('lists all media of ended jobs, the newest job first, with what was found', async () => {
    await put(
      { number: 1, media: [[{ class: 'car' }, { class: 'car' }, { class: 'bus' }], []] },
      { number: 2, mimeType: 'image/png', media: [[{ type: 'FACE' }]] },
    );
    const media = await list();
    expect(media.map(({ mediaUri, mediaType, findings }) => [mediaUri, mediaType, findings])).to.deep.equal([
      ['file:///media/2-0.mp4', 'IMAGE', [{ type: 'FACE', class: null, tracks: 1 }]],
      [
        'file:///media/1-0.mp4',
        'VIDEO',
        [
          { type: 'TEXT', class: 'car', tracks: 2 },
          { type: 'TEXT', class: 'bus', tracks: 1 },
        ],
      ],
      ['file:///media/1-1.mp4', 'VIDEO', []],
    ]);
  });

  it('chooses a frame that shows most findings, with their boxes', async () => {
    await put({ number: 1, media: [[{ at: 3 }, { at: 7, class: 'car' }, { at: 7, class: 'bus' }]] });
    const [medium] = await list();
    expect(medium?.frame).to.equal(7);
    expect(medium?.boxes.map(({ class: name }) => name)).to.deep.equal(['car', 'bus']);
  });

  it('names no frame of a medium that could not be decoded', async () => {
    await put({ number: 1, media: [[]] });
    expect((await list())[0]?.frame).to.equal(null);
  });

  it('narrows the list to a type, a class, a kind of medium and a name', async () => {
    await put(
      { number: 1, media: [[{ class: 'Car' }], [{ class: 'bus' }]] },
      { number: 2, mimeType: 'image/png', media: [[{ type: 'FACE' }]] },
    );
    expect(await names({ class: 'car' })).to.deep.equal(['1-0.mp4']);
    expect(await names({ type: 'face' })).to.deep.equal(['2-0.mp4']);
    expect(await names({ mediaType: 'IMAGE' })).to.deep.equal(['2-0.mp4']);
    expect(await names({ name: '1-1' })).to.deep.equal(['1-1.mp4']);
    expect(await names({ name: '%' })).to.deep.equal([]);
    expect(await names({ from: 1_500 })).to.deep.equal(['2-0.mp4']);
  });

  it('lists only the first medium of some jobs', async () => {
    await put(...[1, 2, 3].map((number) => ({ number, media: [[{ class: 'car' }], []] })));
    expect(await names({ firstOf: [3, 1, 7] })).to.deep.equal(['3-0.mp4', '1-0.mp4']);
    expect(await names({ firstOf: [] })).to.deep.equal([]);
  });

  it('gives each medium once, page by page', async () => {
    await put(...[1, 2, 3].map((number) => ({ number, endedAt: 1_000, media: [[], [], []] })));
    const found: string[] = [];
    for (let cursor: MediaQuery['cursor']; ;) {
      const { media, next } = await index().media({ ...ASKED, limit: 2, cursor });
      found.push(...media.map(({ mediaUri }) => mediaUri));
      if (next === null) break;
      cursor = next;
    }
    expect(found).to.have.length(9);
    expect(new Set(found).size).to.equal(9);
  });

  const pages = async (query: Partial<MediaQuery>) => {
    const found: string[] = [];
    for (let cursor: MediaQuery['cursor']; ;) {
      const { media, next } = await index().media({ ...ASKED, ...query, limit: 2, cursor });
      found.push(
        ...media.map(({ mediaUri, label }) => nameOf(mediaUri) + (label === null ? '' : `@${label}`)),
      );
      if (next === null) return found;
      cursor = next;
    }
  };

  it('sorts media by name in any case, and by length', async () => {
    await put(
      { number: 1, names: ['b.mp4', 'C.mp4'], durations: [500, 9_000], media: [[], []] },
      { number: 2, names: ['a%20x.mp4', 'B.mp4'], durations: [9_000, 10], media: [[], []] },
      { number: 3, names: ['z.png'], mimeType: 'image/png' },
    );
    expect(await pages({ sort: 'name' })).to.deep.equal(['a%20x.mp4', 'B.mp4', 'b.mp4', 'C.mp4', 'z.png']);
    expect(await pages({ sort: 'length' })).to.deep.equal(['a%20x.mp4', 'C.mp4', 'b.mp4', 'B.mp4', 'z.png']);
  });

  it('keeps media of a job, of a local day and of a label together, and sorts within them', async () => {
    const HOUR = 3_600_000;
    await put(
      { number: 1, endedAt: 1 * HOUR, labels: ['b'], names: ['5.mp4', '2.mp4'], media: [[], []] },
      { number: 2, endedAt: 23 * HOUR, labels: ['a', 'b'], names: ['4.mp4', '3.mp4'], media: [[], []] },
      { number: 3, endedAt: 25 * HOUR, names: ['1.mp4', '6.mp4'], media: [[], []] },
    );
    const byJob = ['1.mp4', '6.mp4', '3.mp4', '4.mp4', '2.mp4', '5.mp4'];
    expect(await pages({ sort: 'name', group: 'job' })).to.deep.equal(byJob);
    const byDay = ['1.mp4', '6.mp4', '2.mp4', '3.mp4', '4.mp4', '5.mp4'];
    expect(await pages({ sort: 'name', group: 'day' })).to.deep.equal(byDay);
    const twoHoursAhead = ['1.mp4', '3.mp4', '4.mp4', '6.mp4', '2.mp4', '5.mp4'];
    expect(await pages({ sort: 'name', group: 'day', utcOffset: 120 })).to.deep.equal(twoHoursAhead);
    const byLabel = ['3.mp4@a', '4.mp4@a', '2.mp4@b', '3.mp4@b', '4.mp4@b', '5.mp4@b', '1.mp4', '6.mp4'];
    expect(await pages({ sort: 'name', group: 'label' })).to.deep.equal(byLabel);
    const newest = ['4.mp4@a', '3.mp4@a', '4.mp4@b', '3.mp4@b', '5.mp4@b', '2.mp4@b', '1.mp4', '6.mp4'];
    expect(await pages({ group: 'label' })).to.deep.equal(newest);
    expect(await pages({ group: 'day' })).to.deep.equal(await pages({}));
  });

  it('changes labels of a job that it has, counts their media and lists them', async () => {
    await put({ number: 1, labels: ['old'], media: [[], []] }, { number: 2, labels: ['case'] });
    await put({ number: 1, labels: ['case', 'new'], media: [[], []] });
    expect((await index().countMedia('ALL')).labels).to.deep.equal([
      { label: 'case', media: 3 },
      { label: 'new', media: 2 },
    ]);
    expect(await pages({ label: 'new' })).to.deep.equal(['1-0.mp4', '1-1.mp4']);
    expect(await pages({ label: 'old' })).to.deep.equal([]);
  });

  it('counts media by type, class and kind, and forgets those of a job that is removed', async () => {
    await put(
      { number: 1, media: [[{ class: 'car' }, { class: 'car' }], [{ class: 'car' }]] },
      { number: 2, mimeType: 'image/png', media: [[{ type: 'FACE' }]] },
    );
    const before = await index().countMedia('ALL');
    expect(before).to.deep.equal({
      total: 3,
      mediaTypes: { IMAGE: 1, VIDEO: 2 },
      labels: [],
      findings: [
        { type: 'text', class: 'car', media: 2 },
        { type: 'face', class: null, media: 1 },
      ],
    });
    await index().remove(1, 1);
    expect((await index().countMedia('ALL')).total).to.equal(1);
    expect(await names()).to.deep.equal(['2-0.mp4']);
  });

  it('counts what was found in a picture of a document for the document', async () => {
    const picture = { type: 'MEDIA', properties: { PAGE_NUM: '5', DERIVATIVE_MEDIA_ID: '101' } };
    await put({
      number: 1,
      mimeType: 'application/pdf',
      media: [[picture], [{ class: 'car' }]],
      parents: [-1, 100],
    });
    const media = await list();
    expect(media.map(({ mediaId }) => mediaId)).to.deep.equal([100]);
    expect(media[0]!.findings.map(({ type, class: name }) => [type, name])).to.deep.include(['TEXT', 'car']);
  });
}
