import { expect } from 'chai';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TestProvider } from '../access/support/provider.ts';
import { redisOfSuite } from '../support/redis.ts';
import { settingsOf } from '../support/roles.ts';
import { sampleUri, Service } from '../support/service.ts';
import { until } from '../support/until.ts';

const SHOT = { media: [sampleUri('astronaut.png')], pipelineName: 'FACE DETECTION PIPELINE' };

describe('Two servers that share a Redis and a data folder', () => {
  const redis = redisOfSuite();
  let one: Service;
  let two: Service;
  let provider: TestProvider;
  const server = (name: string, env: Record<string, string> = {}) =>
    Service.started(
      {
        ...settingsOf(provider),
        FETCH_PRIVATE: 'true',
        STORE: 'redis',
        REDIS_URL: redis().url,
        REDIS_PREFIX: `cluster-${process.pid}`,
        SERVER_SILENCE_MS: '1000',
        NODE_NAME: name,
        ...env,
      },
      () => provider.token('admin'),
    );
  before(async () => {
    provider = await TestProvider.start();
    one = await server('one');
    two = await server('two', { DATA_DIR: one.dataDir });
  });
  after(async () => {
    await two?.close();
    await one?.close();
    await provider?.close();
  });

  it('show each the jobs of the other, and give each job a number of its own', async () => {
    const ids = await Promise.all([one.submit(SHOT), two.submit(SHOT), one.submit(SHOT), two.submit(SHOT)]);
    expect(new Set(ids).size).to.equal(4);
    for (const id of ids) {
      const job = await (id === ids[0] ? two : one).terminal(id);
      expect(job.jobStatus).to.equal('COMPLETE');
    }
    expect((await two.document(ids[0]!)).media[0]!.status).to.equal('COMPLETE');
    const handedOut = [...one.handedOut(), ...two.handedOut()];
    expect(handedOut.every(({ attempt }) => attempt === 1)).to.equal(true);
    expect(new Set(handedOut.map(({ subJob }) => subJob)).size, 'nothing is done twice').to.equal(
      handedOut.length,
    );
  });

  it('let a job that was created at one be cancelled at the other', async () => {
    const file = join(one.folder, 'never');
    const id = await one.submit({
      ...SHOT,
      pipelineName: 'TROUBLE PIPELINE',
      jobProperties: { TROUBLE: 'wait', TROUBLE_FILE: file },
    });
    const isInHand = () =>
      [...one.handedOut(), ...two.handedOut()].some(
        ({ subJob, worker }) => subJob.startsWith(`${id}.`) && worker.includes('TestTrouble'),
      );
    await until('it is in hand', isInHand);
    expect((await two.cancel(id)).status).to.equal(200);
    expect((await one.terminal(id)).jobStatus).to.equal('CANCELLED');
  });

  it('go on with the jobs of the one that was killed, and count no attempt for it', async () => {
    const file = join(one.folder, 'go-on');
    const jobs = await Promise.all(
      [one, one, two].map((service) =>
        service.submit({
          ...SHOT,
          pipelineName: 'TROUBLE PIPELINE',
          jobProperties: { TROUBLE: 'wait', TROUBLE_FILE: file },
        }),
      ),
    );
    await until('both have some in hand', () =>
      [one, two].every((service) => service.handedOut().some(({ worker }) => worker.includes('Trouble'))),
    );
    await one.kill9();
    writeFileSync(file, '');
    for (const id of jobs) expect((await two.terminal(id)).jobStatus).to.equal('COMPLETE');
    expect(two.handedOut().every(({ attempt }) => attempt === 1)).to.equal(true);
  });
});
