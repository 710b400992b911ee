/**
 * DATA_DIR contains all stored data: the server runs after the folder was moved, and from a backup taken
 * while jobs run.
 */
import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { runWarm } from '../cli/support/warm-tool.ts';
import { sampleUri, Service, tracksOf, withoutRedis } from '../support/processes/service.ts';
import { ownToken } from '../support/tokens.ts';
import { until } from '../support/until.ts';

const STAGED = '/rest/nodes/services/test-host:TestStaged:1';
const PICTURE = sampleUri('hello-world.png');
const WITH_PICTURES = { ARTIFACT_EXTRACTION_POLICY: 'ALL_TYPES' };
const LIGHT = { pipelineName: 'LIGHT PIPELINE', jobProperties: WITH_PICTURES };

describe('The data folder', function () {
  before(withoutRedis);
  this.timeout(240_000);
  let service: Service;
  let dataDir: string;
  const newService = () => new Service({}, ({ url }) => ownToken(url, dataDir));

  /** Data of the stopped server: a completed job, an upload, and a job that waits in its second task. */
  const left = { at: '', ended: '', live: '', uploaded: '', length: null as string | null };
  let first: Service;
  before(async () => {
    service = first = newService();
    dataDir = service.dataDir;
    await service.startHere();
    await service.ask('POST', '/rest/pipelines', {
      name: 'LIGHT THEN STAGED',
      description: 'The second task waits for a service.',
      tasks: ['LIGHT TASK', 'STAGED TASK'],
    });
    left.uploaded = await upload();
    left.ended = await service.submit({ media: [left.uploaded], ...LIGHT });
    await service.terminal(left.ended);
    left.live = await waitingJob();
    left.length = (await documentAnswer(left.ended)).headers.get('content-length');
    await service.stop();
    left.at = path.join(service.folder, 'left');
    renameSync(dataDir, left.at);
  });
  after(() => (first as Service | undefined)?.close());
  beforeEach(() => {
    service = newService();
  });
  afterEach(() => service.close());

  /** Moves the data folder to `place` and starts a server there. */
  const startAt = async (place: string, env: Readonly<Record<string, string>> = {}) => {
    mkdirSync(path.dirname(place), { recursive: true });
    cpSync(left.at, place, { recursive: true, preserveTimestamps: true });
    dataDir = place;
    await service.startHere({ ...env, DATA_DIR: place });
  };

  /** A job that has completed its first task and waits for a stopped service. */
  const waitingJob = async () => {
    await service.ask('POST', `${STAGED}/stop`);
    const id = await service.submit({
      media: [PICTURE],
      pipelineName: 'LIGHT THEN STAGED',
      jobProperties: WITH_PICTURES,
    });
    const waits = ({ text }: { text: string }) => text.includes('stopped by an administrator');
    await until(
      'the job waits in its second task',
      () => service.ask('GET', `/rest/jobs/${id}?details=true`),
      waits,
    );
    return id;
  };
  const documentAnswer = (id: string) =>
    fetch(`${service.url}/rest/jobs/${id}/output/detection`, {
      headers: { authorization: `Bearer ${service.token}` },
    });
  /** Returns the files that the document of a job names, after a check that each one exists. */
  const namedFiles = async (id: string): Promise<readonly string[]> => {
    const text = await (await documentAnswer(id)).text();
    const found = [...text.matchAll(/"(file:[^"]+)"/g)].map(([, uri]) => fileURLToPath(uri!));
    for (const file of found) expect(existsSync(file), file).to.equal(true);
    return [...new Set(found)];
  };
  const goesOn = async (id: string) => {
    await service.ask('POST', `${STAGED}/start`);
    expect((await service.terminal(id)).jobStatus).to.equal('COMPLETE');
    const tracks = tracksOf((await service.document(id)).media[0], 'LIGHT');
    expect(tracks, 'found before').to.have.length(1);
  };
  const upload = async () => {
    const response = await fetch(`${service.url}/rest/media?name=hello-world.png`, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.token}` },
      body: readFileSync(fileURLToPath(PICTURE)),
    });
    return ((await response.json()) as { mediaUri: string }).mediaUri;
  };

  it('may be moved: documents are read and removed, live jobs go on, uploads are found', async () => {
    const { ended, live } = left;
    expect(left.length, 'nothing had moved').to.match(/^\d+$/);
    // A quote, a space and a percent sign: the database stores paths as JSON and as URIs, which escape them.
    const second = path.join(service.folder, `else"where 100%`, 'data');
    await startAt(second);

    const { outputObjectPath, mediaUris } = (await service.job(ended))!;
    expect(outputObjectPath).to.equal(path.join(second, 'output-objects', `${ended}.1`, 'detection.json'));
    expect(fileURLToPath(mediaUris[0]!).startsWith(`${path.join(second, 'uploads')}/`)).to.equal(true);
    expect((await service.document(ended)).jobId).to.equal(ended);
    expect(await namedFiles(ended), 'its upload and its picture').to.have.length(2);
    await goesOn(live);
    expect(await namedFiles(live), 'its medium, and pictures of before and after the move').to.have.length(3);
    await service.resubmit(ended);
    expect((await service.terminal(ended)).jobStatus, 'with its upload').to.equal('COMPLETE');

    // Moves the folder a second time: paths from the first and the second place must both resolve.
    await service.stop();
    dataDir = path.join(service.folder, 'third');
    renameSync(second, dataDir);
    await service.startHere({ DATA_DIR: dataDir });
    expect(await namedFiles(ended)).to.have.length(2);
    expect(await namedFiles(live)).to.have.length(3);
    const [track] = tracksOf((await service.document(ended)).media[0], 'LIGHT');
    expect(track?.exemplar.artifactPath).to.include(encodeURI(path.join('third', 'artifacts', `${ended}.2`)));
    expect(readdirSync(path.join(dataDir, 'artifacts'))).to.include(`${ended}.2`);
    expect((await service.ask('DELETE', `/rest/jobs/${ended}`)).status).to.be.within(200, 299);
    await until(
      'its files are gone',
      () =>
        existsSync(path.join(dataDir, 'artifacts', `${ended}.2`)) ||
        existsSync(path.join(dataDir, 'output-objects', `${ended}.2`)),
      (remain) => !remain,
    );
    for (const old of [first.dataDir, second])
      expect(existsSync(old), 'nothing is made at an old place').to.equal(false);
  });

  it('may be moved: retention removes what was stored before, at the new place', async () => {
    const { ended, live, uploaded } = left;
    expect(existsSync(path.join(left.at, 'artifacts', `${ended}.1`))).to.equal(true);
    await startAt(path.join(service.folder, 'moved'), {
      CLEANING_MS: '50',
      RETENTION_DAYS: '0.000001',
      UPLOAD_KEEP_DAYS: '0.000001',
    });

    await until('it is unknown', async () => (await service.job(ended)) === undefined);
    const stored = [
      `output-objects/${ended}`,
      `artifacts/${ended}`,
      `uploads/${uploaded.split('/').at(-2)!}`,
    ];
    for (const folder of stored)
      await until(`${folder} is gone`, () => !existsSync(path.join(dataDir, folder)));
    expect((await service.job(live))?.terminal).to.equal(false);
    expect(existsSync(first.dataDir), 'nothing is made at the old place').to.equal(false);
  });

  describe('is backed up by "troupe backup"', () => {
    const run = (...args: string[]) =>
      runWarm({ args, env: { PATH: process.env['PATH'], DATA_DIR: dataDir }, cwd: service.folder });
    const tool = async (...args: string[]) => {
      const { code, stderr } = await run(...args);
      return code === 0 ? 'it was done' : stderr;
    };

    it('while jobs run: a restored copy starts, has their documents, and goes on', async () => {
      const { ended, live } = left;
      await startAt(service.dataDir);
      const busy = Array.from({ length: 3 }, () => service.submit({ media: [PICTURE], ...LIGHT }));
      const file = path.join(service.folder, 'backup.db');
      const { stdout } = await run('backup', 'backup.db');
      expect(stdout).to.include('The database is in backup.db');
      const ids = await Promise.all(busy);
      const restored = path.join(service.folder, 'restored');
      mkdirSync(restored);
      const copied = readdirSync(dataDir).filter((one) => !/^(troupe\.db|lock|processes)/.test(one));
      // Folders of ended jobs may disappear during the copy. Like rsync, cp reports this and continues.
      spawnSync('cp', ['-a', ...copied.map((name) => path.join(dataDir, name)), restored]);
      cpSync(file, path.join(restored, 'troupe.db'));
      for (const id of ids) await service.terminal(id);
      await service.stop();

      dataDir = restored;
      await service.startHere({ DATA_DIR: restored });
      expect((await service.document(ended)).jobId).to.equal(ended);
      await goesOn(live);
      const known = (await Promise.all(ids.map((id) => service.job(id)))).filter((job) => job !== undefined);
      for (const { jobId } of known) expect((await service.terminal(jobId)).terminal).to.equal(true);
      const fresh = await service.submit({ media: [PICTURE], ...LIGHT });
      expect((await service.terminal(fresh)).jobStatus).to.equal('COMPLETE');
    });

    it('and a copy that was broken off goes when the service starts again', async () => {
      dataDir = service.dataDir;
      mkdirSync(dataDir, { recursive: true });
      writeFileSync(path.join(dataDir, 'backup.part'), 'half of a database');
      await service.startHere();
      expect(readdirSync(dataDir)).to.not.include('backup.part');
    });

    it('and never replaces a file, with a service or without', async () => {
      dataDir = service.dataDir;
      await service.startHere();
      const file = path.join(service.folder, 'there.db');
      writeFileSync(file, 'precious');
      expect(await tool('backup', file)).to.include(
        'exists already. Name another file: a backup never replaces one',
      );
      expect(await tool('backup', 'one.db')).to.equal('it was done');
      await service.stop();
      expect(await tool('backup', file)).to.include('exists already');
      expect(readFileSync(file, 'utf8')).to.equal('precious');
      expect(await tool('backup', 'no/such/folder/x.db')).to.include('cannot be written');
      expect(await tool('backup', 'two.db')).to.equal('it was done');
      const backups = readdirSync(service.folder).filter((name) => /\.(db|part)$/.test(name));
      expect(backups.toSorted()).to.deep.equal(['one.db', 'there.db', 'two.db']);
      for (const name of ['one.db', 'two.db'])
        expect(statSync(path.join(service.folder, name)).mode & 0o777, name).to.equal(0o600);
      expect(readdirSync(dataDir)).to.not.include('backup.part');
    });
  });
});
