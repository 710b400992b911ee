/** Responses of a server to clients while its Redis hangs or is unreachable. */
import { expect } from 'chai';
import { Service } from '../support/processes/service.ts';
import { redisOfSuite } from '../support/redis/redis.ts';
import { until } from '../support/until.ts';

/** Longer than the test may take, so no call to Redis times out. */
const REDIS_TIMEOUT_MS = '600000';

describe('A server whose Redis does not answer', () => {
  const redis = redisOfSuite();
  let service: Service;
  before(async () => {
    service = await Service.start({ STORE: 'redis', REDIS_URL: redis().url, REDIS_TIMEOUT_MS });
  });
  after(async () => {
    redis().thaw();
    await service.close();
  });

  const readiness = async () => (await service.ask('GET', '/readyz')).status;

  it('says so, and answers 503 at once instead of waiting for it', async () => {
    expect(await readiness()).to.equal(200);
    redis().freeze();
    await until('it is not ready', async () => (await readiness()) === 503);
    for (const [method, path, body] of [
      ['GET', '/rest/jobs', undefined],
      ['POST', '/rest/jobs', { pipelineName: 'LIGHT PIPELINE', media: [{ mediaUri: 'data:,x' }] }],
    ] as const) {
      const { status, headers } = await service.ask(method, path, body);
      expect(status, `${method} ${path}`).to.equal(503);
      expect(Number(headers.get('retry-after'))).to.be.above(0);
    }
    await until('the log has the reason', () =>
      service.log().some(({ message }) => /has not answered for a second/.test(message)),
    );
  });

  it('is ready again when it answers', async () => {
    redis().thaw();
    await until('it is ready', async () => (await readiness()) === 200);
    const id = await service.submit({ pipelineName: 'LIGHT PIPELINE', media: ['data:text/plain,x'] });
    expect((await service.terminal(id)).terminal).to.equal(true);
  });
});
