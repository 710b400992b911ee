/** A Redis that has reached its memory limit (maxmemory). */
import { expect } from 'chai';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { redisOfSuite } from '../support/redis/redis.ts';
import { Receiver } from '../support/servers/receiver.ts';
import { sampleUri, Service } from '../support/processes/service.ts';
import { until } from '../support/until.ts';

const SHOT = { media: [sampleUri('hello-world.png')], pipelineName: 'LIGHT PIPELINE' };

describe('A server whose Redis has no memory left', () => {
  const redis = redisOfSuite();
  let service: Service;
  let receiver: Receiver;
  const env = { STORE: 'redis', CALLBACK_PRIVATE: 'true', CLEANING_MS: '200' };
  before(async () => {
    receiver = await Receiver.start();
    service = await Service.here({ ...env, REDIS_URL: redis().url });
  });
  after(async () => {
    await service?.close();
    await receiver?.close();
  });

  it('completes its jobs, reports it, and lets ended jobs be removed; new ones get 503', async () => {
    const ended = await Promise.all([service.submit(SHOT), service.submit(SHOT)]);
    for (const id of ended) await service.terminal(id);
    const file = join(service.folder, 'go-on');
    const trouble = { TROUBLE: 'wait', TROUBLE_FILE: file };
    const slow = { ...SHOT, pipelineName: 'TROUBLE PIPELINE', jobProperties: trouble };
    const id = await service.submit({
      ...slow,
      callbackURL: `${receiver.url}/ended`,
      callbackMethod: 'POST',
    });
    await until('it is in hand', () =>
      service.handedOut().some(({ subJob, worker }) => subJob.startsWith(`${id}.`) && /Trouble/.test(worker)),
    );
    await redis().set('maxmemory', '1mb');
    const refused = await until('a job is refused', async () => {
      const created = await service.create(SHOT);
      return created.status === 503 ? created : undefined;
    });
    expect(refused?.text).to.contain('The memory of Redis is nearly full');
    writeFileSync(file, '');
    expect((await service.terminal(id)).jobStatus).to.equal('COMPLETE');
    await until('its end was told', async () =>
      (await service.ask('GET', `/rest/jobs/${id}`)).text.includes('"callbackStatus":"COMPLETE"'),
    );
    expect(receiver.requests).to.have.length(1);
    expect((await service.ask('DELETE', `/rest/jobs/${ended[0]}`)).status).to.equal(204);
    await service.stop();
    await service.startHere({ RETENTION_DAYS: '0.000001' });
    await until(
      'the other one that ended has gone as well',
      async () => (await service.ask('GET', `/rest/jobs/${ended[1]}`)).status === 400,
    );
    await redis().set('maxmemory', '0');
    await until('jobs are taken again', async () => (await service.create(SHOT)).status === 201);
  });
});
