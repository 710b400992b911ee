/** Tests for every search index. `open` opens the index of a test, which may be opened several times. */
import { expect } from 'chai';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import type { SearchIndex } from '../../store/search.ts';
import { runs, seeded } from '../support/seed.ts';
import { temporaryFolder } from '../store/folder.ts';
import { askedOf, givenDocument, type Asked, type GivenDocument } from './documents.ts';
import { conditionsContract } from './conditions.ts';
import { streamsContract } from './streams.ts';
import { libraryContract } from './library.ts';
import { anyText } from '../support/any-text.ts';
import { similarContract } from './similar.ts';

export interface OpenOptions {
  readonly maxScanned?: number;
  readonly textCharacters?: number;
}

export function searchContract(
  name: string,
  open: (folder: string, options: OpenOptions) => SearchIndex,
): void {
  describe(`The search of ${name}`, () => {
    const path = temporaryFolder();
    let index: SearchIndex;
    let folder: string;
    let opened = 0;
    let documents = 0;
    before(() => {
      folder = path(`search-${opened++}`);
      index = open(folder, {});
    });
    after(() => index.close());
    const reopen = async (options: OpenOptions = {}) => {
      await index.close();
      index = open(folder, options);
    };
    // One index for all tests, because its threads start slowly.
    afterEach(async () => {
      for (const { number, run } of await index.jobs(0, 100)) await index.remove(number, run);
      expect((await index.find(askedOf({}))).hits).to.deep.equal([]);
    });

    const document = (given: GivenDocument) => givenDocument(path(`${documents++}.json`), given);
    const put = (...given: readonly GivenDocument[]) => index.put(given.map(document));
    const texts = async (query: Asked) =>
      (await index.find(askedOf(query))).hits.map(({ snippet }) => snippet.text);
    /** Results of all pages. */
    const all = async (query: Asked) => {
      const found: string[] = [];
      let pages = 0;
      for (let cursor = query.cursor, more = true; more; pages++) {
        const { hits, next } = await index.find(
          askedOf({ ...query, ...(cursor === undefined ? {} : { cursor }) }),
        );
        found.push(...hits.map(({ trackId }) => trackId));
        more = next !== null;
        cursor = next ?? undefined;
      }
      return { found, pages };
    };

    describe('as a library of media', () =>
      libraryContract({ index: () => index, put: (...given) => put(...given) }));

    describe('with conditions', () =>
      conditionsContract({ index: () => index, put: (...given) => put(...given) }));

    describe('for similar tracks', () =>
      similarContract({ index: () => index, put: (...given) => put(...given) }));

    describe('with live streams', () => streamsContract({ index: () => index, document }));

    it('tells the page, slide or sheet of a document on which a track was found', async () => {
      const on = (page: string) => [{ text: 'Stop here', properties: { PAGE_NUM: page } }];
      const of = (format: string) => `application/vnd.openxmlformats-officedocument.${format}`;
      await put(
        { number: 1, mimeType: 'application/pdf', tracks: on('12') },
        { number: 2, mimeType: of('presentationml.presentation'), tracks: on('3') },
        { number: 3, mimeType: of('spreadsheetml.sheet'), tracks: on('3; 7') },
        { number: 4, mimeType: 'text/plain', tracks: [{ text: 'Stop here' }] },
      );
      const { hits } = await index.find(askedOf({ text: 'stop' }));
      expect(hits.map(({ mediaType, page }) => [mediaType, page])).to.deep.equal([
        ['UNKNOWN', null],
        ['UNKNOWN', { kind: 'SHEET', number: '3; 7' }],
        ['UNKNOWN', { kind: 'SLIDE', number: '3' }],
        ['UNKNOWN', { kind: 'PAGE', number: '12' }],
      ]);
    });

    it('tells the page of a picture that was taken out of a document', async () => {
      const picture = { type: 'MEDIA', properties: { PAGE_NUM: '5', DERIVATIVE_MEDIA_ID: '101' } };
      await put({ number: 1, mimeType: 'application/pdf', media: [[picture], [{ text: 'Stop' }]] });
      const [hit] = (await index.find(askedOf({ text: 'stop' }))).hits;
      expect([hit?.mediaId, hit?.page]).to.deep.equal([101, { kind: 'PAGE', number: '5' }]);
    });

    it('tells of a track in which job, medium and time it was found, and by whom', async () => {
      const tracks = [{ type: 'TEXT', text: 'Stop here', class: 'sign', id: 'abc', at: 25 }];
      await put({ number: 7, run: 2, endedAt: 5_000, externalId: 'case 7', media: [[], tracks] });
      const { hits, next } = await index.find(askedOf({ text: 'stop' }));
      expect(next).to.equal(null);
      expect(hits).to.deep.equal([
        {
          ...{ number: 7, run: 2, jobId: 'host-7', externalId: 'case 7', jobEndedAt: 5_000 },
          ...{ mediaIndex: 1, mediaId: 701, mediaUri: 'file:///media/7-1.mp4', mediaType: 'VIDEO' },
          ...{ trackId: 'abc', page: null, stream: null },
          ...{
            task: 'TEXT TASK',
            action: 'TEXT ACTION',
            algorithm: 'TEXT ALGORITHM',
            type: 'TEXT',
            class: 'sign',
          },
          ...{ startFrame: 25, stopFrame: 27, startMs: 1_000, stopMs: 1_080, confidence: 0.75 },
          ...{ colour: null, vectorModel: null, frame: 25, box: { x: 1, y: -1, width: 4, height: 3 } },
          ...{ width: null, height: null },
          snippet: { text: 'Stop here', marks: [{ start: 0, end: 4 }] },
          score: 0.5,
        },
      ]);
    });

    it('answers the external id that a job has now, without reading its document again', async () => {
      await put({ number: 7, externalId: 'before', tracks: [{ text: 'Stop', id: 'first' }] });
      await put({ number: 7, externalId: 'after', tracks: [{ text: 'Stop', id: 'second' }] });
      const { hits } = await index.find(askedOf({ text: 'stop' }));
      expect(hits.map(({ externalId, trackId }) => [externalId, trackId])).to.deep.equal([
        ['after', 'first'],
      ]);
    });

    it('finds the tracks of one user and of a group alone, without looking at others', async () => {
      await reopen({ maxScanned: 5 });
      const owners = [
        { user: 'anna', group: 'red' },
        { user: 'bob', group: 'red' },
        { user: 'red' },
        undefined,
      ];
      await put(
        ...owners.map((owner, n) => ({
          number: n + 1,
          ...(owner === undefined ? {} : { owner }),
          tracks: Array.from({ length: 20 }, (_, at) => ({ id: `${n}-${at}`, text: 'Stop' })),
        })),
      );
      const jobsOf = async (query: Asked) =>
        [...new Set((await all({ ...query, limit: 3 })).found.map((id) => id.split('-')[0]))].join();
      expect(await jobsOf({})).to.equal('3,2,1,0');
      expect(await jobsOf({ sight: { user: 'anna' } })).to.equal('0');
      expect(await jobsOf({ sight: { user: 'anna', group: 'red' }, text: 'stop' })).to.equal('1,0');
      expect(await jobsOf({ sight: { user: 'anna', group: 'red' }, job: 3 })).to.equal('');
      expect(await jobsOf({ sight: { user: 'red' } })).to.equal('2');
      expect(await jobsOf({ sight: {} })).to.equal('');
      const { hits } = await index.find(askedOf({ sight: { user: 'anna' }, limit: 4 }));
      expect(hits.length, 'of a page that looks at 5 tracks').to.equal(4);
      await reopen();
    });

    it('finds words in any order and case, phrases, prefixes, and umlauts without their dots', async () => {
      await put({
        number: 1,
        tracks: [
          'Grüße aus Österreich',
          'Gruss an alle',
          'Straße gesperrt',
          'car stolen yesterday',
          'stolen car',
        ].map((text) => ({ text })),
      });
      expect(await texts({ text: 'CAR stolen' })).to.have.members(['car stolen yesterday', 'stolen car']);
      expect(await texts({ text: '"stolen car"' })).to.deep.equal(['stolen car']);
      expect(await texts({ text: 'oster*' })).to.deep.equal(['Grüße aus Österreich']);
      expect(await texts({ text: 'grusse' })).to.deep.equal(['Grüße aus Österreich']);
      expect(await texts({ text: 'STRASSE' })).to.deep.equal(['Straße gesperrt']);
      expect(await texts({ text: 'Gru\u0308ße' })).to.deep.equal(['Grüße aus Österreich']);
      expect(await texts({ text: 'oster' })).to.deep.equal([]);
      expect(await texts({ text: 'stolen gesperrt' })).to.deep.equal([]);
    });

    it('finds parts of Chinese, Japanese and Thai texts, which have no blanks', async () => {
      await put({
        number: 1,
        tracks: ['我爱北京天安门', '東京タワー', 'ห้ามจอดรถ'].map((text) => ({ text })),
      });
      expect(await texts({ text: '北京' })).to.deep.equal(['我爱北京天安门']);
      expect(await texts({ text: '京' })).to.have.members(['我爱北京天安门', '東京タワー']);
      expect(await texts({ text: '京北' })).to.deep.equal([]);
      expect(await texts({ text: 'タワー' })).to.deep.equal(['東京タワー']);
      expect(await texts({ text: 'จอด' })).to.deep.equal(['ห้ามจอดรถ']);
    });

    it('takes any text for words', async () => {
      await put({ number: 1, tracks: [{ text: 'a b AND or NOT near text x y' }] });
      for (const text of [
        'a OR zz',
        'NEAR(a b)',
        '"a',
        'a"b',
        '*',
        'text:a',
        '-a',
        '^a',
        'a AND NOT',
        '{a}',
        "a'b",
        '"" *',
      ])
        await index.find(askedOf({ text }));
      expect(await texts({ text: 'NOT near' })).to.have.length(1);
      expect(await texts({ text: 'a AND zz' })).to.deep.equal([]);
      expect(await texts({ text: 'a "OR" zz' })).to.deep.equal([]);
    });

    it(`takes any text at all ${seeded}`, async () => {
      await put({ number: 1, tracks: [{ text: 'x' }] });
      await fc.assert(
        fc.asyncProperty(anyText(40), async (text) => {
          await index.find(askedOf({ text }));
        }),
        runs(100),
      );
    });

    it('finds by class, type, job and the time of its end, alone and together with words', async () => {
      await put(
        {
          number: 1,
          endedAt: 1_000,
          tracks: [
            { class: 'car', type: 'OBJECT', id: '1a' },
            { text: 'red car', id: '1b' },
          ],
        },
        { number: 2, endedAt: 2_000, tracks: [{ class: 'Car; truck', type: 'OBJECT', id: '2a' }] },
        {
          number: 3,
          endedAt: 3_000,
          tracks: [
            { text: 'car', id: '3a' },
            { class: 'person', type: 'OBJECT', id: '3b' },
          ],
        },
      );
      const ids = async (query: Asked) => (await all(query)).found;
      expect(await ids({ class: 'CAR' })).to.deep.equal(['2a', '1a']);
      expect(await ids({ class: 'truck', type: 'object' })).to.deep.equal(['2a']);
      expect(await ids({ type: 'TEXT' })).to.deep.equal(['3a', '1b']);
      expect(await ids({ text: 'car', job: 1 })).to.deep.equal(['1b']);
      expect(await ids({ from: 2_000, to: 3_000 })).to.deep.equal(['2a']);
      expect(await ids({ text: 'car', from: 1_001 })).to.deep.equal(['3a']);
      expect(await ids({ to: 2_000 })).to.have.members(['1a', '1b']);
      expect(await ids({ job: 4 })).to.deep.equal([]);
      expect(await ids({})).to.deep.equal(['3b', '3a', '2a', '1b', '1a'].toSorted().toReversed());
    });

    it('goes on from page to page, each track once, while more come in and others go', async () => {
      const many = (number: number) =>
        Array.from({ length: 40 }, (_, n) => ({ text: 'word', id: `${number}/${n}` }));
      await put({ number: 1, tracks: many(1) }, { number: 2, tracks: many(2) });
      const first = await index.find(askedOf({ text: 'word', limit: 15 }));
      await put({ number: 3, tracks: many(3) });
      const rest = await all({ text: 'word', limit: 15, cursor: first.next! });
      const found = [...first.hits.map(({ trackId }) => trackId), ...rest.found];
      expect(found).to.have.length(80);
      expect(new Set(found).size).to.equal(80);
      await index.remove(2, 1);
      expect((await all({ text: 'word', limit: 7 })).found.filter((id) => id.startsWith('2'))).to.deep.equal(
        [],
      );
    });

    it('continues a page of another index of the same documents, though it has other rows', async () => {
      const documentAt = (number: number, endedAt: number) => ({
        number,
        endedAt,
        tracks: Array.from({ length: 5 }, (_, n) => ({ text: 'word', id: `${number}/${n}` })),
      });
      const [oldest, middle, newest] = [documentAt(1, 1_000), documentAt(2, 2_000), documentAt(3, 3_000)];
      const other = open(path(`search-${opened++}`), {});
      try {
        // Its rows have other ids.
        await other.put([documentAt(9, 500)].map(document));
        await other.remove(9, 1);
        await other.put([oldest, middle, newest].map(document));
        await put(oldest, middle, newest);
        const { place } = await index.find(askedOf({ text: 'word', limit: 7 }));
        expect(place).to.deep.equal({ job: 2, run: 1, endedAt: 2_000, track: 3 });
        const rest = ['2/2', '2/1', '2/0', '1/4', '1/3', '1/2', '1/1', '1/0'];
        const next = async (of: SearchIndex) =>
          (await of.find(askedOf({ text: 'word', cursor: place! }))).hits.map(({ trackId }) => trackId);
        expect(await next(other)).to.deep.equal(rest);
        expect(await next(index)).to.deep.equal(rest);
        await other.remove(2, 1);
        expect(await next(other), 'what ended before it').to.deep.equal(rest.slice(3));
      } finally {
        await other.close();
      }
    });

    it('lists the jobs that it has, by number, some at a time', async () => {
      await put(...[5, 1, 3].map((number) => ({ number, tracks: [{ text: 'x' }] })));
      await index.remove(3, 1);
      expect(await index.jobs(0, 1)).to.deep.equal([{ number: 1, run: 1 }]);
      expect(await index.jobs(1, 10)).to.deep.equal([{ number: 5, run: 1 }]);
      expect(await index.jobs(5, 10)).to.deep.equal([]);
    });

    it('has a job once, however often it is put', async () => {
      const given = document({ number: 1, tracks: [{ text: 'one' }, { text: 'two' }] });
      expect(await index.put([given, given])).to.deep.equal(['taken', 'taken']);
      await reopen();
      await index.put([given]);
      expect(await texts({ job: 1 })).to.have.members(['one', 'two']);
    });

    it('replaces the run before, and finds nothing of what was removed', async () => {
      await put({ number: 1, tracks: [{ text: 'old' }] }, { number: 2, tracks: [{ text: 'stays' }] });
      await put({ number: 1, run: 2, tracks: [{ text: 'new' }] });
      expect(await texts({})).to.have.members(['new', 'stays']);
      await index.remove(1, 1);
      expect(await texts({ job: 1 })).to.deep.equal(['new']);
      await index.remove(1, 2);
      await index.remove(77, 1);
      expect(await texts({})).to.deep.equal(['stays']);
      await reopen();
      expect(await texts({})).to.deep.equal(['stays']);
    });

    it('tells of a document that is gone or none, and takes the others', async () => {
      const [gone, wrong, cut] = [1, 2, 3].map((number) => document({ number, tracks: [{ text: 'wrong' }] }));
      rmSync(gone!.document);
      writeFileSync(wrong!.document, 'no JSON');
      writeFileSync(
        cut!.document,
        '{"media":[{"mediaId":1,"path":"x","output":{"TEXT":[{"tracks":[{"trackProperties":{"TEXT":"wrong"}},',
      );
      const taken = await index.put([
        gone!,
        wrong!,
        cut!,
        document({ number: 4, tracks: [{ text: 'good' }] }),
      ]);
      expect(taken.map((one) => (one === 'taken' ? one : 'unreadable'))).to.deep.equal([
        ...['unreadable', 'unreadable', 'unreadable'],
        'taken',
      ]);
      expect(await texts({})).to.deep.equal(['good']);
    });

    it('tells of a document that the file system does not give, and takes the others', async () => {
      const [folderThere, loop, below] = [1, 2, 3].map((number) => document({ number }));
      for (const { document: file } of [folderThere!, loop!]) rmSync(file);
      mkdirSync(folderThere!.document);
      symlinkSync(loop!.document, loop!.document);
      const taken = await index.put([
        folderThere!,
        loop!,
        { ...below!, document: `${below!.document}/below` },
        document({ number: 4, tracks: [{ text: 'good' }] }),
      ]);
      expect(taken.map((one) => (one === 'taken' ? one : 'unreadable'))).to.deep.equal([
        ...['unreadable', 'unreadable', 'unreadable'],
        'taken',
      ]);
      expect(await texts({})).to.deep.equal(['good']);
    });

    it('shows the text around what was found, and marks it', async () => {
      await put({
        number: 1,
        tracks: [{ text: `${'before '.repeat(100)}the Käfer stands here${' after'.repeat(100)}` }],
      });
      const [hit] = (await index.find(askedOf({ text: 'kafer "stands here"' }))).hits;
      const { text, marks } = hit!.snippet;
      expect(text.length).to.be.lessThan(300);
      expect(text).to.match(/^….*…$/);
      expect(marks.map(({ start, end }) => text.slice(start, end))).to.deep.equal(['Käfer', 'stands here']);
    });

    it('remembers how far it is being made anew, and forgets everything when it is cleared', async () => {
      expect(await index.mark()).to.equal('begun');
      await index.setMark({ score: 1.5, id: '7' });
      await put({ number: 1, tracks: [{ text: 'one' }] });
      await reopen();
      expect(await index.mark()).to.deep.equal({ score: 1.5, id: '7' });
      await index.setMark(null);
      expect(await index.mark()).to.equal(null);
      expect(await texts({})).to.deep.equal(['one']);
      await index.clear();
      expect(await index.mark()).to.equal('begun');
      expect(await texts({})).to.deep.equal([]);
      await put({ number: 1, tracks: [{ text: 'again' }] });
      expect(await texts({})).to.deep.equal(['again']);
    });

    it('answers while it reads a large document, of which nothing is found before all is', async () => {
      const tracks = Array.from({ length: 700 }, (_, n) => ({ text: `word${n} common`, id: String(n) }));
      await put({ number: 1, tracks: [{ text: 'common', id: 'first' }] });
      const large = document({ number: 2, tracks });
      let done = false;
      const putting = index.put([large]).then(() => (done = true));
      const seen = new Set<number>();
      while (!done) seen.add((await index.find(askedOf({ text: 'common', limit: 5 }))).hits.length);
      await putting;
      expect([...seen].every((count) => count === 1 || count === 5)).to.equal(true);
      expect(seen.has(1)).to.equal(true);
      expect((await all({ text: 'common', limit: 500 })).found).to.have.length(701);
    });

    it('removes a job in the middle of its being taken in', async () => {
      const tracks = Array.from({ length: 2_000 }, (_, n) => ({ text: `word${n}` }));
      const putting = index.put([
        document({ number: 1, tracks }),
        document({ number: 2, tracks: [{ text: 'two' }] }),
      ]);
      await index.remove(1, 1);
      await putting;
      expect(await texts({ limit: 5 })).to.deep.equal(['two']);
    });

    it('goes on taking in a run when the one before is removed', async () => {
      const tracks = Array.from({ length: 2_000 }, (_, n) => ({ text: `word${n}` }));
      const putting = index.put([document({ number: 1, run: 2, tracks })]);
      await index.remove(1, 1);
      expect(await putting).to.deep.equal(['taken']);
      expect(await texts({ text: 'word1999' })).to.deep.equal(['word1999']);
    });

    describe('with limits', () => {
      before(() => reopen({ maxScanned: 50, textCharacters: 1_000 }));
      after(() => reopen());

      it('looks at a bounded number of tracks a page, and finds everything by its cursors', async () => {
        const many = (number: number, endedAt: number) => ({
          number,
          endedAt,
          tracks: Array.from({ length: 20 }, (_, n) => ({ text: 'word', id: `${number}/${n}` })),
        });
        // The jobs in the middle were indexed in another order than they ended.
        await put(
          many(1, 1_000),
          ...Array.from({ length: 20 }, (_, n) => many(n + 2, 50_000)),
          many(99, 1_001),
        );
        const { found, pages } = await all({ text: 'word', to: 2_000 });
        expect(found).to.have.length(40);
        expect(pages).to.be.greaterThan(2);
      });

      it('finds in the beginning of a text that is longer than it takes', async () => {
        await put({ number: 1, tracks: [{ text: `begin ${'ä"\\ '.repeat(400)} end` }] });
        expect(await texts({ text: 'begin' })).to.have.length(1);
        expect(await texts({ text: 'end' })).to.have.length(0);
      });
    });
  });
}
