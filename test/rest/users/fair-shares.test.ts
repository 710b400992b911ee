/** Jobs of equal priority are served in turn by user, regardless of how many jobs each user has. */
import { expect } from 'chai';
import { AUDIENCE, TestProvider } from '../../access/support/provider.ts';
import { settingsOf } from '../../support/roles.ts';
import { sampleUri, Service } from '../../support/processes/service.ts';

const JOBS = 2_000;
/**
 * Jobs of the first user that may end before the other user's job: their sub-jobs are already running, in
 * every stage.
 */
const FIRST = 100;
const SENDERS = 20;

describe('A user with 2,000 jobs', function () {
  this.timeout(600_000);
  let provider: TestProvider;
  let service: Service;
  before(async () => {
    provider = await TestProvider.start();
    service = await Service.here({ ...settingsOf(provider), MAX_LIVE_JOBS: '500' }, () =>
      provider.token('admin'),
    );
  });
  after(async () => {
    await service.close();
    await provider.close();
  });

  const as = async (sub: string) => ({
    authorization: `Bearer ${await provider.forge({ claims: { aud: AUDIENCE, sub } })}`,
  });
  const JOB = { media: [{ mediaUri: sampleUri('astronaut.png') }], pipelineName: 'LIGHT PIPELINE' };
  const ended = () => service.log('a job has ended').length;

  it('does not delay the single job of another user', async () => {
    const [flood, single] = [await as('alice'), await as('bob')];
    let left = JOBS;
    const send = async () => {
      while (left-- > 0) expect((await service.ask('POST', '/rest/jobs', JOB, flood)).status).to.equal(201);
    };
    await Promise.all(Array.from({ length: SENDERS }, send));
    const before = ended();
    const created = await service.ask('POST', '/rest/jobs', JOB, single);
    const job = await service.terminal((created.body as { jobId: string }).jobId);
    expect(job.jobStatus).to.equal('COMPLETE');
    expect(before, 'most jobs of the first user wait').to.be.lessThan(JOBS - 2 * FIRST);
    expect(ended() - before).to.be.lessThan(FIRST);
  });
});
