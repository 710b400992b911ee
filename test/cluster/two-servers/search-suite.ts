/**
 * GET /rest/search with two servers: each has its own index and finds the results of jobs that ended at
 * either server.
 */
import { renameSync } from 'node:fs';
import { expect } from 'chai';
import Database from 'better-sqlite3';
import { join } from 'node:path';
import { sampleUri, type Service } from '../../support/processes/service.ts';
import { story } from '../../support/story.ts';
import { until } from '../../support/until.ts';
import type { ServerPair } from './server-pair.ts';

interface Page {
  readonly hits: readonly {
    readonly jobId: string;
    readonly externalId: string | null;
    readonly trackId: string;
    readonly jobEndDate: string;
  }[];
  readonly next: string | null;
  readonly complete: boolean;
}

/** A server looks for ended jobs once a second, so more frequent checks are useless. */
const SELDOM = { everyMs: 250 };

/** `isLong`: includes cases that unit tests also cover, and variations. */
export function search(pair: () => ServerPair, { isLong }: { readonly isLong: boolean }): void {
  story('The search of two servers', 'They find the same jobs, changed and removed.', () => {
    const both = () => [pair().one, pair().two];
    const run = async (at: Service, caption: string) => {
      const id = await at.submit({
        media: [sampleUri('hello-world.png')],
        pipelineName: 'LIGHT PIPELINE',
        jobProperties: { CAPTION: caption },
      });
      await at.terminal(id);
      return id;
    };
    const search = async (at: Service, query: string): Promise<Page> => {
      const { status, body, text } = await at.ask('GET', `/rest/search?${query}`);
      expect(status, text).to.equal(200);
      return body as Page;
    };
    const jobsWith = async (at: Service, query: string) => {
      const { hits, complete } = await search(at, query);
      return complete ? hits.map(({ jobId }) => jobId).toSorted() : undefined;
    };
    const findJobs = (query: string, ids: readonly string[], servers = both()) =>
      until(
        `${servers.length} servers find ${ids.length} jobs by ${query}`,
        () => Promise.all(servers.map((at) => jobsWith(at, query))),
        (seen) => seen.every((jobs) => JSON.stringify(jobs) === JSON.stringify(ids.toSorted())),
        SELDOM,
      );
    /** Whether the index of a server contains the job, even if it is not shown. */
    const isIndexed = (of: string, id: string) => {
      const database = new Database(join(pair().one.dataDir, `search.${of}.db`), { readonly: true });
      try {
        return database.prepare<[string]>('select 1 from jobs where job_id = ?').get(id) !== undefined;
      } finally {
        database.close();
      }
    };

    /** Whether the library and the search of a server show the current label of the first job. */
    const labelledAt = async (at: Service, label: string) => {
      const { media } = (await at.ask('GET', `/rest/library?label=${label}`)).body as {
        media: readonly { jobId: string }[];
      };
      const { hits } = await search(at, `text=lighthouse&job=${ids[0]}`);
      return media.some(({ jobId }) => jobId === ids[0]) && hits[0]?.externalId === label;
    };

    /** Ids of jobs that ended at the two servers, alternately. */
    const ids: string[] = [];

    it('finds at both what jobs found that ended at either', async () => {
      const { one, two } = pair();
      for (let n = 0; n < (isLong ? 6 : 2); n++) ids.push(await run([one, two][n % 2]!, `lighthouse ${n}`));
      await findJobs('text=lighthouse', ids);
    });

    it('has at both the labels and the external id that were changed at one after the end', async () => {
      const { one, two } = pair();
      for (const [at, label] of [
        [one, 'harbour'],
        [two, 'coast'],
      ] as const) {
        // oxfmt-ignore
        const edit = { labels: [label], externalId: label };
        const { status, text } = await at.ask('PATCH', `/rest/jobs/${ids[0]}`, edit);
        expect(status, text).to.equal(200);
        await until(
          `both have ${label}`,
          () => Promise.all(both().map((other) => labelledAt(other, label))),
          (seen) => seen.every(Boolean),
          SELDOM,
        );
      }
    });

    it('goes on with a page of the one at the other, and finds each track once', async () => {
      const { one, two } = pair();
      const seen: string[] = [];
      let turn = 0;
      for (let next: string | null = ''; next !== null; turn++) {
        const cursor = next === '' ? '' : `&cursor=${next}`;
        const page: Page = await search([one, two][turn % 2]!, `text=lighthouse&limit=1${cursor}`);
        seen.push(...page.hits.map(({ jobId }) => jobId));
        next = page.next;
      }
      expect(turn, 'both were asked').to.be.at.least(ids.length);
      expect(seen, 'the newest first').to.deep.equal(ids.toReversed());
    });

    it('finds nothing at either of a job that was removed at one, from then on', async () => {
      const { one, two } = pair();
      expect((await one.ask('DELETE', `/rest/jobs/${ids[0]}`)).status).to.equal(204);
      for (const at of [one, two])
        expect((await search(at, 'text=lighthouse')).hits.map(({ jobId }) => jobId)).to.deep.equal(
          ids.slice(1).toReversed(),
        );
    });

    it('is made anew at both when one is asked to', async () => {
      const { one, two } = pair();
      const all = await jobsWith(two, 'limit=500');
      const countComplete = () => both().map((at) => at.log('the search has all documents').length);
      const before = countComplete();
      expect((await one.ask('POST', '/rest/search/rebuild')).status).to.equal(202);
      await until('both have made it', () => countComplete().every((count, n) => count > before[n]!));
      await findJobs('limit=500', all!);
    });

    if (!isLong) return;

    it('finds of a job that is run again what it found last', async () => {
      const { one, two } = pair();
      const id = await run(one, 'a buoy');
      await findJobs('text=buoy', [id]);
      const [before] = (await search(two, 'text=buoy')).hits;
      expect((await two.resubmit(id)).status).to.equal(200);
      await one.terminal(id);
      await until(
        'both find the second run',
        () => Promise.all(both().map((at) => search(at, 'text=buoy'))),
        (pages) => pages.every(({ hits }) => hits.length === 1 && hits[0]!.jobEndDate !== before!.jobEndDate),
        SELDOM,
      );
    });

    it('of a server that was killed has all that came meanwhile, and retries unreadable documents', async () => {
      const { one, two } = pair();
      const gone = await run(one, 'a quay');
      await findJobs('text=quay', [gone]);
      await two.kill9();
      const [come, unread] = [await run(one, 'a new quay'), await run(one, 'a lantern')];
      expect((await one.ask('DELETE', `/rest/jobs/${gone}`)).status).to.equal(204);
      await findJobs('text=quay', [come], [one]);
      await findJobs('text=lantern', [unread], [one]);
      const document = join(one.dataDir, 'output-objects', `${unread}.1`, 'detection.json');
      renameSync(document, `${document}.away`);
      await two.start();
      await two.waitForLog('the search cannot read the document of a job', ({ jobId }) => jobId === unread);
      renameSync(`${document}.away`, document);
      await findJobs('text=quay', [come]);
      await findJobs('text=lantern', [unread]);
      expect(isIndexed('two', come), 'what came is in its index').to.equal(true);
      await until('what went is in the index of neither', () =>
        ['one', 'two'].every((of) => !isIndexed(of, gone)),
      );
    });

    it('of a server that missed the end of a later run has it after comparing index and jobs', async () => {
      const { one, two } = pair();
      const id = await run(two, 'a breakwater');
      await findJobs('text=breakwater', [id]);
      await one.stop();
      expect((await two.resubmit(id)).status).to.equal(200);
      await two.terminal(id);
      await findJobs('text=breakwater', [id], [two]);
      // Like an index that was read past this end before it was stored. The server reads the ends of the last
      // 30 s again.
      const database = new Database(join(one.dataDir, 'search.one.db'));
      const mark = JSON.stringify({ id, score: Date.now() + 30_000 });
      database.prepare(`update meta set value = ? where name = 'mark'`).run(mark);
      await one.startHere();
      const runs = database.prepare<[string], { run: number }>(
        'select run from jobs where job_id = ? order by run',
      );
      await until(
        'its index has the second run',
        () => runs.all(id),
        (all) => all.at(-1)?.run === 2,
      );
      database.close();
      await findJobs('text=breakwater', [id]);
    });
  });
}
