/**
 * Buckets: results are stored in the bucket named in the properties, and media are read from buckets with the
 * same keys.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { ACCESS_KEY, answerError, BucketServer, SECRET_KEY } from '../../support/servers/bucket-server.ts';
import { answer, Receiver } from '../../support/servers/receiver.ts';
import { ServiceWithRoles } from '../../support/roles.ts';
import {
  errorCodes,
  sampleUri,
  Service,
  tracksOf,
  type DetectionDocument,
  withoutRedis,
} from '../../support/processes/service.ts';
import { until } from '../../support/until.ts';
import { childrenOf, uriOf } from '../results.ts';

const PICTURE = sampleUri('hello-world.png');
const KEYS = { S3_ACCESS_KEY: ACCESS_KEY, S3_SECRET_KEY: SECRET_KEY };
const sha256 = (content: string | Buffer) => createHash('sha256').update(content).digest('hex');

describe('Buckets', () => {
  let given: ServiceWithRoles;
  let service: Service;
  let bucket: BucketServer;
  /** A job whose bucket does not exist. It is retried for seconds while other tests run. */
  let withoutBucket: string;
  before(async () => {
    given = await ServiceWithRoles.here({ FETCH_PRIVATE: 'true', CALLBACK_PRIVATE: 'true' });
    [{ service }, bucket] = [given, await BucketServer.start('results')];
    const gone = await BucketServer.start();
    await gone.close();
    withoutBucket = await service.submit({
      media: [PICTURE],
      pipelineName: 'STAGED PIPELINE',
      jobProperties: { ...KEYS, S3_RESULTS_BUCKET: `${gone.url}/results` },
    });
  });
  after(async () => {
    await given.close();
    await bucket.close();
  });
  beforeEach(() => {
    bucket.gatekeeper = () => false;
  });

  const results = () => ({ ...KEYS, S3_RESULTS_BUCKET: `${bucket.url}/results` });
  /** The content of an object that a document names. Its key is derived from its hash. */
  async function objectAt(uri: string | null): Promise<Buffer> {
    const prefix = `${bucket.url}/results/`;
    expect(uri?.slice(0, prefix.length)).to.equal(prefix);
    const key = uri!.slice(prefix.length);
    const content = await bucket.content('results', key);
    const hash = sha256(content);
    expect(key).to.equal(`${hash.slice(0, 2)}/${hash.slice(2, 4)}/${hash}`);
    return content;
  }
  const isPng = (content: Buffer) => content.subarray(1, 4).toString('latin1') === 'PNG';
  const warningsOf = ({ warnings }: DetectionDocument) =>
    warnings.flatMap(({ details }) => details.map(({ code }) => code));

  describe('that a job names take', () => {
    let id: string;
    let document: DetectionDocument;
    let receiver: Receiver;
    before(async () => {
      receiver = await Receiver.start(answer(200));
      id = await service.submit({
        media: [
          { mediaUri: PICTURE, properties: { STAGE: '[{}]' } },
          { mediaUri: sampleUri('red-car.jpg'), properties: { STAGE: '[]' } },
        ],
        pipelineDefinition: { pipeline: ['STAGED TASK', 'GENERIC MARKUP TASK'] },
        jobProperties: results(),
        callbackURL: `${receiver.url}/done`,
      });
      expect((await service.terminal(id)).jobStatus).to.equal('COMPLETE');
      document = await service.document(id);
      await until('the callback has come', () => receiver.requests.length > 0);
    });
    after(() => receiver.close());

    it('stores the detection document, which the callback names and the service still serves', async () => {
      const told = new URL(receiver.requests[0]!.path, receiver.url).searchParams.get('outputobjecturi');
      const stored = await objectAt(told);
      expect(JSON.parse(stored.toString('utf8'))).to.deep.equal(document);
      const { outputObjectPath } = (await service.job(id))!;
      expect(outputObjectPath).to.equal(join(service.dataDir, 'output-objects', `${id}.1`, 'detection.json'));
    });

    it('artifacts', async () => {
      const [{ exemplar }] = tracksOf(document.media[0], 'STAGED') as [ReturnType<typeof tracksOf>[number]];
      expect(exemplar.artifactExtractionStatus).to.equal('COMPLETED');
      expect(isPng(await objectAt(exemplar.artifactPath))).to.equal(true);
    });

    it('marked-up media', async () => {
      const { path, status } = document.media[0]!.markupResult!;
      expect(status).to.equal('COMPLETE');
      expect(isPng(await objectAt(path))).to.equal(true);
      // Without detections, the marked-up copy equals the medium.
      const { path: copy } = document.media[1]!.markupResult!;
      expect(sha256(await objectAt(copy))).to.equal(document.media[1]!.sha256);
    });

    it('derivative media', async () => {
      const names = ['one.txt', 'two.txt'];
      for (const name of names) await writeFile(join(service.mediaDir, name), name);
      const derived = await service.run({
        media: names.map((name) => uriOf(service, name)),
        pipelineName: 'TROUBLE PIPELINE',
        jobProperties: results(),
      });
      const children = derived.media.slice(0, 2).flatMap((medium) => childrenOf(derived, medium));
      expect(children).to.have.length(2);
      for (const child of children) expect(sha256(await objectAt(child.path))).to.equal(child.sha256);
    });

    it('and nobody is shown their keys, neither in the document nor in the log or an answer', async () => {
      const [answered, log] = [
        JSON.stringify([await service.job(id), (await service.ask('GET', '/rest/jobs')).body]),
        readFileSync(join(service.folder, 'log'), 'utf8'),
      ];
      for (const text of [answered, log, JSON.stringify(document)])
        for (const key of [ACCESS_KEY, SECRET_KEY, JSON.stringify(SECRET_KEY).slice(1, -1)])
          expect(text.includes(key)).to.equal(false);
      expect(document['jobProperties']).to.deep.include({
        S3_ACCESS_KEY: '<censored>',
        S3_SECRET_KEY: '<censored>',
      });
    });

    it('and give media to another job that has their keys, and to none without', async () => {
      const [{ exemplar }] = tracksOf(document.media[0], 'STAGED') as [ReturnType<typeof tracksOf>[number]];
      const [mediaUri, path] = [exemplar.artifactPath!, fileURLToPath(PICTURE)];
      const fetched = await service.run({
        media: [{ mediaUri, properties: KEYS }, { mediaUri }, PICTURE],
        pipelineName: 'STAGED PIPELINE',
      });
      const [open, closed, local] = fetched.media;
      expect(open).to.include({ status: 'COMPLETE', mediaType: 'IMAGE' });
      expect(open!.sha256).to.equal(mediaUri.split('/').at(-1));
      expect(closed!.status).to.equal('ERROR');
      expect(errorCodes(fetched, closed!.mediaId)).to.deep.equal(['REMOTE_STORAGE_DOWNLOAD']);
      expect(local!.sha256).to.equal(sha256(await readFile(path)));
    });
  });

  describe('that cannot be reached', () => {
    it('leave all results where they are, with warnings; the job ends COMPLETE_WITH_WARNINGS', async () => {
      const id = withoutBucket;
      const { jobStatus, outputObjectPath } = await service.terminal(id);
      expect(jobStatus).to.equal('COMPLETE_WITH_WARNINGS');
      expect(outputObjectPath).to.equal(join(service.dataDir, 'output-objects', `${id}.1`, 'detection.json'));
      const document = await service.document(id);
      const { artifactPath } = tracksOf(document.media[0], 'STAGED')[0]!.exemplar;
      expect(existsSync(fileURLToPath(artifactPath!))).to.equal(true);
      expect(document.status).to.equal('COMPLETE_WITH_WARNINGS');
      expect(warningsOf(document)).to.deep.equal(['REMOTE_STORAGE_UPLOAD']);
    });

    it('also when they refuse, and what they say is not repeated: they may say the keys', async () => {
      bucket.gatekeeper = (_, response) => (answerError(response, 403, 'AccessDenied'), true);
      const document = await service.run({
        media: [PICTURE],
        ...{ pipelineDefinition: { pipeline: ['STAGED TASK', 'GENERIC MARKUP TASK'] } },
        jobProperties: results(),
      });
      expect(document.status).to.equal('COMPLETE_WITH_WARNINGS');
      expect(warningsOf(document)).to.deep.equal(['REMOTE_STORAGE_UPLOAD', 'REMOTE_STORAGE_UPLOAD']);
      const { path, status, message } = document.media[0]!.markupResult!;
      expect([status, existsSync(fileURLToPath(path))]).to.deep.equal(['COMPLETE_WITH_WARNING', true]);
      for (const text of [
        message!,
        JSON.stringify(document),
        readFileSync(join(service.folder, 'log'), 'utf8'),
      ])
        for (const key of [ACCESS_KEY, SECRET_KEY]) expect(text.includes(key)).to.equal(false);
    });
  });

  describe('that do not answer', () => {
    it('do not hold up the end of a job that is cancelled: its document stays here', async () => {
      bucket.gatekeeper = () => true;
      const id = await service.submit({
        media: [PICTURE],
        pipelineName: 'ABSENT PIPELINE',
        jobProperties: results(),
      });
      await until(
        'it waits for its component',
        async () => (await service.job(id))?.jobStatus,
        (status) => status === 'IN_PROGRESS',
      );
      await service.cancel(id);
      const { jobStatus, outputObjectPath } = await service.terminal(id, 15_000);
      expect(jobStatus).to.equal('CANCELLED');
      expect(outputObjectPath).to.equal(join(service.dataDir, 'output-objects', `${id}.1`, 'detection.json'));
    });
  });

  describe('are not given the token of the service, which', () => {
    let receiver: Receiver;
    before(async () => {
      const picture = await readFile(fileURLToPath(PICTURE));
      receiver = await Receiver.start((_, response) => void response.writeHead(200).end(picture));
    });
    after(() => receiver.close());

    const fetchAll = async (properties: Readonly<Record<string, string>>) => {
      const before = receiver.requests.length;
      const document = await service.run({
        media: [`${receiver.url}/picture`],
        pipelineName: 'STAGED PIPELINE',
        jobProperties: { ARTIFACT_EXTRACTION_POLICY: 'NONE', ...properties },
      });
      expect(document.status).to.equal('COMPLETE');
      const asked = receiver.requests.slice(before);
      expect(asked.length).to.be.at.least(1);
      return { document, tokens: asked.map(({ headers }) => headers.authorization) };
    };

    it('is sent for remote media if REMOTE_MEDIA_ADD_TOKEN says so, and is shown nowhere', async () => {
      const { document, tokens } = await fetchAll({ REMOTE_MEDIA_ADD_TOKEN: 'TRUE' });
      for (const authorization of tokens) {
        const [scheme, token = ''] = authorization?.split(' ') ?? [];
        expect(scheme).to.equal('Bearer');
        const claims = Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8');
        expect(JSON.parse(claims)).to.have.property('client_id', 'admin');
        const log = readFileSync(join(service.folder, 'log'), 'utf8');
        for (const text of [JSON.stringify(document), log]) expect(text.includes(token)).to.equal(false);
      }
    });

    it('goes with no other request', async () => {
      expect(new Set((await fetchAll({})).tokens)).to.deep.equal(new Set([undefined]));
      expect(new Set((await fetchAll({ REMOTE_MEDIA_ADD_TOKEN: 'FALSE' })).tokens)).to.deep.equal(
        new Set([undefined]),
      );
    });

    it('is not for them: S3_ADD_TOKEN is refused', async () => {
      const { status, text } = await service.create({
        media: [PICTURE],
        pipelineName: 'STAGED PIPELINE',
        jobProperties: { S3_ADD_TOKEN: 'TRUE' },
      });
      expect(status).to.equal(400);
      expect(text).to.include('S3_ADD_TOKEN').and.include('not supported yet');
    });
  });

  describe('of a service that was stopped', () => {
    it('leave nothing of their keys with jobs that have ended but what the request says', async function () {
      withoutRedis.call(this);
      const id = await service.submit({
        ...{ media: [PICTURE], pipelineName: 'STAGED PIPELINE', jobProperties: results() },
      });
      for (const ended of [id, withoutBucket]) await service.terminal(ended);
      expect(await service.stop()).to.equal(0);
      const database = new Database(join(service.dataDir, 'troupe.db'), { readonly: true });
      const texts = [
        'SELECT body AS text FROM actor_rows',
        'SELECT snapshot AS text FROM actors',
        'SELECT body AS text FROM outbox',
      ].flatMap((query) => database.prepare<[], { readonly text: string }>(query).all());
      database.close();
      expect(texts.length).to.be.at.least(5);
      expect(texts.filter(({ text }) => text.includes(ACCESS_KEY))).to.deep.equal([]);
      await service.startHere();
    });
  });
});
