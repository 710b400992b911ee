/**
 * GET /rest/search (an extension): results of all jobs, from their end to their deletion, with restarts and
 * kill -9.
 */
import { expect } from 'chai';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Service } from '../../support/processes/service.ts';
import { until } from '../../support/until.ts';
import { findsEachOnce, sayCaption, type SearchPage as Page } from './search-suite.ts';

/** Servers that share a data folder use one index file each. */
const INDEX = process.env['TEST_REDIS_URL'] === undefined ? 'search.db' : 'search.test-host.db';

/** The crash after the job ended and before its indexing starts. For the others, see search.long.ts. */
const KILLS = [{ at: 1_000, when: 'after' }] as const;

describe('GET /rest/search', () => {
  let service: Service;
  before(async () => {
    service = await Service.start({ CLEANING_MS: '50' });
  });
  after(() => service.close());

  const search = async (query: string): Promise<Page> => {
    const { status, body, text } = await service.ask('GET', `/rest/search?${query}`);
    expect(status, text).to.equal(200);
    return body as Page;
  };
  const jobsWith = async (query: string) => (await search(query)).hits.map(({ jobId }) => jobId);
  const findJobs = (query: string, ids: readonly string[]) =>
    until(
      `${query} finds ${ids.length}`,
      () => jobsWith(query),
      (seen) => JSON.stringify(seen.toSorted()) === JSON.stringify(ids.toSorted()),
    );
  const run = async (caption: string, more = {}) => {
    const id = await service.submit(sayCaption(caption, more));
    await service.terminal(id);
    return id;
  };

  it('finds the tracks of a job once its document is there, with job, medium, time and text', async () => {
    const id = await run('Die Straße ist gesperrt', { externalId: 'case 7' });
    await findJobs('text=strasse%20GESPERRT', [id]);
    const { hits, next, complete } = await search('text=%22ist%20gesperrt%22');
    const [medium] = (await service.document(id)).media;
    const [track] = medium!.output['LIGHT']![0]!.tracks!;
    const { endDate } = (await service.job(id))!;
    expect([next, complete]).to.deep.equal([null, true]);
    expect(hits).to.deep.equal([
      {
        ...{ jobId: id, externalId: 'case 7', jobEndDate: new Date(endDate!).toISOString() },
        ...{ mediaIndex: 0, mediaId: medium!.mediaId, mediaUri: medium!.path },
        ...{ mediaType: 'IMAGE', trackId: track!.id, page: null, stream: null },
        ...{ task: 'LIGHT TASK', action: 'LIGHT ACTION', algorithm: 'LIGHT', type: 'LIGHT', class: null },
        ...{ startOffsetFrame: 0, stopOffsetFrame: 0, startOffsetTime: 0, stopOffsetTime: 0 },
        confidence: track!.confidence,
        ...{ box: { x: 0, y: 0, width: 300, height: 200 }, frame: 0, width: 300, height: 200, colour: null },
        ...{ vectorModel: null, person: null },
        snippet: { text: 'Die Straße ist gesperrt', marks: [{ start: 11, end: 23 }] },
        score: 0.5,
      },
    ]);
  });

  it('takes filters and pages, and says in a sentence what is wrong with a query', async () => {
    const ids = [await run('page one'), await run('page two'), await run('page three')];
    await findJobs('text=page', ids);
    const seen: string[] = [];
    for (let next: string | null = ''; next !== null;) {
      const page: Page = await search(`text=pag*&type=light&limit=1${next === '' ? '' : `&cursor=${next}`}`);
      seen.push(...page.hits.map(({ jobId }) => jobId));
      next = page.next;
    }
    expect(seen.toSorted()).to.deep.equal(ids.toSorted());
    expect(await jobsWith(`text=page&job=${ids[1]}`)).to.deep.equal([ids[1]]);
    expect(await jobsWith('text=page&to=2020-01-01T00:00:00Z')).to.deep.equal([]);
    expect(await jobsWith('text=page&from=2020-01-01T00:00:00+01:00')).to.have.length(3);
    expect(await jobsWith('class=nothing')).to.deep.equal([]);
    const times = ['2020-01-01T00:00:00.000Z', '2100-01-01T00:00:00.000Z'];
    const counts = await service.ask('GET', `/rest/search/counts?text=page&since=${times.join(',')}`);
    expect(counts.body).to.deep.include({
      tracks: 3,
      since: times.map((from, n) => ({ from, tracks: n === 0 ? 3 : 0 })),
    });
    const { confidences } = counts.body as { confidences: readonly { minConfidence: number }[] };
    expect(confidences.map((one) => one.minConfidence)).to.deep.equal([0.5, 0.75, 0.9]);
    expect((await service.ask('GET', '/rest/search/counts?since=now')).status).to.equal(400);
    for (const [query, text] of [
      ['text=%22*%22', 'text: must have a word: letters or digits'],
      ['text=', 'text: must have a word: letters or digits'],
      ['text=OR+*+OR', 'text: must have a word: letters or digits, besides operators such as OR'],
      [`text=${'a'.repeat(10_000)}`, 'text'],
      [`text=${'a+'.repeat(60)}`, 'text: must have at most 50 words'],
      ['from=now', 'from: must be a moment'],
      ['job=7x', 'job'],
      ['limit=0', 'limit'],
      ['cursor=x', 'cursor'],
      ['what=1', 'what'],
    ] as const) {
      const { status, body } = await service.ask('GET', `/rest/search?${query}`);
      expect([query, status]).to.deep.equal([query, 400]);
      expect((body as { message: string }).message, query).to.include(text);
    }
  });

  it('finds what a job that is run again found then, and nothing of one that was deleted', async () => {
    const id = await run('again and again');
    await findJobs('text=again', [id]);
    const before = (await search('text=again')).hits[0]!['jobEndDate'];
    expect((await service.ask('POST', `/rest/jobs/${id}/resubmit`)).status).to.equal(200);
    await service.terminal(id);
    await until(
      'the second run is found',
      async () => (await search('text=again')).hits.map((hit) => hit['jobEndDate']),
      (ends) => ends.length === 1 && ends[0] !== before,
    );
    expect((await service.ask('DELETE', `/rest/jobs/${id}`)).status).to.equal(204);
    await findJobs('text=again', []);
  });

  findsEachOnce(KILLS, () => service);

  it('is made anew of all documents by POST /rest/search/rebuild', async () => {
    await findJobs('text=anew', await Promise.all([1, 2, 3, 4].map((n) => run(`anew ${n}`))));
    const all = await jobsWith('limit=500');
    expect(all).to.have.length.greaterThan(3);
    const { status } = await service.ask('POST', '/rest/search/rebuild');
    expect(status).to.equal(202);
    await until(
      'it is whole again',
      () => search('limit=500'),
      ({ hits, complete }) => complete && hits.length === all.length,
    );
  });

  it('is off with SEARCH=false; on again it has what ended meanwhile, even with a damaged file', async () => {
    const all = await jobsWith('limit=500');
    await service.stop();
    await service.startHere({ SEARCH: 'false' });
    expect(existsSync(join(service.dataDir, INDEX))).to.equal(false);
    for (const [method, path] of [
      ['GET', '/rest/search?text=x'],
      ['POST', '/rest/search/rebuild'],
    ] as const) {
      const { status, body } = await service.ask(method, path);
      expect(status).to.equal(501);
      expect((body as { message: string }).message).to.include('SEARCH=false');
    }
    const id = await run('meanwhile');
    await service.stop();
    writeFileSync(join(service.dataDir, INDEX), 'no database '.repeat(10_000));
    await service.startHere({ SEARCH: 'true' });
    await until(
      'it is whole again',
      async () => {
        const { status: seen, body } = await service.askUndeclared('GET', '/rest/search?limit=500');
        return seen === 200 ? (body as Page) : undefined;
      },
      (page) => page?.complete === true && page.hits.length === all.length + 1,
    );
    await findJobs('text=meanwhile', [id]);
  });
});
