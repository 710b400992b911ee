import { expect } from 'chai';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sampleUri, type Service } from '../support/processes/service.ts';
import { until } from '../support/until.ts';
import { serverPair } from './two-servers/server-pair.ts';

const SHOT = { media: [sampleUri('astronaut.png')], pipelineName: 'LIGHT PIPELINE' };

describe('Servers whose Redis comes back without its last commits', () => {
  const pair = serverPair({ LEASE_MS: '1500', RECONCILE_MS: '500' }, { oneHere: true });
  const redis = () => pair().redis;
  let one: Service;
  let two: Service;
  before(() => ({ one, two } = pair()));

  const answersAgain = (service: Service) =>
    until('it answers again', async () => (await service.ask('GET', '/rest/jobs')).status === 200);

  it('resume a job from the stored state, though all remember its end, and complete it again', async () => {
    const file = join(one.folder, 'go-on');
    const id = await one.submit({
      ...SHOT,
      pipelineName: 'TROUBLE PIPELINE',
      jobProperties: { TROUBLE: 'wait', TROUBLE_FILE: file },
    });
    await until('it is in hand', () =>
      [...one.handedOut(), ...two.handedOut()].some(
        ({ subJob, worker }) => subJob.startsWith(`${id}.`) && worker.includes('TestTrouble'),
      ),
    );
    await redis().keepCopy();
    writeFileSync(file, '');
    for (const service of [one, two]) expect((await service.terminal(id)).jobStatus).to.equal('COMPLETE');
    await redis().goBack();
    await Promise.all([answersAgain(one), answersAgain(two)]);
    for (const service of [one, two]) expect((await service.terminal(id)).jobStatus).to.equal('COMPLETE');
    expect((await two.document(id)).media[0]!.status).to.equal('COMPLETE');
    for (const service of [one, two])
      expect(service.log('an actor failed too often'), 'nobody is to blame').to.deep.equal([]);
  });

  it('end no job a second time whose document lies there, though its first results are gone', async () => {
    const file = join(one.folder, 'second-end');
    const TROUBLE = 'TROUBLE PIPELINE';
    const second = { mediaUri: SHOT.media[0]!, properties: { TROUBLE: 'wait', TROUBLE_FILE: file } };
    const id = await one.submit({ media: [...SHOT.media, second], pipelineName: TROUBLE });
    await until(
      'the first medium is done',
      () => one.job(id),
      (job) => job!.jobProgress >= 45,
    );
    await redis().keepCopy();
    writeFileSync(file, '');
    for (const service of [one, two]) expect((await service.terminal(id)).jobStatus).to.equal('COMPLETE');
    const document = await one.document(id);
    await redis().goBack();
    await Promise.all([answersAgain(one), answersAgain(two)]);
    for (const service of [one, two]) expect((await service.terminal(id)).jobStatus).to.equal('COMPLETE');
    expect(await two.document(id)).to.deep.equal(document);
  });

  it('give no job the id of one that was accepted and lost', async () => {
    await redis().keepCopy();
    const lost = await one.submit(SHOT);
    await redis().goBack();
    await Promise.all([answersAgain(one), answersAgain(two)]);
    const ids = await Promise.all([two.submit(SHOT), one.submit(SHOT)]);
    expect(ids).to.not.include(lost);
    for (const id of ids) expect((await one.terminal(id)).jobStatus).to.equal('COMPLETE');
  });
});
