/** Long data: URIs of requests lie in files of DATA_DIR: clients notice nothing of it, and nothing is left behind or lost. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { pictureUri } from '../support/data-uri.ts';
import type { DeathWish } from '../support/server-main.ts';
import { sampleUri, Service } from '../support/service.ts';
import { until } from '../support/until.ts';

const LONG = pictureUri(60, 60);
const OTHER = pictureUri(61, 61);
const SHORT = pictureUri(5, 5);
const CUT = 'data:image/bmp;base64,<truncated>';
const LIGHT = { pipelineName: 'LIGHT PIPELINE', jobProperties: { ARTIFACT_EXTRACTION_POLICY: 'NONE' } };
const DAYS_MS = 2 * 24 * 60 * 60 * 1000;

describe('data: URIs of a request', () => {
  let service: Service;
  /** Files of the tests before. */
  let others: readonly string[];
  before(async () => {
    service = await Service.here({ CLEANING_MS: '50', STORED_DATA_URI_LENGTH: '100000000' });
  });
  after(() => service.close());
  beforeEach(async () => {
    others = await service.files('requests');
  });

  const requests = async () => (await service.files('requests')).filter((name) => !others.includes(name));
  /** The newest job, as the list tells it. */
  const listed = async () => {
    const { body } = await service.ask('GET', '/rest/jobs?limit=1');
    return (body as { jobs: readonly { jobId: string; mediaUris: readonly string[] }[] }).jobs[0]!;
  };
  const restart = async (env: Readonly<Record<string, string>>) => {
    await service.stop();
    await service.startHere(env);
  };
  const paths = async (id: string) => (await service.document(id)).media.map(({ path }) => path);
  /** As if all that lies there had come long ago. */
  const age = async () => {
    const then = new Date(Date.now() - DAYS_MS);
    for (const name of await service.files('requests'))
      utimesSync(join(service.dataDir, 'requests', name), then, then);
  };

  it('that an earlier version has stored with the job stay as they are', async () => {
    const id = await service.submit({ media: [LONG], ...LIGHT });
    expect(await requests()).to.deep.equal([]);
    await restart({ STORED_DATA_URI_LENGTH: '8192' });
    await service.terminal(id);
    expect((await service.job(id))?.mediaUris).to.deep.equal([LONG]);
    expect((await listed()).mediaUris).to.deep.equal([CUT]);
    expect((await service.resubmit(id)).status).to.equal(200);
    expect((await service.terminal(id)).jobStatus).to.equal('COMPLETE');
    expect(await paths(id)).to.deep.equal([LONG]);
  });

  it('are told whole of a job and in its document; lists tell of long ones what they are', async () => {
    const media = [LONG, sampleUri('astronaut.png'), SHORT, OTHER];
    const id = await service.submit({ media, ...LIGHT });
    expect((await service.terminal(id)).jobStatus).to.equal('COMPLETE');
    expect((await service.job(id))?.mediaUris).to.deep.equal(media);
    expect((await service.detailed(id))?.mediaUris).to.deep.equal(media);
    expect(await paths(id)).to.deep.equal(media);
    expect((await listed()).mediaUris).to.deep.equal([CUT, media[1], SHORT, CUT]);
    expect(await requests()).to.have.length(1);
  });

  it('are named by what they are where a live job tells what went wrong in them', async () => {
    const broken = `data:video/mp4;base64,${'AAAA'.repeat(3_000)}`;
    const file = join(service.folder, 'go-on');
    const id = await service.submit({
      media: [broken, sampleUri('astronaut.png')],
      pipelineName: 'TROUBLE PIPELINE',
      jobProperties: { TROUBLE: 'wait', TROUBLE_FILE: file },
    });
    const issues = async () =>
      (await service.ask('GET', `/rest/jobs/${id}/issues`)).body as {
        readonly errors: { readonly shown: readonly { readonly mediaUri: string }[] };
      };
    const { errors } = await until('it tells of an error', issues, (found) => found.errors.shown.length > 0);
    expect(errors.shown[0]?.mediaUri).to.equal('data:video/mp4;base64,<truncated>');
    writeFileSync(file, '');
    await service.terminal(id);
    expect((await paths(id))[0]).to.equal(broken);
  });

  it('are written once when a request comes twice at once', async () => {
    const twice = () =>
      service.ask(
        'POST',
        '/rest/jobs',
        { media: [{ mediaUri: LONG }], ...LIGHT },
        { 'idempotency-key': 'k' },
      );
    const answers = await Promise.all([twice(), twice(), twice()]);
    expect(answers.map(({ status }) => status)).to.deep.equal([201, 201, 201]);
    const ids = new Set(answers.map(({ body }) => (body as { jobId: string }).jobId));
    expect(ids.size).to.equal(1);
    const [id] = [...ids];
    await service.terminal(id!);
    await until('one file is left', requests, ({ length }) => length === 1);
    expect(await paths(id!)).to.deep.equal([LONG]);
  });

  it('whose file somebody has removed are an error of their media in another run, and the others go on', async () => {
    const id = await service.submit({ media: [LONG, SHORT], ...LIGHT });
    await service.terminal(id);
    await rm(join(service.dataDir, 'requests'), { recursive: true });
    expect((await service.job(id))?.mediaUris).to.deep.equal([CUT, SHORT]);
    expect((await service.resubmit(id)).status).to.equal(200);
    expect((await service.terminal(id)).jobStatus).to.equal('ERROR');
    const { media, errors } = await service.document(id);
    expect(media.map(({ path, status }) => [path, status])).to.deep.equal([
      [CUT, 'ERROR'],
      [SHORT, 'COMPLETE'],
    ]);
    expect(JSON.stringify(errors)).to.contain('LOCAL_STORAGE').and.to.contain('make a new job');
  });

  it('for which the disk has no room are refused with 503, and nothing is left', async function () {
    const folder = join(service.dataDir, 'requests');
    mkdirSync(folder, { recursive: true });
    const newest = (await listed()).jobId;
    const words = ['-t', 'tmpfs', '-o', 'size=64k', 'none', folder];
    // Only root may make a small disk.
    if (spawnSync('mount', words).status !== 0) return this.skip();
    try {
      const refused = await service.create({ media: [pictureUri(200, 200)], ...LIGHT });
      expect([refused.status, refused.headers.get('retry-after')]).to.deep.equal([503, '2']);
      expect((refused.body as { message: string }).message).to.contain('The disk of the server is full');
      expect(await requests()).to.deep.equal([]);
      expect((await listed()).jobId).to.equal(newest);
      const { media } = await service.run({ media: [LONG], ...LIGHT });
      expect(media[0]?.path).to.equal(LONG);
    } finally {
      spawnSync('umount', ['-l', folder]);
    }
  });

  it('all lie in files when the store is to have none, and none does when all are short', async () => {
    await service.run({ media: [SHORT], ...LIGHT });
    expect(await requests()).to.deep.equal([]);
    await restart({ STORED_DATA_URI_LENGTH: '0' });
    const id = await service.submit({ media: [SHORT], ...LIGHT });
    await service.terminal(id);
    expect(await requests()).to.have.length(1);
    expect(await paths(id)).to.deep.equal([SHORT]);
  });

  it('go with the job when it is deleted, or its time is over', async () => {
    const ids = [
      await service.submit({ media: [LONG], ...LIGHT }),
      await service.submit({ media: [OTHER], ...LIGHT }),
    ];
    for (const id of ids) await service.terminal(id);
    expect(await requests()).to.have.length(2);
    expect((await service.ask('DELETE', `/rest/jobs/${ids[0]}`)).status).to.equal(204);
    await until('the first is gone', requests, ({ length }) => length === 1);
    await restart({ RETENTION_DAYS: '0.000001' });
    await until('the other is gone', requests, ({ length }) => length === 0);
  });

  describe('of servers that died', () => {
    let left: string;
    const dying = async (when: DeathWish['when'], mediaUri: string) => {
      await service.dieAt({ at: 1, when });
      await service.create({ media: [mediaUri], ...LIGHT }).catch(() => undefined);
      await service.ended();
    };
    before(async () => {
      await service.stop();
      await service.start({ RETENTION_DAYS: '0', STORED_DATA_URI_LENGTH: '8192' });
      const before = await service.files('requests');
      await dying('before', OTHER);
      left = (await service.files('requests')).find((name) => !before.includes(name)) ?? 'none';
      await service.start();
      await dying('after', LONG);
    });

    it('go after a day when the job was not stored', async () => {
      const files = () => service.files('requests');
      expect(await files(), 'it might still have become a job').to.include(left);
      await age();
      await service.startHere();
      await until('it is gone', files, (names) => !names.includes(left));
      expect(service.log('removing a file of a request that no job was made of')).to.have.length(1);
    });

    it('are those of the job when it was stored', async () => {
      const { jobId } = await listed();
      expect((await service.terminal(jobId)).jobStatus).to.equal('COMPLETE');
      expect(await paths(jobId)).to.deep.equal([LONG]);
      expect((await service.resubmit(jobId)).status).to.equal(200);
      expect((await service.terminal(jobId)).jobStatus).to.equal('COMPLETE');
      expect(await paths(jobId)).to.deep.equal([LONG]);
    });
  });
});
