/**
 * The server stores long data: URIs of requests as files in DATA_DIR. Clients see no difference, and no file
 * is lost or left behind.
 */
import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { sampleUri } from '../../support/processes/service.ts';
import { until } from '../../support/until.ts';
import { CUT, DataUriSuite, LIGHT, LONG, OTHER, SHORT } from './data-uris-suite.ts';

describe('data: URIs of a request', () => {
  const suite = new DataUriSuite({ STORED_DATA_URI_LENGTH: '8192' });

  it('are told whole of a job and in its document; lists tell of long ones what they are', async () => {
    const media = [LONG, sampleUri('astronaut.png'), SHORT, OTHER];
    const id = await suite.service.submit({ media, ...LIGHT });
    expect((await suite.service.terminal(id)).jobStatus).to.equal('COMPLETE');
    expect((await suite.service.job(id))?.mediaUris).to.deep.equal(media);
    expect((await suite.service.detailedJob(id))?.mediaUris).to.deep.equal(media);
    expect(await suite.paths(id)).to.deep.equal(media);
    expect((await suite.listNewest()).mediaUris).to.deep.equal([CUT, media[1], SHORT, CUT]);
    expect(await suite.requests()).to.have.length(1);
  });

  it('are named by what they are where a live job tells what went wrong in them', async () => {
    const torn = readFileSync(fileURLToPath(sampleUri('astronaut.png'))).subarray(0, 9_000);
    const broken = `data:image/png;base64,${torn.toString('base64')}`;
    const id = await suite.service.submit({
      media: [broken, sampleUri('astronaut.png')],
      pipelineName: 'ABSENT PIPELINE',
    });
    const issues = async () =>
      (await suite.service.ask('GET', `/rest/jobs/${id}/issues`)).body as {
        readonly errors: { readonly shown: readonly { readonly mediaUri: string }[] };
      };
    const { errors } = await until('it tells of an error', issues, (found) => found.errors.shown.length > 0);
    expect(errors.shown[0]?.mediaUri).to.equal('data:image/png;base64,<truncated>');
    await suite.service.cancel(id);
    await suite.service.terminal(id);
    expect((await suite.paths(id))[0]).to.equal(broken);
  });

  it('are written once when a request comes twice at once', async () => {
    const twice = () =>
      suite.service.ask(
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
    await suite.service.terminal(id!);
    await until(
      'one file is left',
      () => suite.requests(),
      ({ length }) => length === 1,
    );
    expect(await suite.paths(id!)).to.deep.equal([LONG]);
  });

  it('whose file was removed are an error of their media in another run; the others continue', async () => {
    const id = await suite.service.submit({ media: [LONG, SHORT], ...LIGHT });
    await suite.service.terminal(id);
    await rm(join(suite.service.dataDir, 'requests'), { recursive: true });
    expect((await suite.service.job(id))?.mediaUris).to.deep.equal([CUT, SHORT]);
    expect((await suite.service.resubmit(id)).status).to.equal(200);
    expect((await suite.service.terminal(id)).jobStatus).to.equal('ERROR');
    const { media, errors } = await suite.service.document(id);
    expect(media.map(({ path, status }) => [path, status])).to.deep.equal([
      [CUT, 'ERROR'],
      [SHORT, 'COMPLETE'],
    ]);
    expect(JSON.stringify(errors)).to.contain('LOCAL_STORAGE').and.to.contain('Create a new job');
  });

  it('go with the job when it is deleted, or its time is over', async () => {
    const ids = [
      await suite.service.submit({ media: [LONG], ...LIGHT }),
      await suite.service.submit({ media: [OTHER], ...LIGHT }),
    ];
    for (const id of ids) await suite.service.terminal(id);
    expect(await suite.requests()).to.have.length(2);
    expect((await suite.service.ask('DELETE', `/rest/jobs/${ids[0]}`)).status).to.equal(204);
    await until(
      'the first is gone',
      () => suite.requests(),
      ({ length }) => length === 1,
    );
    await suite.restart({ RETENTION_DAYS: '0.000001' });
    await until(
      'the other is gone',
      () => suite.requests(),
      ({ length }) => length === 0,
    );
    await suite.restart({ RETENTION_DAYS: '0' });
  });

  it('are those of the job when the server died right after it was stored', async () => {
    await suite.service.stop();
    await suite.service.start({ RETENTION_DAYS: '0' });
    await suite.dies('after', LONG);
    await suite.service.startHere();
    const { jobId } = await suite.listNewest();
    expect((await suite.service.terminal(jobId)).jobStatus).to.equal('COMPLETE');
    expect(await suite.paths(jobId)).to.deep.equal([LONG]);
    expect((await suite.service.resubmit(jobId)).status).to.equal(200);
    expect((await suite.service.terminal(jobId)).jobStatus).to.equal('COMPLETE');
    expect(await suite.paths(jobId)).to.deep.equal([LONG]);
  });
});
