/** What is stored goes where DATA_DIR goes: a folder that was moved, and a backup that was taken while jobs run. */
import { expect } from 'chai';
import { execFile, spawnSync } from 'node:child_process';
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
import { promisify } from 'node:util';
import { sampleUri, Service, tracksOf, withoutRedis } from '../support/service.ts';
import { ownToken } from '../support/tokens.ts';
import { until } from '../support/until.ts';

const TOOL = fileURLToPath(new URL('../../cli/main.js', import.meta.url));
const STAGED = '/rest/nodes/services/test-host:TestStaged:1';
const WITH_PICTURES = { ARTIFACT_EXTRACTION_POLICY: 'ALL_TYPES' };
const LIGHT = { pipelineName: 'LIGHT PIPELINE', jobProperties: WITH_PICTURES };

describe('The data folder', function () {
  before(withoutRedis);
  this.timeout(240_000);
  let service: Service;
  let dataDir: string;
  beforeEach(async () => {
    service = new Service({}, ({ url }) => ownToken(url, dataDir));
    dataDir = service.dataDir;
    await service.startHere();
    await service.ask('POST', '/rest/pipelines', {
      name: 'LIGHT THEN STAGED',
      description: 'The second task waits for a service.',
      tasks: ['LIGHT TASK', 'STAGED TASK'],
    });
  });
  afterEach(() => service.close());

  /** A job that has done its first task and waits for a service that is stopped. */
  const waitingJob = async () => {
    await service.ask('POST', `${STAGED}/stop`);
    const id = await service.submit({
      media: [sampleUri('rocket.jpg')],
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
  /** The files that the document of a job names; each is there. */
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
    const response = await fetch(`${service.url}/rest/media?name=rocket.jpg`, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.token}` },
      body: readFileSync(fileURLToPath(sampleUri('rocket.jpg'))),
    });
    return ((await response.json()) as { mediaUri: string }).mediaUri;
  };

  it('may be moved: documents are read and removed, live jobs go on, uploads are found', async () => {
    const ended = await service.submit({ media: [await upload()], ...LIGHT });
    await service.terminal(ended);
    const live = await waitingJob();
    expect((await documentAnswer(ended)).headers.get('content-length'), 'nothing has moved').to.match(
      /^\d+$/,
    );
    await service.stop();
    // A quote, a blank and a percent sign: paths stand in the database as JSON and as URIs.
    dataDir = path.join(service.folder, `else"where 100%`, 'data');
    mkdirSync(path.dirname(dataDir));
    renameSync(service.dataDir, dataDir);
    await service.startHere({ DATA_DIR: dataDir });

    const { outputObjectPath, mediaUris } = (await service.job(ended))!;
    expect(outputObjectPath).to.equal(path.join(dataDir, 'output-objects', `${ended}.1`, 'detection.json'));
    expect(fileURLToPath(mediaUris[0]!).startsWith(`${path.join(dataDir, 'uploads')}/`)).to.equal(true);
    expect((await service.document(ended)).jobId).to.equal(ended);
    expect(await namedFiles(ended), 'its upload and its picture').to.have.length(2);
    await goesOn(live);
    expect(await namedFiles(live), 'its medium, and pictures of before and after the move').to.have.length(3);
    // Once more: what was written at the first place is found at the third.
    await service.stop();
    dataDir = path.join(service.folder, 'third');
    renameSync(path.join(service.folder, `else"where 100%`, 'data'), dataDir);
    await service.startHere({ DATA_DIR: dataDir });
    expect(await namedFiles(ended)).to.have.length(2);
    expect(await namedFiles(live)).to.have.length(3);

    await service.resubmit(ended);
    expect((await service.terminal(ended)).jobStatus, 'with its upload').to.equal('COMPLETE');
    const [track] = tracksOf((await service.document(ended)).media[0], 'LIGHT');
    expect(track?.exemplar.artifactPath).to.include(encodeURI(path.join('third', 'artifacts', `${ended}.2`)));
    expect(readdirSync(path.join(dataDir, 'artifacts'))).to.include(`${ended}.2`);
    expect((await service.ask('DELETE', `/rest/jobs/${ended}`)).status).to.be.within(200, 299);
    await until(
      'its files are gone',
      () =>
        existsSync(path.join(dataDir, 'artifacts', `${ended}.2`)) ||
        existsSync(path.join(dataDir, 'output-objects', `${ended}.2`)),
      (left) => !left,
    );
    expect(existsSync(service.dataDir), 'nothing is made at the old place').to.equal(false);
  });

  it('may be moved: retention removes what was stored before, at the new place', async () => {
    const uploaded = await upload();
    const ended = await service.submit({ media: [uploaded], ...LIGHT });
    await service.terminal(ended);
    const live = await waitingJob();
    await service.stop();
    dataDir = path.join(service.folder, 'moved');
    renameSync(service.dataDir, dataDir);
    expect(existsSync(path.join(dataDir, 'artifacts', `${ended}.1`))).to.equal(true);
    await service.startHere({
      DATA_DIR: dataDir,
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
    expect(existsSync(service.dataDir), 'nothing is made at the old place').to.equal(false);
  });

  describe('is backed up by "troupe backup"', () => {
    const tool = (...args: string[]) =>
      promisify(execFile)(process.execPath, [TOOL, ...args], {
        cwd: service.folder,
        env: { PATH: process.env['PATH'], DATA_DIR: dataDir },
      });
    const refused = (...args: string[]) =>
      tool(...args).then(
        () => 'it was done',
        (error: { stderr: string }) => error.stderr,
      );

    it('while jobs run: a restored copy starts, has their documents, and goes on', async () => {
      const ended = await service.submit({ media: [sampleUri('rocket.jpg')], ...LIGHT });
      await service.terminal(ended);
      const live = await waitingJob();
      const busy = Array.from({ length: 8 }, () =>
        service.submit({ media: [sampleUri('rocket.jpg')], ...LIGHT }),
      );
      const file = path.join(service.folder, 'backup.db');
      const { stdout } = await tool('backup', 'backup.db');
      expect(stdout).to.include('The database is in backup.db');
      const ids = await Promise.all(busy);
      const restored = path.join(service.folder, 'restored');
      mkdirSync(restored);
      const copied = readdirSync(dataDir).filter((one) => !/^(troupe\.db|lock|processes)/.test(one));
      // Folders of jobs that end go while they are copied: like rsync, cp says so and goes on with the others.
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
      const fresh = await service.submit({ media: [sampleUri('rocket.jpg')], ...LIGHT });
      expect((await service.terminal(fresh)).jobStatus).to.equal('COMPLETE');
    });

    it('and a copy that was broken off goes when the service starts again', async () => {
      await service.stop();
      writeFileSync(path.join(dataDir, 'backup.part'), 'half of a database');
      await service.startHere();
      expect(readdirSync(dataDir)).to.not.include('backup.part');
    });

    it('and never replaces a file, with a service or without', async () => {
      const file = path.join(service.folder, 'there.db');
      writeFileSync(file, 'precious');
      expect(await refused('backup', file)).to.include('is there already; a backup never replaces a file');
      await tool('backup', 'one.db');
      await service.stop();
      expect(await refused('backup', file)).to.include('is there already');
      expect(readFileSync(file, 'utf8')).to.equal('precious');
      expect(await refused('backup', 'no/such/folder/x.db')).to.include('cannot be written');
      await tool('backup', 'two.db');
      const backups = readdirSync(service.folder).filter((name) => /\.(db|part)$/.test(name));
      expect(backups.toSorted()).to.deep.equal(['one.db', 'there.db', 'two.db']);
      for (const name of ['one.db', 'two.db'])
        expect(statSync(path.join(service.folder, name)).mode & 0o777, name).to.equal(0o600);
      expect(readdirSync(dataDir)).to.not.include('backup.part');
    });
  });
});
