/**
 * Results of an earlier job in the archive are copied to the bucket of the new job (ARCHIVE_S3_COPY_ENABLED).
 */
import { createHash } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { ArchiveServer } from '../../../support/servers/archive-server.ts';
import { ACCESS_KEY, answerError, BucketServer, SECRET_KEY } from '../../../support/servers/bucket-server.ts';
import { answer, Receiver } from '../../../support/servers/receiver.ts';
import {
  sampleUri,
  Service,
  tracksOf,
  type DetectionDocument,
  type JobRequest,
  withoutRedis,
} from '../../../support/processes/service.ts';
import { ownToken } from '../../../support/tokens.ts';
import { until } from '../../../support/until.ts';

const PICTURE = sampleUri('hello-world.png');
const sha256 = (content: string | Buffer) => createHash('sha256').update(content).digest('hex');
const withMetadata = (mediaUri: string, MIME_TYPE = 'image/png') => ({
  mediaUri,
  metadata: { MEDIA_HASH: sha256(readFileSync(fileURLToPath(mediaUri))), MIME_TYPE },
});
const DRAWN = { pipelineDefinition: { pipeline: ['LIGHT TASK', 'GENERIC MARKUP TASK'] } };
/** A key pair that can access only the old results. */
const OLD_KEY = 'TROUPEOLDKEY';
const OLD_SECRET = 'another/secret+never=shown';

/**
 * `isLong`: includes crashes of the server during the copy, another data folder, and a bucket that already
 * has all objects.
 */
export function archiveCopies({ isLong }: { readonly isLong: boolean }): void {
  describe('Results of a job that an archive knows', () => {
    let service: Service;
    let archive: ArchiveServer;
    let bucket: BucketServer;
    before(async () => {
      service = isLong ? await Service.here({ ARCHIVE_COPIES_AT_ONCE: '3' }) : await Service.openShared();
    });
    after(() => service.close());
    const start = async () => {
      archive = await ArchiveServer.start();
      bucket = await BucketServer.start('old', 'results');
    };
    const stop = async () => {
      await archive.close();
      await bucket.close();
    };

    const keys = { S3_ACCESS_KEY: ACCESS_KEY, S3_SECRET_KEY: SECRET_KEY };
    const into = (name: string) => ({ ...keys, S3_RESULTS_BUCKET: `${bucket.url}/${name}` });
    const job = (
      properties: Readonly<Record<string, string>> = {},
      more: Partial<JobRequest> = {},
    ): JobRequest => ({
      media: [PICTURE],
      ...('pipelineName' in more ? {} : DRAWN),
      ...more,
      jobProperties: { ARCHIVE_URL: archive.url, ARTIFACT_EXTRACTION_POLICY: 'ALL_TYPES', ...properties },
    });
    /** Runs a job that is reported to the archive. */
    const runArchived = async (request: JobRequest): Promise<DetectionDocument> => {
      const id = await service.submit(request);
      const look = async () => (await service.job(id))?.archiveStatus;
      await until('the archive has been told', look, (status) => status === 'COMPLETE');
      return service.document(id);
    };
    const copyMedium = (properties: Readonly<Record<string, string>> = {}, more: Partial<JobRequest> = {}) =>
      job({ ...into('results'), ...properties }, { media: [withMetadata(PICTURE)], ...more });
    const content = async (uri: string | null) => {
      const prefix = `${bucket.url}/results/`;
      expect(uri?.startsWith(prefix), `${uri} lies in the bucket`).to.equal(true);
      const stored = await bucket.content('results', uri!.slice(prefix.length));
      expect(uri!.endsWith(sha256(stored)), 'the key is the hash').to.equal(true);
      return stored;
    };
    const exemplarOf = (document: DetectionDocument) => tracksOf(document.media[0], 'LIGHT')[0]!.exemplar;
    const expectNotCopied = async (id: string, past: DetectionDocument) => {
      expect((await service.document(id)).jobId).to.equal(past.jobId);
      expect((await service.job(id))!.outputObjectPath).to.include(past.jobId);
    };

    describe('in files of the server', () => {
      let past: DetectionDocument;
      before(async () => {
        await start();
        past = await runArchived(job());
      });
      beforeEach(async () => {
        await bucket.close();
        bucket = await BucketServer.start('results');
      });
      after(stop);

      it('are copied from here into the bucket, with a document that names the copies', async () => {
        const receiver = await Receiver.start(answer(200));
        const created = await service.create(copyMedium({}, { callbackURL: `${receiver.url}/done` }));
        const { jobId: id, ...said } = created.body as { jobId: string; [more: string]: unknown };
        expect(said)
          .to.include({ archiveCheckStatus: 'FOUND_MATCH' })
          .and.not.to.have.property('outputObjectUri');
        const info = await service.terminal(id);
        expect(info).to.include({
          jobStatus: past.status,
          archiveStatus: 'PAST JOB FOUND',
          jobProgress: 100,
        });
        expect(info.outputObjectPath).to.equal(
          join(service.dataDir, 'output-objects', `${id}.1`, 'detection.json'),
        );
        const document = await service.document(id);
        expect(document).to.include({ jobId: id, status: past.status, archiveSourceJobId: past.jobId });
        const [old, copy] = [exemplarOf(past), exemplarOf(document)];
        expect((await content(copy.artifactPath)).equals(readFileSync(new URL(old.artifactPath!)))).to.equal(
          true,
        );
        const [oldMarkup, markup] = [past.media[0]!.markupResult!, document.media[0]!.markupResult!];
        expect((await content(markup.path)).equals(readFileSync(new URL(oldMarkup.path)))).to.equal(true);
        expect(document.media[0]).to.include({ path: PICTURE, archiveSourceMediaPath: PICTURE });
        await until('the callback has come', () => receiver.requests.length > 0);
        const told = new URL(receiver.requests[0]!.path, receiver.url).searchParams.get('outputobjecturi');
        expect(JSON.parse((await content(told)).toString('utf8'))).to.deep.equal(document);
        await receiver.close();
        expect(archive.posts, 'nothing is posted of it').to.have.lengthOf(1);
        const handed = service.handedOut().filter(({ subJob }) => subJob.startsWith(`${id}.1.`));
        expect(handed.map(({ subJob }) => subJob)).to.deep.equal([`${id}.1.copy`]);
      });

      it('stay where they are without ARCHIVE_S3_COPY_ENABLED, and outputObjectUri says where', async () => {
        const { body } = await service.create(copyMedium({ ARCHIVE_S3_COPY_ENABLED: 'false' }));
        const { jobId, outputObjectUri } = body as { jobId: string; outputObjectUri: string };
        expect(await service.terminal(jobId)).to.include({
          jobStatus: 'COMPLETE',
          archiveStatus: 'PAST JOB FOUND',
        });
        const path = join(service.dataDir, 'output-objects', `${past.jobId}.1`, 'detection.json');
        expect(outputObjectUri).to.equal(pathToFileURL(path).href);
        await expectNotCopied(jobId, past);
        expect(bucket.requests).to.deep.equal([]);
      });

      it('of which one cannot be copied end the job ERROR; those of the earlier one stand for it', async () => {
        let puts = 0;
        bucket.gatekeeper = ({ method }, response) => {
          const refused = method === 'PUT' && ++puts === 2;
          if (refused) answerError(response, 403, 'AccessDenied');
          return refused;
        };
        const receiver = await Receiver.start(answer(200));
        const id = await service.submit(copyMedium({}, { callbackURL: receiver.url }));
        const { jobStatus, archiveStatus } = await service.terminal(id);
        expect(jobStatus).to.equal('ERROR');
        expect(archiveStatus)
          .to.include('COPY ERROR: A matching job was found')
          .and.include('could not be uploaded');
        for (const secret of [ACCESS_KEY, SECRET_KEY]) expect(archiveStatus).not.to.include(secret);
        await expectNotCopied(id, past);
        await until('the callback has come', () => receiver.requests.length > 0);
        expect(receiver.requests[0]!.path).to.include(`${past.jobId}.1%2Fdetection.json`);
        await receiver.close();
      });

      it('are no longer copied when the job is cancelled', async () => {
        bucket.gatekeeper = ({ method }) => method === 'PUT';
        const id = await service.submit(copyMedium());
        await until('something is on its way', () => bucket.count('PUT') > 0);
        expect((await service.job(id))!.outputObjectPath, 'while it runs').to.equal(null);
        expect((await service.ask('GET', `/rest/jobs/${id}/output/detection`)).status).to.equal(400);
        expect((await service.cancel(id)).status).to.equal(200);
        expect((await service.terminal(id, 20_000)).jobStatus).to.equal('CANCELLED');
        await expectNotCopied(id, past);
      });

      it('give no access to files of the server: a document from elsewhere is not believed', async () => {
        const entry = archive.posts[0]!.body as { dataObject: object };
        const secret = pathToFileURL(join(service.dataDir, 'troupe.db')).href;
        const elsewhere = createServer((_, response) => {
          const detection = { artifactPath: secret, artifactExtractionStatus: 'COMPLETED' };
          const output = { FACE: [{ tracks: [{ exemplar: detection, detections: [detection] }] }] };
          response.end(JSON.stringify({ jobId: 'there-1', media: [{ parentMediaId: -1, output }] }));
        });
        await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
        const outputUri = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/jobs/detection.json`;
        const usual = archive.manners.answer;
        archive.manners.answer = () => [{ ...entry, dataObject: { ...entry.dataObject, outputUri } }];
        const id = await service.submit(copyMedium());
        const { jobStatus, archiveStatus } = await service.terminal(id);
        archive.manners.answer = usual;
        elsewhere.close();
        elsewhere.closeAllConnections();
        expect(jobStatus).to.equal('ERROR');
        expect(archiveStatus).to.include('MEDIA_ROOTS does not contain the folder');
        expect(await bucket.keys('results')).to.deep.equal([]);
      });
    });

    describe('of a job of their own', () => {
      beforeEach(start);
      afterEach(stop);

      it('are copied after inspection, with derivative media and the address that the job gave', async () => {
        const pipelineName = 'TROUBLE PIPELINE';
        const [path, text] = [join(service.mediaDir, 'text.txt'), 'A medium is derived of this one.'];
        writeFileSync(path, text);
        const original = pathToFileURL(path).href;
        const past = await runArchived(job({}, { media: [original], pipelineName }));
        const data = `data:text/plain;base64,${Buffer.from(text).toString('base64')}`;
        const document = await service.run(copyMedium({}, { media: [data], pipelineName }));
        expect(document['archiveSourceJobId']).to.equal(past.jobId);
        const [source, ...derived] = document.media;
        expect(source).to.include({ path: data, archiveSourceMediaPath: original });
        expect(derived.length).to.equal(1);
        for (const [n, medium] of derived.entries()) {
          expect(sha256(await content(medium.path))).to.equal(medium.sha256);
          expect(medium).to.include({ archiveSourceMediaPath: past.media[n + 1]!.path });
        }
      });

      if (isLong)
        it('are not sent again where they are already: the same bucket gets a new document alone', async () => {
          await runArchived(job(into('results')));
          const before = bucket.count('PUT');
          const document = await service.run(copyMedium());
          expect(document).to.have.property('archiveSourceJobId');
          expect(bucket.count('PUT') - before).to.equal(1);
        });

      if (isLong)
        it('are copied from here after DATA_DIR moved, though the document names the old place', async function () {
          withoutRedis.call(this);
          const shared = service;
          const before = new Service({ COMPONENT_PROCESSES: '1' }, ({ url }) => ownToken(url, dataDir));
          let { dataDir } = before;
          service = before;
          try {
            await service.startHere();
            const past = await runArchived(job());
            const [picture, drawn] = [exemplarOf(past).artifactPath!, past.media[0]!.markupResult!.path];
            const files = [picture, drawn].map((uri) => readFileSync(new URL(uri)));
            await service.stop();
            dataDir = join(service.folder, 'moved');
            renameSync(service.dataDir, dataDir);
            await service.startHere({ DATA_DIR: dataDir });
            const document = await service.run(copyMedium());
            expect(document['archiveSourceJobId']).to.equal(past.jobId);
            const copies = [exemplarOf(document).artifactPath, document.media[0]!.markupResult!.path];
            expect(await Promise.all(copies.map((uri) => content(uri)))).to.deep.equal(files);
            // Without a bucket, the document of the earlier job is used.
            await expectNotCopied(await service.submit(job({}, { media: [withMetadata(PICTURE)] })), past);
          } finally {
            await service.close();
            service = shared;
          }
        });

      if (isLong)
        it('go on being copied after the server was killed; what is there already is not sent again', async () => {
          await service.stop();
          await service.start();
          await runArchived(job());
          let holding = true;
          let sent = '';
          bucket.gatekeeper = ({ method, path }) => {
            if (method !== 'PUT' || !holding) return false;
            if (sent !== '') return true;
            sent = path;
            return false;
          };
          const id = await service.submit(copyMedium());
          await until('a file is there and another on its way', () => bucket.count('PUT') > 1);
          await until('the first is stored', async () => (await bucket.keys('results')).length === 1);
          await service.kill9();
          holding = false;
          const before = bucket.requests.length;
          await service.startHere();
          expect(await service.terminal(id)).to.include({
            jobStatus: 'COMPLETE',
            archiveStatus: 'PAST JOB FOUND',
          });
          const document = await service.document(id);
          await content(exemplarOf(document).artifactPath);
          await content(document.media[0]!.markupResult!.path);
          const puts = bucket.requests.slice(before).filter(({ method }) => method === 'PUT');
          expect(puts.map(({ path }) => path)).to.not.include(sent);
        });
    });

    describe('in a private bucket', () => {
      const source = { ARCHIVE_COPY_SRC_S3_ACCESS_KEY: OLD_KEY, ARCHIVE_COPY_SRC_S3_SECRET_KEY: OLD_SECRET };
      let past: DetectionDocument;
      before(async () => {
        await start();
        BucketServer.know(OLD_KEY, OLD_SECRET);
        bucket.gatekeeper = ({ path, headers }, response) => {
          const allowed = path.startsWith('/old') ? OLD_KEY : ACCESS_KEY;
          const refused = headers.authorization?.includes(`Credential=${allowed}/`) !== true;
          if (refused) answerError(response, 403, 'AccessDenied');
          return refused;
        };
        past = await runArchived(job({ ...into('old'), S3_ACCESS_KEY: OLD_KEY, S3_SECRET_KEY: OLD_SECRET }));
      });
      after(stop);

      it('are not read with others: the job ends ERROR', async () => {
        const id = await service.submit(copyMedium());
        const { jobStatus, archiveStatus } = await service.terminal(id);
        expect(jobStatus).to.equal('ERROR');
        expect(archiveStatus)
          .to.match(
            /^COPY ERROR: A matching job was found in the archive, but copying results from the old job failed due to: /,
          )
          .and.include('S3_ACCESS_KEY does not have this permission in the bucket "old"');
      });

      it('are read with the keys of ARCHIVE_COPY_SRC_*, which nobody gets to see', async () => {
        const document = await service.run(copyMedium(source));
        expect(document['archiveSourceJobId']).to.equal(past.jobId);
        const { artifactPath } = exemplarOf(document);
        expect(sha256(await content(artifactPath))).to.equal(
          exemplarOf(past).artifactPath!.split('/').at(-1),
        );
        await content(document.media[0]!.markupResult!.path);
        const texts = [JSON.stringify(document), JSON.stringify(service.log())];
        for (const text of texts)
          for (const secret of [OLD_KEY, OLD_SECRET]) expect(text.includes(secret)).to.equal(false);
      });

      it('are given out by output/detection with these keys when they are not copied', async () => {
        const disabled = { ARCHIVE_S3_COPY_ENABLED: 'FALSE' };
        const open = await service.run(job({ ...source, ...disabled }, { media: [withMetadata(PICTURE)] }));
        expect(open).to.deep.equal(past);
        const closed = await service.submit(job(disabled, { media: [withMetadata(PICTURE)] }));
        await service.terminal(closed);
        expect((await service.ask('GET', `/rest/jobs/${closed}/output/detection`)).status).to.equal(502);
      });
    });
  });
}
