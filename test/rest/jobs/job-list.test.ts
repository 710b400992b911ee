/** The list of jobs, their deletion, and the reason why a job waits (extensions of specification 4.2). */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import type { ListedJob } from '../../../actors/views/jobs/job-list.ts';
import { bitmapOf } from '../../support/media/bitmap.ts';
import { RawComponent } from '../../support/processes/raw-component.ts';
import { sampleUri, Service } from '../../support/processes/service.ts';
import { until } from '../../support/until.ts';

interface Page {
  readonly jobs: readonly ListedJob[];
  readonly next: string | null;
}

const LIGHT = { media: [sampleUri('digital-clock.jpg')], pipelineName: 'LIGHT PIPELINE' };
/** Side of a small picture, in pixels. */
const SIZE = 8;
const OTHER_PIPELINE = 'LABELLED LIGHT PIPELINE';

describe('Of the jobs of a server,', () => {
  let service: Service;
  before(async () => {
    service = await Service.here({ MAX_LIVE_JOBS: '2', CANCEL_GRACE_MS: '200' });
  });
  after(() => service.close());

  const file = (name: string, content: Buffer) => {
    const path = join(service.mediaDir, name);
    writeFileSync(path, content);
    return pathToFileURL(path).href;
  };

  describe('GET /rest/jobs', () => {
    let ids: readonly string[];
    before(async () => {
      const made: string[] = [];
      for (let n = 0; n < 4; n++) made.push(await service.submit(LIGHT));
      const damaged = file('no-clock.png', Buffer.alloc(0));
      made.push(await service.submit({ media: [damaged], pipelineName: OTHER_PIPELINE }));
      const small = file('small-clock.bmp', bitmapOf(new Uint8Array(3 * SIZE ** 2), SIZE, SIZE));
      made.push(
        await service.submit({
          ...LIGHT,
          externalId: 'case 7/b',
          media: Array.from({ length: 21 }, () => small),
        }),
      );
      for (const id of made) await service.terminal(id);
      ids = made.toReversed();
    });

    const page = async (query = ''): Promise<Page> => {
      const { status, body, text } = await service.ask('GET', `/rest/jobs${query}`);
      expect(status, text).to.equal(200);
      return body as Page;
    };
    const jobIds = ({ jobs }: Page) => jobs.map(({ jobId }) => jobId);

    it('lists all jobs, newest first', async () => {
      const all = await page();
      expect([jobIds(all), all.next]).to.deep.equal([ids, null]);
    });

    it('lists each job like GET /rest/jobs/{id}?details=true, without runs, with 20 media at most', async () => {
      for (const { mediaCount, mediaUris, ...rest } of (await page()).jobs) {
        const {
          mediaUris: all,
          mediaHrefs: _,
          runs: __,
          ...single
        } = (await service.detailedJob(rest.jobId))!;
        expect(rest).to.deep.equal(single);
        expect([mediaCount, mediaUris]).to.deep.equal([all.length, all.slice(0, 20)]);
      }
      expect((await page()).jobs[0]?.mediaCount).to.equal(21);
    });

    it('goes on where a page ended, each job once', async () => {
      const seen: string[] = [];
      let query = '?limit=2';
      for (let pages = 1; ; pages++) {
        const { next, ...rest } = await page(query);
        seen.push(...jobIds({ ...rest, next }));
        if (next === null) {
          expect(pages).to.equal(3);
          break;
        }
        query = `?limit=2&before=${next}`;
      }
      expect(seen).to.deep.equal(ids);
    });

    it('lists only what fits all of its filters', async () => {
      expect(jobIds(await page('?status=ERROR'))).to.deep.equal([ids[1]]);
      expect(jobIds(await page('?pipelineName=labelled%20light%20pipeline'))).to.deep.equal([ids[1]]);
      expect(jobIds(await page('?status=COMPLETE&pipelineName=LIGHT%20PIPELINE&limit=1'))).to.deep.equal([
        ids[0],
      ]);
      expect(jobIds(await page('?status=COMPLETE&pipelineName=LABELLED%20LIGHT%20PIPELINE'))).to.deep.equal(
        [],
      );
      expect(jobIds(await page('?terminal=true'))).to.deep.equal(ids);
      expect(jobIds(await page('?terminal=false'))).to.deep.equal([]);
      expect(await page('?terminal=false&status=COMPLETE')).to.deep.equal({ jobs: [], next: null });
      expect(jobIds(await page('?pipelineName=NO%20SUCH'))).to.deep.equal([]);
      expect(jobIds(await page('?externalId=case%207%2Fb&limit=1'))).to.deep.equal([ids[0]]);
      expect(jobIds(await page('?externalId=case%207%2Fb&terminal=true&status=ERROR'))).to.deep.equal([]);
      expect(jobIds(await page('?externalId=CASE%207%2Fb'))).to.deep.equal([]);
      expect(jobIds(await page('?status=ERROR&status=CANCELLED'))).to.deep.equal([ids[1]]);
      expect(jobIds(await page('?status=ERROR,COMPLETE'))).to.deep.equal(ids);
      expect(jobIds(await page('?medium=CLOCK'))).to.deep.equal(ids);
      expect(jobIds(await page('?medium=watch'))).to.deep.equal([]);
      expect((await page('?externalId=case%207%2Fb')).jobs[0]?.externalId).to.equal('case 7/b');
    });

    it('lists jobs by when they began and ended, from page to page', async () => {
      const { jobs } = await page();
      const ends = jobs.map(({ endDate }) => Date.parse(endDate!)).toSorted((a, b) => a - b);
      const iso = (ms: number) => new Date(ms).toISOString();
      const later = iso(ends.at(-1)! + 1);
      expect((await page(`?endedFrom=${iso(ends[0]!)}&endedTo=${later}`)).jobs).to.have.length(ids.length);
      expect((await page(`?startedTo=${later}&startedFrom=2020-01-01T00:00:00+01:00`)).jobs).to.have.length(
        ids.length,
      );
      expect(jobIds(await page(`?endedFrom=${later}`))).to.deep.equal([]);
      expect(jobIds(await page('?startedTo=2020-01-01T00:00:00Z'))).to.deep.equal([]);
      const seen: string[] = [];
      for (let next: string | null = ''; next !== null;) {
        const at: Page = await page(
          `?limit=4&endedFrom=2020-01-01T00:00:00Z${next === '' ? '' : `&before=${next}`}`,
        );
        seen.push(...jobIds(at));
        next = at.next;
      }
      expect(seen.toSorted()).to.deep.equal(ids.toSorted());
    });

    it('answers 400 with a sentence for what it does not know', async () => {
      for (const [query, text] of [
        ['limit=0', 'limit'],
        ['limit=501', 'limit'],
        ['limit=ten', 'limit: must be a whole number from 1 to 500'],
        ['before=x', 'before'],
        ['status=DONE', 'status'],
        ['terminal=yes', 'terminal: must be true or false'],
        ['pipelineName=', 'pipelineName: must not be blank'],
        ['stauts=ERROR', 'stauts'],
        ['limit=1&limit=2', 'limit'],
        ['status=ERROR&status=DONE', 'status[1]'],
        ['endedFrom=yesterday', 'endedFrom: must be a moment such as'],
        ['endedFrom=2026-03-01T09:30:00Z&before=12', 'before: must be the value of next from a page'],
        ['medium=', 'medium: must not be empty'],
      ] as const) {
        const { status, body } = await service.ask('GET', `/rest/jobs?${query}`);
        expect(status, query).to.equal(400);
        expect((body as { message: string }).message, query).to.include(text);
      }
    });

    it('has DELETE /rest/jobs/{id} beside it, which removes an ended job and its files', async () => {
      const id = await service.submit(LIGHT);
      const { outputObjectPath } = await service.terminal(id);
      expect(existsSync(outputObjectPath!)).to.equal(true);
      expect((await service.ask('DELETE', `/rest/jobs/${id}`)).status).to.equal(204);
      expect((await service.ask('GET', `/rest/jobs/${id}`)).status).to.equal(400);
      expect((await service.ask('GET', `/rest/jobs/${id}/events`)).status).to.equal(400);
      expect(jobIds(await page())).to.deep.equal(ids);
      await until('its document is gone', () => !existsSync(outputObjectPath!));
      for (const unknown of [id, 'test-host-999999', 'nonsense'])
        expect((await service.ask('DELETE', `/rest/jobs/${unknown}`)).status).to.equal(404);
    });
  });

  describe('A job that waits', () => {
    it('says for what, where and at which position; one that runs or has ended does not', async () => {
      const absent = { ...LIGHT, pipelineName: 'ABSENT PIPELINE' };
      const waitingFor = async (id: string) => (await service.detailedJob(id))?.waitingFor;
      const running = await service.submit({ ...absent, media: [LIGHT.media[0]!, LIGHT.media[0]!] });
      await new RawComponent(service).claimOf(running, 'ABSENT');
      expect(await waitingFor(running)).to.equal(undefined);

      const queued = await service.submit({ ...absent, priority: 0 });
      const inQueue = await until(
        'it waits in a queue',
        () => waitingFor(queued),
        (seen) => seen?.queue === 'TROUPE.DETECTION_ABSENT_REQUEST',
      );
      expect(inQueue).to.include({ position: 2, service: 'TestAbsent' });
      expect(inQueue?.reason).to.include('1 sub-job of another job is handed out before its next one');

      const first = await service.submit({ ...LIGHT, priority: 2 });
      const second = await service.submit({ ...LIGHT, priority: 1 });
      const line = await until(
        'both wait',
        async () => [await waitingFor(first), await waitingFor(second)],
        ([a, b]) => a?.position === 1 && b?.position === 2,
      );
      expect(line[0]?.reason).to.include('MAX_LIVE_JOBS');
      const list = (await service.ask('GET', '/rest/jobs?terminal=false')).body as Page;
      expect(list.jobs.map((job) => job.waitingFor?.position)).to.deep.equal([2, 1, 2, undefined]);

      const live = await service.ask('DELETE', `/rest/jobs/${second}`);
      expect(live.status).to.equal(409);
      expect((live.body as { message: string }).message).to.include('has not ended yet');
      for (const id of [running, queued]) expect((await service.cancel(id)).status).to.equal(200);
      for (const id of [first, second]) {
        await service.terminal(id);
        expect(await waitingFor(id)).to.equal(undefined);
      }
      // Other tests expect only their own jobs in the list.
      for (const id of [running, queued, first, second]) {
        await service.terminal(id);
        expect((await service.ask('DELETE', `/rest/jobs/${id}`)).status).to.equal(204);
      }
    });
  });
});
