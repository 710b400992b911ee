/** The archive of results over REST: specification 6.4, archiveCheckStatus of 2.1, archiveStatus of 2.2. */
import { copyFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { readInfo } from '../../../config/info.ts';
import { answer } from '../../support/servers/receiver.ts';
import { errorCodes, Service, type DetectionDocument } from '../../support/processes/service.ts';
import { until } from '../../support/until.ts';
import {
  ArchiveSuite,
  hashOf,
  HELLO,
  withMetadata,
  mediumOf,
  numberOf,
  bodyOf,
  sha256,
  TEXT,
} from './archive-suite.ts';

describe('The archive (specification 6.4)', () => {
  const suite = new ArchiveSuite();

  describe('that knows a compatible job', () => {
    const expectSkipped = async (id: string, past: string) => {
      const info = await suite.service.terminal(id);
      expect(info.jobStatus).to.equal('COMPLETE');
      expect(info.archiveStatus).to.equal('PAST JOB FOUND');
      expect(pathToFileURL(info.outputObjectPath!).href).to.equal(
        bodyOf(suite.archive.posts[0]!).dataObject['outputUri'],
      );
      expect((await suite.service.document(id)).jobId).to.equal(past);
      expect(suite.service.handedOut().filter(({ subJob }) => subJob.startsWith(`${id}.1.0.`))).to.deep.equal(
        [],
      );
      expect(suite.archive.posts).to.have.lengthOf(1);
    };

    it('saves another one its processing, also if only inspection finds it; callbacks are sent', async () => {
      const request = suite.job({ media: [withMetadata(HELLO)] });
      const first = await suite.createJob(request);
      expect(first.archiveCheckStatus).to.equal('NO_MATCH');
      expect(suite.archive.questions.map(mediumOf)).to.deep.equal([hashOf(HELLO)]);
      expect(await suite.waitUntilSettled(first.jobId)).to.equal('COMPLETE');
      const { outputUri } = bodyOf(suite.archive.posts[0]!).dataObject;

      const callback = await suite.receiver();
      const spared = await suite.createJob({ ...request, callbackURL: callback.url, callbackMethod: 'POST' });
      expect(spared).to.include({ archiveCheckStatus: 'FOUND_MATCH', outputObjectUri: outputUri });
      const id = spared.jobId;
      await expectSkipped(id, first.jobId);
      await until('the callback has come', () => callback.requests.length === 1);
      expect(JSON.parse(callback.requests[0]!.body)).to.deep.equal({
        jobId: id,
        externalId: null,
        jobStatus: 'COMPLETE',
        outputObjectUri: outputUri,
      });
      expect((await suite.repost(numberOf(id))).body).to.deep.equal({
        success: [numberOf(id)],
        failures: [],
      });
      expect(suite.archive.posts).to.have.lengthOf(1);

      const { jobId, archiveCheckStatus } = await suite.createJob(suite.job());
      expect(archiveCheckStatus).to.equal('MEDIA_HASHES_ABSENT');
      await expectSkipped(jobId, first.jobId);
    });

    it('of another service has its document at output/detection, or the reason why it is missing', async () => {
      await suite.runArchived(suite.job());
      let text = JSON.stringify({ jobId: 'elsewhere-7', objectId: 'o', filler: 'x'.repeat(200_000) });
      let status = 200;
      const elsewhere = createServer((_, response) => {
        response.writeHead(status, { 'Content-Type': 'text/html' }).end(text);
      });
      await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
      suite.others.push({ close: () => new Promise((resolve) => elsewhere.close(() => resolve())) });
      const { port } = elsewhere.address() as AddressInfo;
      const entry = bodyOf(suite.archive.posts[0]!);
      const outputUri = `http://127.0.0.1:${port}/detection.json`;
      suite.archive.manners.answer = () => [{ ...entry, dataObject: { ...entry.dataObject, outputUri } }];
      const { jobId, outputObjectUri } = await suite.createJob(suite.job({ media: [withMetadata(HELLO)] }));
      expect(outputObjectUri).to.equal(outputUri);
      await suite.service.terminal(jobId);
      const ask = () =>
        fetch(`${suite.service.url}/rest/jobs/${jobId}/output/detection`, {
          headers: { Authorization: `Bearer ${suite.service.token}` },
        });
      const answer = await ask();
      expect([answer.status, answer.headers.get('content-type')]).to.deep.equal([
        200,
        'application/json; charset=utf-8',
      ]);
      expect(await answer.text()).to.equal(text);
      const csv = await suite.service.ask('GET', `/rest/jobs/${jobId}/output/detection?format=csv`);
      expect(csv.status).to.equal(400);
      expect((csv.body as { message: string }).message).to.include('job in the archive');
      text = '{"secret":"of a server that only this one reaches"}';
      const secret = await ask();
      expect(secret.status).to.equal(502);
      expect(await secret.text())
        .to.include('could not be fetched: the file there is not a detection document')
        .and.not.include('secret');
      status = 404;
      const refused = await ask();
      expect(refused.status).to.equal(502);
      expect(await refused.text()).to.include('could not be fetched: it was answered with status 404');
    });

    it('is not believed when the document of that job is gone with it: the job runs', async () => {
      const past = await suite.runArchived(suite.job());
      expect((await suite.service.ask('DELETE', `/rest/jobs/${past}`)).status).to.equal(204);
      const { jobId, archiveCheckStatus } = await suite.createJob(
        suite.job({ media: [withMetadata(HELLO)] }),
      );
      expect(archiveCheckStatus).to.equal('NO_MATCH');
      expect(await suite.waitUntilSettled(jobId)).to.equal('COMPLETE');
      expect((await suite.service.document(jobId)).jobId).to.equal(jobId);
      await suite.service.ask('DELETE', `/rest/jobs/${jobId}`);
      const later = await suite.createJob(suite.job());
      expect(await suite.waitUntilSettled(later.jobId)).to.equal('COMPLETE');
      expect((await suite.service.document(later.jobId)).jobId).to.equal(later.jobId);
    });
  });

  it('is refused with 400 when its address is none', async () => {
    for (const url of ['nonsense', 'ftp://127.0.0.1/archive', 'http://']) {
      const { status, body } = await suite.service.create(suite.job({}, { ARCHIVE_URL: url }));
      expect(status, url).to.equal(400);
      expect((body as { coreResponse: { message: string } }).coreResponse.message).to.contain('ARCHIVE_URL');
    }
  });

  it('is told with the user name and password of its address, which nobody else gets to see', async () => {
    suite.archive.manners.status = 403;
    const url = suite.archive.url.replace('//', '//user:hush@');
    const id = await suite.service.submit(suite.job({ media: [withMetadata(HELLO)] }, { ARCHIVE_URL: url }));
    await suite.service.terminal(id);
    const attempted = await until(
      'a post has failed',
      () => suite.service.detailedJob(id),
      (seen) => seen?.archiveAttempts !== undefined,
    );
    const basic = `Basic ${Buffer.from('user:hush').toString('base64')}`;
    for (const { headers } of suite.archive.requests) expect(headers.authorization).to.equal(basic);
    expect(suite.archive.requests.map(({ method }) => method)).to.include.members(['GET', 'POST']);
    const shown = JSON.stringify([attempted, await suite.service.document(id)]);
    expect(shown).to.contain('//***@127.0.0.1').and.not.to.contain('hush');
  });

  describe('that cannot be asked', () => {
    it('is a warning, and the job runs', async () => {
      suite.archive.manners.status = 503;
      const { jobId, archiveCheckStatus, coreResponse } = await suite.createJob(
        suite.job({ media: [withMetadata(HELLO)] }),
      );
      expect(archiveCheckStatus).to.equal('NO_MATCH');
      expect(coreResponse.responseCode).to.equal(2);
      expect(coreResponse.message)
        .to.contain('The archive could not be searched')
        .and.to.contain('status 503');
      expect((await suite.service.terminal(jobId)).jobStatus).to.equal('COMPLETE_WITH_WARNINGS');
      const [warning, ...more] = warningsOf(await suite.service.document(jobId));
      expect(more).to.deep.equal([]);
      expect(warning?.code).to.equal('ARCHIVE_BEFORE_JOB_CHECK');
      expect(warning?.message).to.contain(suite.archive.url).and.to.contain('status 503');
    });
  });

  describe('is told about each medium when the job has ended', () => {
    it('gets the results of a retry for each medium, with the hash of the new document', async () => {
      const file = join(suite.service.mediaDir, 'late.png');
      writeFileSync(file, 'no picture yet');
      const id = await suite.service.submit(suite.job({ media: [HELLO, pathToFileURL(file).href] }));
      await suite.waitUntilSettled(id);
      copyFileSync(fileURLToPath(TEXT), file);
      const retried = await suite.service.ask('POST', `/rest/jobs/${id}/retry`, { what: 'FAILED_SUB_JOBS' });
      expect(retried.status, retried.text).to.equal(200);
      expect(await suite.waitUntilSettled(id)).to.equal('COMPLETE');
      const { jobStatus, outputObjectPath } = (await suite.service.job(id))!;
      expect(jobStatus).to.equal('COMPLETE');
      const ofRetry = suite.archive.posts.filter(({ headers }) =>
        String(headers['idempotency-key']).startsWith(`${id}.2.`),
      );
      expect(ofRetry.map(mediumOf)).to.have.members([hashOf(HELLO), hashOf(TEXT)]);
      for (const post of ofRetry)
        expect(bodyOf(post).dataObject).to.include({ sha256OutputHash: sha256(outputObjectPath!) });
    });

    it('with the specified body, an Idempotency-Key, and no token unless ARCHIVE_ADD_TOKEN says so', async () => {
      const id = await suite.runArchived(suite.job());
      const document = await suite.service.document(id);
      const [post, ...more] = suite.archive.posts;
      expect(more).to.deep.equal([]);
      expect(post?.path).to.equal('/api/db/supplementals');
      expect([...post!.query]).to.deep.equal([['sha256Hash', hashOf(HELLO)]]);
      expect(post?.headers['content-type']).to.contain('application/json');
      expect(post?.headers['idempotency-key']).to.equal(`${id}.1.archive.0`);
      expect(post?.headers).not.to.have.property('authorization');
      const { assertionId, dataObject, ...rest } = bodyOf(post!);
      expect(assertionId).to.match(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
      expect(rest).to.deep.equal({
        informationType: 'Troupe Tracks',
        securityTag: 'UNCLASSIFIED',
        system: 'Troupe',
      });
      const { jobConfigHash, outputUri, processDate, timing, ...facts } = dataObject;
      expect(timing, 'milliseconds by action').to.have.property('LIGHT ACTION').that.is.a('number');
      expect(jobConfigHash).to.match(/^[0-9a-f]{64}$/);
      expect(processDate).to.equal(document['timeStop']);
      expect(facts).to.deep.equal({
        pipeline: 'LIGHT PIPELINE',
        outputTypes: ['LIGHT'],
        jobId: id,
        sha256OutputHash: sha256(new URL(outputUri as string)),
        jobStatus: 'COMPLETE',
        systemVersion: readInfo().version,
        systemHostname: 'test-host',
        trackCount: 1,
      });
    });

    it('under its LINKED_MEDIA_HASH if it has one, with a token if ARCHIVE_ADD_TOKEN is TRUE', async () => {
      const medium = { mediaUri: HELLO, properties: { LINKED_MEDIA_HASH: 'abc' } };
      await suite.runArchived(suite.job({ media: [medium] }, { ARCHIVE_ADD_TOKEN: 'TRUE' }));
      for (const { headers } of suite.archive.requests)
        expect(headers.authorization).to.match(/^Bearer \S+$/);
      expect(suite.archive.requests.map(({ method }) => method)).to.deep.equal(['GET', 'POST']);
      expect(suite.archive.requests.map(mediumOf)).to.deep.equal(['abc', 'abc']);
    });

    it('and archiveStatus is JOB RUNNING before, COMPLETE when all posts have arrived', async () => {
      let goOn: () => void = () => undefined;
      suite.archive.manners.until = new Promise((resolve) => (goOn = resolve));
      const id = await suite.service.submit(suite.job({ media: [HELLO, TEXT] }));
      expect((await suite.service.job(id))?.archiveStatus).to.equal('JOB RUNNING');
      goOn();
      expect(await suite.waitUntilSettled(id)).to.equal('COMPLETE');
      expect(suite.archive.posts.map(mediumOf).toSorted(byText)).to.deep.equal(
        [HELLO, TEXT].map(hashOf).toSorted(byText),
      );
      expect(new Set(suite.archive.posts.map((post) => bodyOf(post).assertionId)).size).to.equal(2);
      expect(
        new Set(suite.archive.posts.map((post) => bodyOf(post).dataObject['jobConfigHash'])).size,
      ).to.equal(1);
    });

    it('and a post that is refused does not hold up the others; archiveStatus says why', async () => {
      suite.archive.manners.knows = new Set([hashOf(TEXT)]);
      const id = await suite.service.submit(suite.job({ media: [HELLO, TEXT] }));
      const status = await suite.waitUntilSettled(id);
      expect(status).to.match(
        /^ERROR: Sending HTTP POST to the archive \(http:\/\/127\.0\.0\.1:\d+\S*\) failed due to: /,
      );
      expect(status).to.contain('could not identify referenced item');
      expect(suite.archive.findKept(hashOf(TEXT))).to.have.lengthOf(1);
      expect(suite.archive.posts).to.have.lengthOf(2);
      expect((await suite.service.job(id))?.jobStatus).to.equal('COMPLETE');
    });

    it('but not if a medium failed to download: archiveStatus is "ERROR: Media download failed."', async () => {
      const lost = await suite.receiver(answer(404));
      const id = await suite.service.submit(suite.job({ media: [HELLO, `${lost.url}/lost.png`] }));
      expect(await suite.waitUntilSettled(id)).to.equal('ERROR: Media download failed.');
      expect(suite.archive.posts).to.have.lengthOf(0);
      const document = await suite.service.document(id);
      expect(errorCodes(document, document.media[1]?.mediaId)).to.include('REMOTE_STORAGE_DOWNLOAD');
      const again = await suite.repost(numberOf(id));
      expect(again.status, 'it is said again').to.equal(500);
      expect(again.body).to.deep.include({
        success: [],
        failures: [{ jobId: numberOf(id), error: 'Media download failed.' }],
      });
      expect(suite.archive.posts).to.have.lengthOf(0);
    });
  });

  describe('POST /rest/jobs/archiverepost', () => {
    it('mends archiveStatus when it succeeds, and breaks it when it fails', async () => {
      suite.archive.manners.knows = new Set();
      const id = await suite.service.submit(suite.job());
      expect(await suite.waitUntilSettled(id)).to.match(/^ERROR: /);
      suite.archive.manners.knows = undefined;
      expect((await suite.repost(numberOf(id))).status).to.equal(200);
      expect((await suite.service.job(id))?.archiveStatus).to.equal('COMPLETE');
      suite.archive.manners.status = 500;
      const { status, body } = await suite.repost(numberOf(id));
      expect(status).to.equal(500);
      const [failure] = (body as { failures: { jobId: number; error: string }[] }).failures;
      expect(failure?.error).to.contain('Sending HTTP POST to the archive').and.to.contain('status 500');
      expect((await suite.service.job(id))?.archiveStatus).to.equal(`ERROR: ${failure?.error}`);
    });

    it('that fails takes nothing away from the attempts that are still to come', async () => {
      suite.archive.manners.status = 500;
      const { jobId: id } = await suite.createJob(
        suite.job({ media: [withMetadata(HELLO)] }, { SKIP_ARCHIVE_CHECK: 'TRUE' }),
      );
      await suite.service.terminal(id);
      expect(suite.archive.questions, 'the check was skipped').to.have.lengthOf(0);
      expect((await suite.repost(numberOf(id))).status).to.equal(500);
      expect((await suite.service.job(id))?.archiveStatus).to.equal('IN PROGRESS');
      suite.archive.manners.status = undefined;
      expect(await suite.waitUntilSettled(id)).to.equal('COMPLETE');
      expect(suite.archive.findKept(hashOf(HELLO))).to.have.lengthOf(1);
      const keys = new Set(suite.archive.posts.map(({ headers }) => headers['idempotency-key']));
      expect([...keys]).to.deep.equal([`${id}.1.archive.0`]);
      expect(new Set(suite.archive.posts.map(({ body }) => JSON.stringify(body))).size).to.equal(1);
    });

    it('repeats the body and the Idempotency-Key, and answers 500 with each result if any fails', async () => {
      const plain = { media: [HELLO], pipelineName: 'LIGHT PIPELINE' };
      const ids = [await suite.runArchived(suite.job()), await suite.service.submit(plain)].map(numberOf);
      await suite.service.terminal(`test-host-${ids[1]}`);
      copyFileSync(fileURLToPath(TEXT), join(suite.service.mediaDir, 'slow.png'));
      const live = await suite.service.submit(
        suite.job({
          media: [pathToFileURL(join(suite.service.mediaDir, 'slow.png')).href],
          pipelineName: 'ABSENT PIPELINE',
        }),
      );
      const answered = await suite.repost(999_999, numberOf(live), ids[1]!, 888_888, ids[0]!);
      expect(answered.status).to.equal(500);
      expect(answered.body).to.deep.include({
        success: ids,
        failures: [
          { jobId: numberOf(live), error: 'Job is still running.' },
          { jobId: 888_888, error: 'Could not find job with id 888888.' },
          { jobId: 999_999, error: 'Could not find job with id 999999.' },
        ],
      });
      const [first, second, ...more] = suite.archive.posts;
      expect(more).to.deep.equal([]);
      expect(second?.body).to.deep.equal(first?.body);
      expect(second?.headers['idempotency-key']).to.equal(first?.headers['idempotency-key']);
      expect(mediumOf(second!)).to.equal(mediumOf(first!));
      await suite.service.cancel(live);
    });

    it('answers 400 to a body that is no array of job ids', async () => {
      for (const body of [{}, ['x'], [1.5], 'text', null]) {
        const { status } = await suite.service.ask('POST', '/rest/jobs/archiverepost', JSON.stringify(body));
        expect(status, JSON.stringify(body)).to.equal(400);
      }
    });

    it('ends when its client goes away: nothing more is posted', async () => {
      const id = await suite.runArchived(suite.job({ media: [HELLO, TEXT] }));
      let goOn: () => void = () => undefined;
      suite.archive.manners.until = new Promise((resolve) => (goOn = resolve));
      const client = new AbortController();
      const asked = fetch(`${suite.service.url}/rest/jobs/archiverepost`, {
        method: 'POST',
        headers: { authorization: `Bearer ${suite.service.token}`, 'x-request-id': 'left-early' },
        body: JSON.stringify([numberOf(id)]),
        signal: client.signal,
      }).catch((error: unknown) => error);
      await until('the repost is under way', () => suite.archive.posts.length === 3);
      client.abort();
      await asked;
      // The archive may answer only after the server has noticed that the client disconnected.
      await suite.service.waitForLog('audit', (line) => line['requestId'] === 'left-early');
      suite.archive.manners.until = undefined;
      goOn();
      expect((await suite.repost(numberOf(id))).status).to.equal(200);
      expect(suite.archive.posts, 'twice two, and the one that was broken off').to.have.lengthOf(5);
      expect((await suite.service.job(id))?.archiveStatus).to.equal('COMPLETE');
    });
  });

  it('holds a job up for no longer than the check may take after inspection, which is a warning', async () => {
    const own = await Service.here({ ARCHIVE_CHECK_MS: '2000' });
    suite.others.push(own);
    suite.archive.manners.until = new Promise(() => undefined);
    const id = await own.submit(suite.job({ pipelineName: 'ABSENT PIPELINE' }));
    // After the timeout of the archive, the job waits for a component that does not exist.
    await until('it goes on', async () => (await own.job(id))?.jobStatus === 'IN_PROGRESS_WARNINGS');
    await own.cancel(id);
    await own.terminal(id);
    const [warning] = warningsOf(await own.document(id));
    expect(warning?.code).to.equal('ARCHIVE_BEFORE_JOB_CHECK');
    expect(warning?.message).to.contain('within 2000 ms');
  });
});

const warningsOf = ({ warnings }: DetectionDocument) =>
  warnings.flatMap(({ details }) => details).map(({ code, message }) => ({ code, message }));
const byText = (a: string, b: string) => (a < b ? -1 : 1);
