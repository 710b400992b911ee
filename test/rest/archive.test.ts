/** The archive of results: specification 6.4, archiveCheckStatus of 2.1, archiveStatus of 2.2, asked of the running service. */
import { createHash } from 'node:crypto';
import { copyFileSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { readInfo } from '../../config/info.ts';
import { ArchiveServer, type ArchiveRequest } from '../support/archive-server.ts';
import { answer, hang, Receiver } from '../support/receiver.ts';
import {
  errorCodes,
  sampleUri,
  Service,
  type DetectionDocument,
  type JobRequest,
} from '../support/service.ts';
import { until } from '../support/until.ts';

const HELLO = sampleUri('hello-world.png');
const TEXT = sampleUri('gen_text.png');
/** Nobody asks here for pictures of what was found. */
const WITHOUT_PICTURES = { ARTIFACT_EXTRACTION_POLICY: 'NONE' };
const sha256 = (file: string | URL) => createHash('sha256').update(readFileSync(file)).digest('hex');
const hashOf = (uri: string) => sha256(fileURLToPath(uri));
const numberOf = (id: string) => Number(id.replace('test-host-', ''));

interface Posted {
  readonly assertionId: string;
  readonly dataObject: Readonly<Record<string, unknown>>;
}
const posted = ({ body }: ArchiveRequest) => body as Posted;
const mediumOf = ({ query }: ArchiveRequest) => query.get('sha256Hash') ?? '';

describe('The archive (specification 6.4)', () => {
  let service: Service;
  let archive: ArchiveServer;
  const others: { close(): Promise<void> }[] = [];
  before(async () => {
    service = await Service.shared();
  });
  after(() => service.close());
  beforeEach(async () => {
    archive = await ArchiveServer.started();
  });
  afterEach(async () => {
    for (const each of [archive, ...others.splice(0)]) await each.close();
  });

  const job = (
    more: Partial<JobRequest> = {},
    properties: Readonly<Record<string, string>> = {},
  ): JobRequest => ({
    media: [HELLO],
    pipelineName: 'LIGHT PIPELINE',
    ...more,
    jobProperties: { ARCHIVE_URL: archive.url, ...WITHOUT_PICTURES, ...properties },
  });
  /** The medium with as much as the check before the job needs. */
  const known = (mediaUri: string) => ({
    mediaUri,
    metadata: { MEDIA_HASH: hashOf(mediaUri), MIME_TYPE: 'image/png' },
  });
  const created = async (request: JobRequest) => {
    const { status, body } = await service.create(request);
    expect(status).to.equal(201);
    return body as {
      jobId: string;
      coreResponse: { responseCode: number; message: string | null };
      archiveCheckStatus: string;
      outputObjectUri?: string;
    };
  };
  const checkStatus = async (request: JobRequest) => (await created(request)).archiveCheckStatus;
  /** Waits until the archive has been told, or was given up. */
  const settled = async (id: string): Promise<string> => {
    await service.terminal(id);
    const look = async () => (await service.job(id))!.archiveStatus;
    return until(`the posts of job ${id} are settled`, look, (status) => status !== 'IN PROGRESS');
  };
  /** A job whose results the archive knows. */
  const archived = async (request: JobRequest): Promise<string> => {
    const id = await service.submit(request);
    expect(await settled(id)).to.equal('COMPLETE');
    return id;
  };
  const receiver = async (...given: Parameters<typeof Receiver.start>) => {
    const started = await Receiver.start(...given);
    others.push(started);
    return started;
  };
  const repost = async (...ids: readonly number[]) => {
    const { status, body } = await service.ask('POST', '/rest/jobs/archiverepost', ids);
    return { status, body };
  };

  describe('is asked before a job, and archiveCheckStatus is', () => {
    it('NOT_REQUESTED when SKIP_ARCHIVE_CHECK is true', async () => {
      const request = job({ media: [known(HELLO)] }, { SKIP_ARCHIVE_CHECK: 'true' });
      const { jobId, archiveCheckStatus } = await created(request);
      expect(archiveCheckStatus).to.equal('NOT_REQUESTED');
      expect(await settled(jobId)).to.equal('COMPLETE');
      expect(archive.questions).to.have.lengthOf(0);
    });

    it('NO_MATCH when no compatible job is found, and FOUND_MATCH, with outputObjectUri, when one is', async () => {
      const request = job({ media: [known(HELLO)] });
      const first = await created(request);
      expect(first.archiveCheckStatus).to.equal('NO_MATCH');
      expect(archive.questions.map(mediumOf)).to.deep.equal([hashOf(HELLO)]);
      expect(await settled(first.jobId)).to.equal('COMPLETE');
      const { outputUri } = posted(archive.posts[0]!).dataObject;
      const { archiveCheckStatus, outputObjectUri } = await created(request);
      expect(archiveCheckStatus).to.equal('FOUND_MATCH');
      expect(outputObjectUri).to.equal(outputUri);
    });
  });

  describe('that knows a compatible job', () => {
    const expectSkipped = async (id: string, past: string) => {
      const info = await service.terminal(id);
      expect(info.jobStatus).to.equal('COMPLETE');
      expect(info.archiveStatus).to.equal('PAST JOB FOUND');
      expect(pathToFileURL(info.outputObjectPath!).href).to.equal(
        posted(archive.posts[0]!).dataObject['outputUri'],
      );
      expect((await service.document(id)).jobId).to.equal(past);
      expect(service.handedOut().filter(({ subJob }) => subJob.startsWith(`${id}.1.0.`))).to.deep.equal([]);
      expect(archive.posts).to.have.lengthOf(1);
    };

    it('spares the job its processing; the callback is still sent', async () => {
      const past = await archived(job());
      const callback = await receiver();
      const request = job({ media: [known(HELLO)], callbackURL: callback.url, callbackMethod: 'POST' });
      const id = await service.submit(request);
      await expectSkipped(id, past);
      await until('the callback has come', () => callback.requests.length === 1);
      expect(JSON.parse(callback.requests[0]!.body)).to.deep.equal({
        jobId: id,
        externalId: null,
        jobStatus: 'COMPLETE',
        outputObjectUri: posted(archive.posts[0]!).dataObject['outputUri'],
      });
      expect((await repost(numberOf(id))).body).to.deep.equal({ success: [numberOf(id)], failures: [] });
      expect(archive.posts).to.have.lengthOf(1);
    });

    it('is asked again after inspection when the request says too little of the media', async () => {
      const past = await archived(job());
      const { jobId, archiveCheckStatus } = await created(job());
      expect(archiveCheckStatus).to.equal('MEDIA_HASHES_ABSENT');
      await expectSkipped(jobId, past);
    });

    it('of another service has its document passed on by output/detection, or says why that cannot be had', async () => {
      await archived(job());
      let text = JSON.stringify({ jobId: 'elsewhere-7', objectId: 'o', filler: 'x'.repeat(200_000) });
      let status = 200;
      const elsewhere = createServer((_, response) => {
        response.writeHead(status, { 'Content-Type': 'text/html' }).end(text);
      });
      await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
      others.push({ close: () => new Promise((resolve) => elsewhere.close(() => resolve())) });
      const { port } = elsewhere.address() as AddressInfo;
      const entry = posted(archive.posts[0]!);
      const outputUri = `http://127.0.0.1:${port}/detection.json`;
      archive.manners.answer = () => [{ ...entry, dataObject: { ...entry.dataObject, outputUri } }];
      const { jobId, outputObjectUri } = await created(job({ media: [known(HELLO)] }));
      expect(outputObjectUri).to.equal(outputUri);
      await service.terminal(jobId);
      const ask = () =>
        fetch(`${service.url}/rest/jobs/${jobId}/output/detection`, {
          headers: { Authorization: `Bearer ${service.token}` },
        });
      const answer = await ask();
      expect([answer.status, answer.headers.get('content-type')]).to.deep.equal([
        200,
        'application/json; charset=utf-8',
      ]);
      expect(await answer.text()).to.equal(text);
      const csv = await service.ask('GET', `/rest/jobs/${jobId}/output/detection?format=csv`);
      expect(csv.status).to.equal(400);
      expect((csv.body as { message: string }).message).to.include('lie in the archive');
      text = '{"secret":"of a server that only this one reaches"}';
      const secret = await ask();
      expect(secret.status).to.equal(502);
      expect(await secret.text())
        .to.include('could not be fetched: what lies there is no detection document')
        .and.not.include('secret');
      status = 404;
      const refused = await ask();
      expect(refused.status).to.equal(502);
      expect(await refused.text()).to.include('could not be fetched: it was answered with status 404');
    });

    it('is not believed when the document of that job is gone with it: the job runs', async () => {
      const past = await archived(job());
      expect((await service.ask('DELETE', `/rest/jobs/${past}`)).status).to.equal(204);
      const { jobId, archiveCheckStatus } = await created(job({ media: [known(HELLO)] }));
      expect(archiveCheckStatus).to.equal('NO_MATCH');
      expect(await settled(jobId)).to.equal('COMPLETE');
      expect((await service.document(jobId)).jobId).to.equal(jobId);
      await service.ask('DELETE', `/rest/jobs/${jobId}`);
      const later = await created(job());
      expect(await settled(later.jobId)).to.equal('COMPLETE');
      expect((await service.document(later.jobId)).jobId).to.equal(later.jobId);
    });

    it('is not taken for one that knows another job: other properties, other media, more of them', async () => {
      await archived(job());
      const differing = [
        job({ media: [known(HELLO)] }, { QUALITY_SELECTION_THRESHOLD: '0.1' }),
        job({ media: [known(TEXT)] }),
        job({ media: [known(HELLO), known(TEXT)] }),
      ];
      for (const request of differing) expect(await checkStatus(request)).to.equal('NO_MATCH');
      expect(await checkStatus(job({ media: [known(HELLO)] }, { S3_REGION: 'elsewhere' }))).to.equal(
        'FOUND_MATCH',
      );
    });
  });

  it('is refused with 400 when its address is none', async () => {
    for (const url of ['nonsense', 'ftp://127.0.0.1/archive', 'http://']) {
      const { status, body } = await service.create(job({}, { ARCHIVE_URL: url }));
      expect(status, url).to.equal(400);
      expect((body as { coreResponse: { message: string } }).coreResponse.message).to.contain('ARCHIVE_URL');
    }
  });

  it('is told with the user name and password of its address, which nobody else gets to see', async () => {
    archive.manners.status = 403;
    const url = archive.url.replace('//', '//user:hush@');
    const id = await service.submit(job({ media: [known(HELLO)] }, { ARCHIVE_URL: url }));
    await service.terminal(id);
    const attempted = await until(
      'a post has failed',
      () => service.detailed(id),
      (seen) => seen?.archiveAttempts !== undefined,
    );
    const basic = `Basic ${Buffer.from('user:hush').toString('base64')}`;
    for (const { headers } of archive.requests) expect(headers.authorization).to.equal(basic);
    expect(archive.requests.map(({ method }) => method)).to.include.members(['GET', 'POST']);
    const shown = JSON.stringify([attempted, await service.document(id)]);
    expect(shown).to.contain('//***@127.0.0.1').and.not.to.contain('hush');
  });

  describe('that cannot be asked', () => {
    it('is a warning, and the job runs', async () => {
      archive.manners.status = 503;
      const { jobId, archiveCheckStatus, coreResponse } = await created(job({ media: [known(HELLO)] }));
      expect(archiveCheckStatus).to.equal('NO_MATCH');
      expect(coreResponse.responseCode).to.equal(2);
      expect(coreResponse.message).to.contain('The archive could not be asked').and.to.contain('status 503');
      expect((await service.terminal(jobId)).jobStatus).to.equal('COMPLETE_WITH_WARNINGS');
      const [warning, ...more] = warningsOf(await service.document(jobId));
      expect(more).to.deep.equal([]);
      expect(warning?.code).to.equal('ARCHIVE_BEFORE_JOB_CHECK');
      expect(warning?.message).to.contain(archive.url).and.to.contain('status 503');
    });
  });

  describe('is told about each medium when the job has ended', () => {
    it('with the specified body, an Idempotency-Key, and no token unless ARCHIVE_ADD_TOKEN says so', async () => {
      const id = await archived(job());
      const document = await service.document(id);
      const [post, ...more] = archive.posts;
      expect(more).to.deep.equal([]);
      expect(post?.path).to.equal('/api/db/supplementals');
      expect([...post!.query]).to.deep.equal([['sha256Hash', hashOf(HELLO)]]);
      expect(post?.headers['content-type']).to.contain('application/json');
      expect(post?.headers['idempotency-key']).to.equal(`${id}.1.archive.0`);
      expect(post?.headers).not.to.have.property('authorization');
      const { assertionId, dataObject, ...rest } = posted(post!);
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

    it('with a token of the service when ARCHIVE_ADD_TOKEN is TRUE', async () => {
      await archived(job({ media: [known(HELLO)] }, { ARCHIVE_ADD_TOKEN: 'TRUE' }));
      for (const { headers } of archive.requests) expect(headers.authorization).to.match(/^Bearer \S+$/);
      expect(archive.requests.map(({ method }) => method)).to.deep.equal(['GET', 'POST']);
    });

    it('under its LINKED_MEDIA_HASH when it has one', async () => {
      await archived(job({ media: [{ mediaUri: HELLO, properties: { LINKED_MEDIA_HASH: 'abc' } }] }));
      expect(archive.requests.map(mediumOf)).to.deep.equal(['abc', 'abc']);
    });

    it('and archiveStatus is NOT REQUESTED without an archive, JOB RUNNING before, COMPLETE when all posts have arrived', async () => {
      const without = await service.submit({ media: [HELLO], pipelineName: 'LIGHT PIPELINE' });
      expect((await service.terminal(without)).archiveStatus).to.equal('NOT REQUESTED');
      let goOn: () => void = () => undefined;
      archive.manners.until = new Promise((resolve) => (goOn = resolve));
      const id = await service.submit(job({ media: [HELLO, TEXT] }));
      expect((await service.job(id))?.archiveStatus).to.equal('JOB RUNNING');
      goOn();
      expect(await settled(id)).to.equal('COMPLETE');
      expect(archive.posts.map(mediumOf).toSorted(byText)).to.deep.equal(
        [HELLO, TEXT].map(hashOf).toSorted(byText),
      );
      expect(new Set(archive.posts.map((post) => posted(post).assertionId)).size).to.equal(2);
      expect(new Set(archive.posts.map((post) => posted(post).dataObject['jobConfigHash'])).size).to.equal(1);
    });

    it('at the archive of that medium', async () => {
      const second = await ArchiveServer.started();
      others.push(second);
      const camera = { mediaUri: TEXT, properties: { ARCHIVE_URL: `${second.url}/deep/` } };
      const id = await service.submit(job({ media: [HELLO, camera] }));
      await until('both have been told', () => archive.posts.length + second.posts.length === 2);
      expect(archive.posts.map(mediumOf)).to.deep.equal([hashOf(HELLO)]);
      expect(second.posts.map(({ path }) => path)).to.deep.equal(['/deep/api/db/supplementals']);
      await service.terminal(id);
    });

    it('and a post that is refused does not hold up the others; archiveStatus says why', async () => {
      archive.manners.knows = new Set([hashOf(TEXT)]);
      const id = await service.submit(job({ media: [HELLO, TEXT] }));
      const status = await settled(id);
      expect(status).to.match(
        /^ERROR: Sending HTTP POST to the archive \(http:\/\/127\.0\.0\.1:\d+\S*\) failed due to: /,
      );
      expect(status).to.contain('could not identify referenced item');
      expect(archive.kept(hashOf(TEXT))).to.have.lengthOf(1);
      expect(archive.posts).to.have.lengthOf(2);
      expect((await service.job(id))?.jobStatus).to.equal('COMPLETE');
    });

    it('and is tried again until it works', async () => {
      archive.manners.status = 500;
      const id = await service.submit(job({}, { SKIP_ARCHIVE_CHECK: 'TRUE' }));
      await until('a post has failed', () => archive.posts.length > 0);
      archive.manners.status = undefined;
      expect(await settled(id)).to.equal('COMPLETE');
      const keys = new Set(archive.posts.map(({ headers }) => headers['idempotency-key']));
      expect([...keys]).to.deep.equal([`${id}.1.archive.0`]);
      expect(new Set(archive.posts.map(({ body }) => JSON.stringify(body))).size).to.equal(1);
    });

    it('also when the job failed, with its status', async () => {
      const id = await service.submit(
        job({ pipelineName: 'TROUBLE PIPELINE', algorithmProperties: { TROUBLE: { TROUBLE: 'code' } } }),
      );
      await settled(id);
      const { jobStatus, trackCount, outputTypes } = posted(archive.posts[0]!).dataObject;
      expect({ jobStatus, trackCount, outputTypes }).to.deep.equal({
        jobStatus: 'ERROR',
        trackCount: 0,
        outputTypes: [],
      });
    });

    it('but not when a medium could not be retrieved: archiveStatus is "ERROR: Media download failed."', async () => {
      const lost = await receiver(answer(404));
      const id = await service.submit(job({ media: [HELLO, `${lost.url}/lost.png`] }));
      expect(await settled(id)).to.equal('ERROR: Media download failed.');
      expect(archive.posts).to.have.lengthOf(0);
      const document = await service.document(id);
      expect(errorCodes(document, document.media[1]?.mediaId)).to.include('REMOTE_STORAGE_DOWNLOAD');
    });

    it('without delaying the callback when the archive is dead', async () => {
      const dead = await receiver(hang);
      const callback = await receiver();
      const request = job(
        { callbackURL: `${callback.url}/done`, callbackMethod: 'POST' },
        { ARCHIVE_URL: dead.url, SKIP_ARCHIVE_CHECK: 'TRUE' },
      );
      const id = await service.submit(request);
      await until('the callback has come', () => callback.requests.length === 1);
      await until('its success is shown', async () => (await service.job(id))?.callbackStatus === 'COMPLETE');
      expect((await service.job(id))?.archiveStatus).to.equal('IN PROGRESS');
    });
  });

  describe('POST /rest/jobs/archiverepost', () => {
    it('sends the same body with the same Idempotency-Key again', async () => {
      const id = await archived(job());
      expect(await repost(numberOf(id))).to.deep.equal({
        status: 200,
        body: { success: [numberOf(id)], failures: [] },
      });
      const [first, second, ...more] = archive.posts;
      expect(more).to.deep.equal([]);
      expect(second?.body).to.deep.equal(first?.body);
      expect(second?.headers['idempotency-key']).to.equal(first?.headers['idempotency-key']);
      expect(mediumOf(second!)).to.equal(mediumOf(first!));
    });

    it('mends archiveStatus when it succeeds, and breaks it when it fails', async () => {
      archive.manners.knows = new Set();
      const id = await service.submit(job());
      expect(await settled(id)).to.match(/^ERROR: /);
      archive.manners.knows = undefined;
      expect((await repost(numberOf(id))).status).to.equal(200);
      expect((await service.job(id))?.archiveStatus).to.equal('COMPLETE');
      archive.manners.status = 500;
      const { status, body } = await repost(numberOf(id));
      expect(status).to.equal(500);
      const [failure] = (body as { failures: { jobId: number; error: string }[] }).failures;
      expect(failure?.error).to.contain('Sending HTTP POST to the archive').and.to.contain('status 500');
      expect((await service.job(id))?.archiveStatus).to.equal(`ERROR: ${failure?.error}`);
    });

    it('that fails takes nothing away from the attempts that are still to come', async () => {
      archive.manners.status = 500;
      const id = await service.submit(job({}, { SKIP_ARCHIVE_CHECK: 'TRUE' }));
      await service.terminal(id);
      expect((await repost(numberOf(id))).status).to.equal(500);
      expect((await service.job(id))?.archiveStatus).to.equal('IN PROGRESS');
      archive.manners.status = undefined;
      expect(await settled(id)).to.equal('COMPLETE');
      expect(archive.kept(hashOf(HELLO))).to.have.lengthOf(1);
    });

    it('ends when its client goes away: nothing more is posted', async () => {
      const id = await archived(job({ media: [HELLO, TEXT] }));
      let goOn: () => void = () => undefined;
      archive.manners.until = new Promise((resolve) => (goOn = resolve));
      const client = new AbortController();
      const asked = fetch(`${service.url}/rest/jobs/archiverepost`, {
        method: 'POST',
        headers: { authorization: `Bearer ${service.token}`, 'x-request-id': 'left-early' },
        body: JSON.stringify([numberOf(id)]),
        signal: client.signal,
      }).catch((error: unknown) => error);
      await until('the repost is under way', () => archive.posts.length === 3);
      client.abort();
      await asked;
      // Only when the server has seen that the client is gone may the archive answer.
      await service.logged('audit', (line) => line['requestId'] === 'left-early');
      archive.manners.until = undefined;
      goOn();
      expect((await repost(numberOf(id))).status).to.equal(200);
      expect(archive.posts, 'twice two, and the one that was broken off').to.have.lengthOf(5);
      expect((await service.job(id))?.archiveStatus).to.equal('COMPLETE');
    });

    it('that comes to its end when the job has been run again leaves what that run owes', async () => {
      const id = await archived(job());
      let goOn: () => void = () => undefined;
      archive.manners.until = new Promise((resolve) => (goOn = resolve));
      const reposted = repost(numberOf(id));
      await until('the repost is under way', () => archive.posts.length === 2);
      archive.manners.until = undefined;
      archive.manners.status = 503;
      expect((await service.resubmit(id)).status).to.equal(200);
      const keys = () => archive.posts.map(({ headers }) => headers['idempotency-key']);
      await until('the second run has tried in vain', () => keys().includes(`${id}.2.archive.0`));
      archive.manners.status = undefined;
      goOn();
      expect((await reposted).status).to.equal(200);
      expect(await settled(id)).to.equal('COMPLETE');
      expect(archive.kept(hashOf(HELLO)), 'first run, repost, second run').to.have.lengthOf(3);
    });

    it('answers 500 with the same body when any fails, successes and failures in order', async () => {
      const plain = { media: [HELLO], pipelineName: 'LIGHT PIPELINE' };
      const ids = [await archived(job()), await service.submit(plain)].map(numberOf);
      await service.terminal(`test-host-${ids[1]}`);
      copyFileSync(fileURLToPath(TEXT), join(service.mediaDir, 'slow.png'));
      const live = await service.submit(
        job({
          media: [pathToFileURL(join(service.mediaDir, 'slow.png')).href],
          pipelineName: 'ABSENT PIPELINE',
        }),
      );
      const answered = await repost(999_999, numberOf(live), ids[1]!, 888_888, ids[0]!);
      expect(answered.status).to.equal(500);
      expect(answered.body).to.deep.equal({
        success: ids,
        failures: [
          { jobId: numberOf(live), error: 'Job is still running.' },
          { jobId: 888_888, error: 'Could not find job with id 888888.' },
          { jobId: 999_999, error: 'Could not find job with id 999999.' },
        ],
      });
      await service.cancel(live);
    });

    it('repeats the error of a job whose media could not be retrieved', async () => {
      const lost = await receiver(answer(404));
      const id = await service.submit(job({ media: [HELLO, `${lost.url}/lost.png`] }));
      await settled(id);
      expect(await repost(numberOf(id))).to.deep.equal({
        status: 500,
        body: { success: [], failures: [{ jobId: numberOf(id), error: 'Media download failed.' }] },
      });
      expect(archive.posts).to.have.lengthOf(0);
    });

    it('answers 400 to a body that is no array of job ids', async () => {
      for (const body of [{}, ['x'], [1.5], 'text', null]) {
        const { status } = await service.ask('POST', '/rest/jobs/archiverepost', JSON.stringify(body));
        expect(status, JSON.stringify(body)).to.equal(400);
      }
    });
  });

  it('holds a job up for no longer than ARCHIVE_CHECK_MS after inspection, which is a warning', async () => {
    const own = await Service.here({ ARCHIVE_CHECK_MS: '2000' });
    others.push(own);
    archive.manners.until = new Promise(() => undefined);
    const id = await own.submit(job());
    expect((await own.terminal(id)).jobStatus).to.equal('COMPLETE_WITH_WARNINGS');
    const [warning] = warningsOf(await own.document(id));
    expect(warning?.code).to.equal('ARCHIVE_BEFORE_JOB_CHECK');
    expect(warning?.message).to.contain('within 2000 ms');
  });
});

const warningsOf = ({ warnings }: DetectionDocument) =>
  warnings.flatMap(({ details }) => details).map(({ code, message }) => ({ code, message }));
const byText = (a: string, b: string) => (a < b ? -1 : 1);
