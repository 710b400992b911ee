/** More tests of the archive of results, most of which unit tests also cover. See archive.test.ts. */
import { expect } from 'chai';
import { ArchiveServer } from '../../support/servers/archive-server.ts';
import { hang } from '../../support/servers/receiver.ts';
import { until } from '../../support/until.ts';
import {
  ArchiveSuite,
  hashOf,
  HELLO,
  withMetadata,
  mediumOf,
  numberOf,
  bodyOf,
  TEXT,
} from './archive-suite.ts';

describe('The archive (specification 6.4), in depth', () => {
  const suite = new ArchiveSuite();

  describe('that knows a compatible job', () => {
    it('is not taken for one that knows another job: other properties, other media, more of them', async () => {
      await suite.runArchived(suite.job());
      const differing = [
        suite.job({ media: [withMetadata(HELLO)] }, { QUALITY_SELECTION_THRESHOLD: '0.1' }),
        suite.job({ media: [withMetadata(TEXT)] }),
        suite.job({ media: [withMetadata(HELLO), withMetadata(TEXT)] }),
      ];
      for (const request of differing)
        expect((await suite.createJob(request)).archiveCheckStatus).to.equal('NO_MATCH');
      expect(
        (await suite.createJob(suite.job({ media: [withMetadata(HELLO)] }, { S3_REGION: 'elsewhere' })))
          .archiveCheckStatus,
      ).to.equal('FOUND_MATCH');
    });
  });

  describe('is told about each medium when the job has ended', () => {
    it('at the archive of that medium', async () => {
      const second = await ArchiveServer.start();
      suite.others.push(second);
      const camera = { mediaUri: TEXT, properties: { ARCHIVE_URL: `${second.url}/deep/` } };
      const id = await suite.service.submit(suite.job({ media: [HELLO, camera] }));
      await until('both have been told', () => suite.archive.posts.length + second.posts.length === 2);
      expect(suite.archive.posts.map(mediumOf)).to.deep.equal([hashOf(HELLO)]);
      expect(second.posts.map(({ path }) => path)).to.deep.equal(['/deep/api/db/supplementals']);
      await suite.service.terminal(id);
    });

    it('and is tried again until it works', async () => {
      suite.archive.manners.status = 500;
      const id = await suite.service.submit(suite.job({}, { SKIP_ARCHIVE_CHECK: 'TRUE' }));
      await until('a post has failed', () => suite.archive.posts.length > 0);
      suite.archive.manners.status = undefined;
      expect(await suite.waitUntilSettled(id)).to.equal('COMPLETE');
      const keys = new Set(suite.archive.posts.map(({ headers }) => headers['idempotency-key']));
      expect([...keys]).to.deep.equal([`${id}.1.archive.0`]);
      expect(new Set(suite.archive.posts.map(({ body }) => JSON.stringify(body))).size).to.equal(1);
    });

    it('also when the job failed, with its status', async () => {
      const id = await suite.service.submit(
        suite.job({
          pipelineName: 'TROUBLE PIPELINE',
          algorithmProperties: { TROUBLE: { TROUBLE: 'code' } },
        }),
      );
      await suite.waitUntilSettled(id);
      const { jobStatus, trackCount, outputTypes } = bodyOf(suite.archive.posts[0]!).dataObject;
      expect({ jobStatus, trackCount, outputTypes }).to.deep.equal({
        jobStatus: 'ERROR',
        trackCount: 0,
        outputTypes: [],
      });
    });

    it('without delaying the callback when the archive is dead', async () => {
      const dead = await suite.receiver(hang);
      const callback = await suite.receiver();
      const request = suite.job(
        { callbackURL: `${callback.url}/done`, callbackMethod: 'POST' },
        { ARCHIVE_URL: dead.url, SKIP_ARCHIVE_CHECK: 'TRUE' },
      );
      const id = await suite.service.submit(request);
      await until('the callback has come', () => callback.requests.length === 1);
      await until(
        'its success is shown',
        async () => (await suite.service.job(id))?.callbackStatus === 'COMPLETE',
      );
      expect((await suite.service.job(id))?.archiveStatus).to.equal('IN PROGRESS');
    });
  });

  describe('POST /rest/jobs/archiverepost', () => {
    it('that comes to its end when the job has been run again leaves what that run owes', async () => {
      const id = await suite.runArchived(suite.job());
      let goOn: () => void = () => undefined;
      suite.archive.manners.until = new Promise((resolve) => (goOn = resolve));
      const reposted = suite.repost(numberOf(id));
      await until('the repost is under way', () => suite.archive.posts.length === 2);
      suite.archive.manners.until = undefined;
      suite.archive.manners.status = 503;
      expect((await suite.service.resubmit(id)).status).to.equal(200);
      const keys = () => suite.archive.posts.map(({ headers }) => headers['idempotency-key']);
      await until('the second run has tried in vain', () => keys().includes(`${id}.2.archive.0`));
      suite.archive.manners.status = undefined;
      goOn();
      expect((await reposted).status).to.equal(200);
      expect(await suite.waitUntilSettled(id)).to.equal('COMPLETE');
      expect(suite.archive.findKept(hashOf(HELLO)), 'first run, repost, second run').to.have.lengthOf(3);
    });
  });
});
