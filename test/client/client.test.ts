/** The methods of the TypeScript client, with a real server. */
import { expect } from 'chai';
import { execFile } from 'node:child_process';
import {
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { Client } from '../../client/verbs/client.ts';
import { detections, tracks } from '../../client/verbs/findings.ts';
import { IncompleteError, RefusedError } from '../../client/errors.ts';
import { packageRoot } from '../../config/info.ts';
import { Service } from '../support/processes/service.ts';
import { until } from '../support/until.ts';

/** A proxy that breaks for good after a number of request bytes. */
class BreakingProxy {
  readonly url: string;
  constructor(url: string) {
    this.url = url;
  }

  static async to(url: string, limit: number): Promise<BreakingProxy> {
    const { hostname, port } = new URL(url);
    let seen = 0;
    const sockets = new Set<Socket>();
    const server = createServer((client) => {
      const target = connect(Number(port), hostname);
      for (const socket of [client, target]) {
        sockets.add(socket);
        socket.on('error', () => undefined);
      }
      target.pipe(client);
      client.on('data', (piece: Buffer) => {
        seen += piece.length;
        if (seen <= limit) return void target.write(piece);
        server.close();
        for (const socket of sockets) socket.destroy();
      });
      client.on('close', () => target.destroy());
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new BreakingProxy(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  }
}

const FACES = 'FACE DETECTION PIPELINE';
const sample = (name: string) => path.join(packageRoot, 'samples', name);

describe('The TypeScript client', function () {
  this.timeout(90_000);
  let service: Service;
  let client: Client;
  let folder: string;
  before(async () => {
    service = await Service.openShared();
    client = new Client(service.url, service.token);
  });
  after(() => service?.close());
  beforeEach(() => (folder = mkdtempSync(path.join(tmpdir(), 'troupe-client-'))));
  afterEach(() => rmSync(folder, { recursive: true }));

  const request = {
    media: [{ mediaUri: pathToFileURL(sample('face_move.mp4')).href }],
    pipelineName: FACES,
  };
  const endedJob = async () => {
    const { jobId } = await client.createJob(request);
    expect((await client.wait(jobId)).jobStatus).to.equal('COMPLETE');
    return jobId;
  };
  const collect = async <T>(items: AsyncIterable<T>): Promise<readonly T[]> => {
    const all: T[] = [];
    for await (const item of items) all.push(item);
    return all;
  };
  const refusalOf = (request: Promise<unknown>) =>
    request.then(
      () => undefined,
      (error: unknown) => (error instanceof RefusedError ? error : undefined),
    );

  it('runs a pipeline over a file and gives its tracks and detections', async () => {
    const document = await client.analyze(sample('face_move.mp4'), FACES);
    const [found, ...others] = [...tracks(document)];
    expect([found?.type, found?.algorithm, others]).to.deep.equal(['FACE', 'FACE', []]);
    expect([...detections(document)].map(({ detection }) => detection)).to.deep.equal(
      found?.track.detections,
    );
  });

  it('uploads a file that the server cannot read', async () => {
    const file = path.join(folder, 'a face & more.png');
    copyFileSync(sample('astronaut.png'), file);
    expect([...tracks(await client.analyze(file, FACES))].map(({ type }) => type)).to.deep.equal(['FACE']);
    const { id, bytes } = await client.upload(file);
    expect(bytes).to.equal(statSync(file).size);
    await client.deleteUpload(id);
    expect(await refusalOf(client.deleteUpload(id))).to.include({ status: 404, code: 'upload-not-found' });
  });

  it('uploads a large file in pieces, and resumes it in another call', async () => {
    const file = sample('astronaut.png');
    const proxy = await BreakingProxy.to(service.url, 500_000);
    const away = new Client(proxy.url, service.token);
    const broken = await away.upload(file, { pieceBytes: 200_000 }).catch((e: unknown) => e);
    expect(broken).to.be.instanceOf(IncompleteError);
    const resume = (broken as IncompleteError).uploadId;
    expect(await client.upload(sample('face_move.mp4'), { resume }).catch(String)).to.contain('another file');
    const { id, bytes, mediaUri } = await client.upload(file, { resume, pieceBytes: 200_000 });
    expect([id, bytes]).to.deep.equal([resume, statSync(file).size]);
    expect([...tracks(await client.analyze(mediaUri, FACES))].map(({ type }) => type)).to.deep.equal([
      'FACE',
    ]);
  });

  it('gives the events of a job until its end', async () => {
    const { jobId } = await client.createJob(request);
    const events = await collect(client.jobEvents(jobId));
    expect(events.every((event) => event.jobId === jobId)).to.equal(true);
    expect(events.at(-1)).to.include({ terminal: true, jobProgress: 100, stage: 'ENDED' });
  });

  it('stops waiting when its signal aborts, and the job continues', async () => {
    const { jobId } = await client.createJob(request);
    const message = await client.wait(jobId, AbortSignal.abort()).catch(String);
    expect(message).to.contain(`Job ${jobId} continues`);
    expect(await client.wait(jobId)).to.include({ jobStatus: 'COMPLETE' });
  });

  it('lists jobs over several pages', async () => {
    const label = `typescript-${process.pid}`;
    const created: string[] = [];
    for (let n = 0; n < 3; n++) created.push((await client.createJob({ ...request, labels: [label] })).jobId);
    const listed = await collect(client.jobs({ label: [label], limit: 2 }));
    expect(listed.map(({ jobId }) => jobId)).to.deep.equal(created.toReversed());
    for (const jobId of created) await client.wait(jobId);
  });

  it('writes exports and media of a job to files', async () => {
    const jobId = await endedJob();
    await client.export(jobId, 'csv', path.join(folder, 'faces.csv'));
    expect(readFileSync(path.join(folder, 'faces.csv'), 'utf8')).to.contain('FACE');
    const { mediaId } = (await client.document(jobId)).media[0]!;
    const copy = path.join(folder, 'copy.mp4');
    expect(await client.download(jobId, `media/${mediaId}`, copy)).to.include({ what: 'fetched' });
    expect(readFileSync(copy).equals(readFileSync(sample('face_move.mp4')))).to.equal(true);
    expect(readdirSync(folder).toSorted()).to.deep.equal(['copy.mp4', 'faces.csv']);
  });

  it('says when a job has no document', async () => {
    const { jobId } = await client.createJob({ ...request, buildOutput: false });
    await client.wait(jobId);
    expect(await client.document(jobId).catch(String)).to.contain('has no detection document');
  });

  it('searches the results of jobs', async () => {
    const job = await endedJob();
    const hits = await until(
      'the job is in the search',
      () => collect(client.search({ type: 'FACE', job, limit: 1 })),
      (found) => found.length > 0,
    );
    expect(hits.map(({ jobId }) => jobId)).to.deep.equal([job]);
  });

  it('creates, uses and revokes an API key', async () => {
    const { id, key } = await client.createKey({ name: 'typescript client' });
    const script = new Client(service.url, key);
    expect((await script.info()).version).to.match(/^\d+\.\d+\.\d+$/);
    expect((await client.keys()).map((one) => one.id)).to.include(id);
    await client.revokeKey(id);
    expect(await refusalOf(script.info())).to.include({ status: 401 });
  });

  it('creates, watches and cancels a streaming job', async () => {
    const { streams } = client;
    const { jobId } = await streams.create({
      enableOutputToDisk: false,
      stream: { streamUri: 'rtsp://127.0.0.1:9/live', segmentSize: 100 },
      stallTimeout: -1,
      pipelineName: FACES,
    });
    for await (const event of streams.events(jobId)) {
      expect(event.type).to.equal('job');
      break;
    }
    expect(await streams.list()).to.include(jobId);
    expect(await streams.cancel(jobId)).to.include({ jobId, doCleanup: false });
    expect(await streams.wait(jobId)).to.include({ jobStatus: 'CANCELLED' });
  });

  it('asks anything else of the interface', async () => {
    const queues = (await client.ask('GET', '/rest/queues')) as readonly object[];
    expect(queues[0]).to.include.keys('name', 'messagesInQueue');
    expect(await refusalOf(client.ask('GET', '/rest/queues/NONE'))).to.include({ status: 404 });
  });

  it('prints what its README shows', async () => {
    const readme = readFileSync(path.join(packageRoot, 'client', 'README.md'), 'utf8');
    const [example = '', output] = [...readme.matchAll(/```(?:ts|text)\n([^]*?)```/g)].map(
      ([, block]) => block,
    );
    const index = pathToFileURL(path.join(packageRoot, 'dist', 'client', 'index.js')).href;
    const file = path.join(folder, 'example.mjs');
    writeFileSync(file, example.replace('@troupe/client', index));
    const env = { PATH: process.env['PATH'], TROUPE_URL: service.url, TROUPE_TOKEN: service.token };
    const { stdout } = await promisify(execFile)(process.execPath, [file], { cwd: packageRoot, env });
    expect(stdout).to.equal(output);
  });
});
