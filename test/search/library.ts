/** What every index behind the library must do: media with what was found in them. */
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

export function libraryContract({ index, put }: LibraryTools): void {
  const list = async (query: Partial<MediaQuery> = {}) => (await index().media({ ...ASKED, ...query })).media;
  const names = async (query: Partial<MediaQuery> = {}) =>
    (await list(query)).map(({ mediaUri }) => mediaUri.replace('file:///media/', ''));

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

  it('counts media by type, class and kind, and forgets those of a job that is removed', async () => {
    await put(
      { number: 1, media: [[{ class: 'car' }, { class: 'car' }], [{ class: 'car' }]] },
      { number: 2, mimeType: 'image/png', media: [[{ type: 'FACE' }]] },
    );
    const before = await index().countMedia('ALL');
    expect(before).to.deep.equal({
      total: 3,
      mediaTypes: { IMAGE: 1, VIDEO: 2 },
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
