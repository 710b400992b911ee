/**
 * kill -9 of the server: acknowledged requests keep their effect, and clients may repeat requests without an
 * answer.
 */
import { readFile } from 'node:fs/promises';
import { request } from 'node:http';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { sampleUri, Service, withoutRedis } from '../../support/processes/service.ts';
import { until } from '../../support/until.ts';

const REQUEST = { media: [{ mediaUri: sampleUri('hello-world.png') }], pipelineName: 'LIGHT PIPELINE' };

interface Message {
  readonly id: number;
  readonly msg: string;
}

describe('After kill -9 of the server', () => {
  let service: Service;
  let messages: readonly Message[];
  let kept: { readonly id: string; readonly mediaUri: string };

  const listMessages = async () =>
    (await service.ask('GET', '/rest/system-message')).body as readonly Message[];
  const say = async (text: string, query = '') => {
    const { status } = await service.ask('POST', `/rest/system-message${query}`, JSON.stringify(text));
    expect(status).to.equal(201);
  };
  const uploads = () => service.files('uploads');
  const post = () => service.ask('POST', '/rest/jobs', REQUEST, { 'idempotency-key': 'asked-twice' });

  before(async () => {
    service = await Service.start();
    await say('stays');
    await say('goes', '?removeStrategy=atServerStartup');
    await say('stays, too', '?severity=error');
    messages = await listMessages();

    const plain = { 'content-type': 'text/plain' };
    const stored = await service.ask('POST', '/rest/media', 'kept', plain);
    expect(stored.status).to.equal(201);
    kept = stored.body as typeof kept;
    const endless = request(`${service.url}/rest/media`, {
      method: 'POST',
      agent: false,
      headers: { authorization: `Bearer ${service.token}` },
    });
    endless.on('error', () => undefined);
    endless.write('never ended');
    await until('it is under way', uploads, (found) => found.length === 2);

    await service.dieAt({ at: 1, when: 'before' });
    await post().catch(() => undefined);
    expect(await service.waitForExit()).to.equal('SIGKILL');
    expect(await uploads()).to.have.lengthOf(2);
    await service.startHere();
  });
  after(() => service.close());

  it('system messages are there, but for those that go at its start', async () => {
    expect(await listMessages()).to.deep.equal(messages.filter(({ msg }) => msg !== 'goes'));
    await say('later');
    expect((await listMessages()).at(-1)!.id).to.be.greaterThan(messages.at(-1)!.id);
  });

  it('uploads that were answered are there, and no part file of one that was under way', async function () {
    // With a shared Redis, another server may be receiving the upload, so it is kept for minutes.
    withoutRedis.call(this);
    expect(await uploads()).to.deep.equal([kept.id]);
    expect(await readFile(fileURLToPath(kept.mediaUri), 'utf8')).to.equal('kept');
    expect((await service.ask('DELETE', `/rest/media/${kept.id}`)).status).to.equal(204);
  });

  it('a job that had an Idempotency-Key and was not stored is made when its request is repeated', async () => {
    const first = await post();
    const { jobId } = first.body as { jobId: string };
    expect(first.status).to.equal(201);
    expect((await post()).body).to.deep.equal(first.body);
    expect((await service.terminal(jobId)).jobStatus).to.equal('COMPLETE');
  });
});
