/** Tests of search conditions other than words, and of counts, for every search index. */
import { expect } from 'chai';
import { searchTerms } from '../../domain/text/words.ts';
import type { SearchConditions, SearchIndex, SearchQuery } from '../../store/search.ts';
import { askedOf, type GivenDocument } from './documents.ts';

export interface ConditionTools {
  readonly index: () => SearchIndex;
  readonly put: (...documents: readonly GivenDocument[]) => Promise<unknown>;
}

export function conditionsContract({ index, put }: ConditionTools): void {
  const hits = async (more: Partial<SearchConditions> = {}) =>
    (await index().find({ ...askedOf({}), ...more })).hits;
  const ids = async (more?: Partial<SearchConditions>) => (await hits(more)).map(({ trackId }) => trackId);
  const anything = (text: string) => ({ anything: searchTerms(text) });
  const coloured = (id: string, hex: string, more = {}) => ({
    ...{ id, properties: { DOMINANT_COLOR: hex }, ...more },
  });

  it('finds tracks by their colour, in a family of colours', async () => {
    await put({
      number: 1,
      tracks: [coloured('crimson', '#dc143c'), coloured('navy', '#000080'), { id: 'none' }],
    });
    expect(await ids({ colour: 'red' })).to.deep.equal(['crimson']);
    expect(await ids({ colour: 'blue' })).to.deep.equal(['navy']);
    expect(await ids({ colour: 'green' })).to.deep.equal([]);
    expect((await hits({ colour: 'red' }))[0]?.colour).to.equal('red');
  });

  it('finds anything: a text, a class, a type or a colour, each word by one of them', async () => {
    await put({
      number: 1,
      tracks: [
        coloured('red car', '#ff0000', { class: 'car', type: 'CLASS' }),
        coloured('blue car', '#0000ff', { class: 'car', type: 'CLASS' }),
        { id: 'sign', text: 'red cross' },
        { id: 'face', type: 'FACE' },
      ],
    });
    expect(await ids(anything('red'))).to.have.members(['red car', 'sign']);
    expect(await ids(anything('red car'))).to.deep.equal(['red car']);
    expect(await ids(anything('CAR'))).to.have.members(['red car', 'blue car']);
    expect(await ids(anything('face'))).to.deep.equal(['face']);
    expect(await ids(anything('cross gray'))).to.deep.equal([]);
  });

  it('finds one of several words, phrases and beginnings with OR between them', async () => {
    await put({
      number: 1,
      tracks: [
        { id: 'fire', text: 'A fire alarm' },
        { id: 'smoke', text: 'smoke alarms' },
        { id: 'quiet', text: 'no alarm today' },
        coloured('bus', '#ff0000', { class: 'bus', type: 'CLASS' }),
      ],
    });
    const terms = (text: string) => ({ terms: searchTerms(text) });
    expect(await ids(terms('fire OR smoke'))).to.have.members(['fire', 'smoke']);
    expect(await ids(terms('fire OR "no alarm" OR smo*'))).to.have.members(['fire', 'smoke', 'quiet']);
    expect(await ids(terms('fire OR smoke alarm'))).to.deep.equal(['fire']);
    expect(await ids(anything('fire OR bus'))).to.have.members(['fire', 'bus']);
    expect(await ids(anything('fire OR bus red'))).to.deep.equal(['bus']);
    const [hit] = await hits(terms('nothing OR alarms'));
    expect(hit?.snippet.marks).to.deep.equal([{ start: 6, end: 12 }]);
  });

  /** Results of all pages. */
  const pages = async (more: Partial<SearchConditions>, by: 'next' | 'place' = 'next') => {
    const found: string[] = [];
    for (let cursor: SearchQuery['cursor'] | null; cursor !== null;) {
      const page = await index().find({ ...askedOf({}), ...more, limit: 2, cursor });
      found.push(...page.hits.map(({ trackId }) => trackId));
      cursor = page[by];
    }
    return found;
  };

  for (const by of ['next', 'place'] as const)
    it(`lists the oldest hits first, page by page by the ${by} of each`, async () => {
      const tracks = (n: number) =>
        Array.from({ length: 3 }, (_, at) => ({ id: `${n}/${at}`, text: 'stop' }));
      await put(...[1, 2, 3].map((number) => ({ number, tracks: tracks(number) })));
      for (const more of [{}, { job: 2 }, { from: 1_500 }, { to: 2_500 }, { terms: searchTerms('stop') }]) {
        const oldest = await pages({ ...more, sort: 'oldest' }, by);
        expect(oldest).to.deep.equal((await pages({ ...more, sort: 'newest' }, by)).toReversed());
        expect(oldest.length).to.be.greaterThan(2);
      }
      await index().remove(2, 1);
      expect(await pages({ sort: 'oldest' }, by)).to.deep.equal(['1/0', '1/1', '1/2', '3/0', '3/1', '3/2']);
    });

  for (const by of ['next', 'place'] as const)
    it(`lists the best hits first, page by page by the ${by} of each`, async () => {
      const text = (id: string, words: string) => ({ id, text: words });
      const other = Array.from({ length: 20 }, (_, n) => text(`other ${n}`, 'something else entirely'));
      await put(
        { number: 1, tracks: [text('exact', 'fire alarm'), ...other] },
        { number: 2, tracks: [text('long', `a fire ${'and more words '.repeat(20)}`)] },
        {
          number: 3,
          tracks: [text('one', 'fire in the house'), { id: 'class', class: 'fire', type: 'CLASS' }],
        },
      );
      const ranked = { ...anything('fire OR alarm'), sort: 'best' } as const;
      expect(await pages(ranked, by)).to.deep.equal(['exact', 'one', 'long', 'class']);
      expect(await pages({ ...ranked, job: 2 }, by)).to.deep.equal(['long']);
      await index().remove(3, 1);
      expect(await pages(ranked, by)).to.deep.equal(['exact', 'long']);
      expect((await pages({ sort: 'best' }, by))[0]).to.equal('long');
    });

  it('finds tracks by their confidence and by a part of the name of their medium', async () => {
    await put({ number: 1, media: [[{ id: 'first' }], [{ id: 'second' }]] });
    expect(await ids({ minConfidence: 0.75 })).to.have.length(2);
    expect(await ids({ minConfidence: 0.76 })).to.deep.equal([]);
    expect(await ids({ medium: '1-1.MP4' })).to.deep.equal(['second']);
    expect(await ids({ medium: '%' })).to.deep.equal([]);
  });

  it('gives a track once that several jobs found, and that of the last job', async () => {
    const tracks = [{ id: 'one' }, { id: 'two', class: 'car' }];
    await put({ number: 1, tracks }, { number: 2, tracks: [...tracks, { id: 'three' }] });
    const found = (await hits({ distinct: true })).map(({ number, trackId }) => [number, trackId]);
    expect(found).to.have.deep.members([
      [2, 'one'],
      [2, 'two'],
      [2, 'three'],
    ]);
    expect(await ids()).to.have.length(5);
    await index().remove(2, 1);
    expect(await ids({ distinct: true })).to.have.members(['one', 'two']);
    const before = await hits({ distinct: true, to: 1_500 });
    expect(before.map(({ number }) => number)).to.deep.equal([1, 1]);
  });

  it('hides no track because somebody else’s job found it again', async () => {
    const tracks = [{ id: 'one' }];
    await put({ number: 1, tracks, owner: { user: 'ann' } }, { number: 2, tracks, owner: { user: 'bob' } });
    const seen = await hits({ distinct: true, sight: { user: 'ann' } });
    expect(seen.map(({ number }) => number)).to.deep.equal([1]);
  });

  it('tells where the exemplar is, as a viewer shows it', async () => {
    await put({ number: 1, tracks: [{ id: 'one', at: 7 }] });
    const [hit] = await hits();
    expect(hit?.frame).to.equal(7);
    expect(hit?.box).to.include.keys('x', 'y', 'width', 'height');
  });

  it('counts classes, colours and media of the tracks that are meant', async () => {
    await put({
      number: 1,
      media: [
        [coloured('a', '#ff0000', { class: 'car' }), coloured('b', '#00ff00', { class: 'car' })],
        [{ class: 'bus' }],
      ],
    });
    const conditions = { ...askedOf({}), since: [] };
    expect(await index().count(conditions)).to.deep.equal({
      ...{ tracks: 3, isPart: false },
      findings: [
        { type: 'TEXT', class: 'car', tracks: 2 },
        { type: 'TEXT', class: 'bus', tracks: 1 },
      ],
      colours: [
        { colour: 'green', tracks: 1 },
        { colour: 'red', tracks: 1 },
      ],
      media: [
        { mediaUri: 'file:///media/1-0.mp4', tracks: 2 },
        { mediaUri: 'file:///media/1-1.mp4', tracks: 1 },
      ],
      confidences: [
        { minConfidence: 0.5, tracks: 3 },
        { minConfidence: 0.75, tracks: 3 },
        { minConfidence: 0.9, tracks: 0 },
      ],
      since: [],
    });
    expect((await index().count({ ...conditions, colour: 'red' })).tracks).to.equal(1);
  });

  it('counts the tracks since several times as a search with each of them finds', async () => {
    await put({ number: 1, tracks: [{}] }, { number: 2, tracks: [{}, {}] }, { number: 3, tracks: [{}] });
    const since = [0, 2_000, 2_001, 5_000];
    const counted = (await index().count({ ...askedOf({}), since })).since;
    expect(counted.map(({ tracks }) => tracks)).to.deep.equal([4, 3, 1, 0]);
    for (const { from, tracks } of counted) expect(await hits({ from })).to.have.length(tracks);
  });
}
