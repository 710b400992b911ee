/**
 * Idempotency-Key on POST /rest/jobs (an extension): a repeated request returns the same job, also after a
 * crash.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { ArchiveServer } from '../../support/servers/archive-server.ts';
import { sampleUri, Service } from '../../support/processes/service.ts';
import { until } from '../../support/until.ts';

const PICTURE = sampleUri('digital-clock.jpg');
const REQUEST = { media: [{ mediaUri: PICTURE }], pipelineName: 'LIGHT PIPELINE' };

describe('An Idempotency-Key', () => {
  let service: Service;
  before(async () => {
    service = await Service.here({ MAX_LIVE_JOBS: '1' });
  });
  after(() => service.close());

  const post = (key: string, body: object = REQUEST) =>
    service.ask('POST', '/rest/jobs', body, { 'idempotency-key': key });
  const jobs = async () => {
    const { body } = await service.ask('GET', '/rest/jobs?limit=500');
    return (body as { jobs: readonly { jobId: string }[] }).jobs.map(({ jobId }) => jobId);
  };

  it('gives all that post the same body at once, and later, the same job', async () => {
    const before = (await jobs()).length;
    const answers = await Promise.all(Array.from({ length: 8 }, () => post('first')));
    const [first] = answers;
    expect(answers.map(({ status, body }) => ({ status, body }))).to.deep.equal(
      answers.map(() => ({ status: 201, body: first!.body })),
    );
    const { jobId } = first!.body as { jobId: string };
    await service.terminal(jobId);
    expect((await post('first')).body).to.deep.equal(first!.body);
    expect((await jobs()).length).to.equal(before + 1);
  });

  it('is refused with 422 for another body', async () => {
    expect((await post('other-body')).status).to.equal(201);
    expect((await post('other-body', { ...REQUEST, priority: 9 })).status).to.equal(422);
  });

  it('keeps no place from others, however late a repeated request comes to its end', async () => {
    const archive = await ArchiveServer.start();
    try {
      const held = [0, 1].map(() => hold());
      const metadata = { MEDIA_HASH: hashOf(PICTURE), MIME_TYPE: 'image/jpeg' };
      const body = {
        media: [{ mediaUri: PICTURE, metadata }],
        pipelineName: 'LIGHT PIPELINE',
        jobProperties: { ARCHIVE_URL: archive.url },
      };
      const answers = [];
      for (const [n, { promise }] of held.entries()) {
        archive.manners.until = promise;
        answers.push(post('asks-an-archive', body));
        await until('the archive is asked', () => archive.questions.length === n + 1);
      }
      archive.manners.until = undefined;
      held[0]!.release();
      const { jobId } = (await answers[0]!).body as { jobId: string };
      await service.terminal(jobId);
      held[1]!.release();
      expect((await answers[1]!).body).to.deep.equal((await answers[0]!).body);
      const other = await service.submit({ ...REQUEST, media: [PICTURE] });
      // Servers that share a store admit a waiting job within half a second.
      await until('it has a place', async () => (await service.job(other))?.jobStatus !== 'INITIALIZED');
      await service.terminal(other);
    } finally {
      await archive.close();
    }
  });

  it('stands for its job also after its removal: no second job is created under the first id', async () => {
    const { body } = await post('removed');
    const { jobId } = body as { jobId: string };
    await service.terminal(jobId);
    expect((await service.ask('DELETE', `/rest/jobs/${jobId}`)).status).to.equal(204);
    const standsForIt = async () => {
      const again = await post('removed');
      expect([again.status, again.body]).to.deep.equal([201, body]);
      expect(await service.job(jobId), 'the removed job').to.equal(undefined);
    };
    await standsForIt();
    await service.stop();
    await service.startHere();
    await standsForIt();
  });
});

const hashOf = (uri: string) =>
  createHash('sha256')
    .update(readFileSync(fileURLToPath(uri)))
    .digest('hex');

function hold(): { readonly promise: Promise<void>; release(): void } {
  let release = () => {};
  const promise = new Promise<void>((resolve) => (release = resolve));
  return { promise, release: () => release() };
}
