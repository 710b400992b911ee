/**
 * Submits more jobs than the service runs at a time: they wait as INITIALIZED, then the service answers that
 * it is full.
 */
import { expect } from 'chai';
import { sampleUri, Service } from '../support/processes/service.ts';

describe('Jobs above MAX_LIVE_JOBS', () => {
  let service: Service;
  before(async () => {
    service = await Service.here({ MAX_LIVE_JOBS: '1', MAX_WAITING_JOBS: '3' });
  });
  after(() => service.close());

  const long = () => service.submit({ media: [sampleUri('astronaut.png')], pipelineName: 'ABSENT PIPELINE' });
  const short = (priority = 4) =>
    service.submit({ media: [sampleUri('astronaut.png')], pipelineName: 'LIGHT PIPELINE', priority });
  const statusOf = async (id: string) => (await service.job(id))?.jobStatus;

  it('wait as INITIALIZED, and a job beyond the limit is answered 503 with Retry-After', async () => {
    const running = await long();
    const waiting = [await short(2), await short(7), await short(7)];
    expect(await statusOf(running)).to.equal('IN_PROGRESS');
    for (const id of waiting) {
      const job = await service.job(id);
      expect([job?.jobStatus, job?.terminal, job?.jobProgress]).to.deep.equal(['INITIALIZED', false, 0]);
    }
    const full = await service.create({
      media: [sampleUri('astronaut.png')],
      pipelineName: 'LIGHT PIPELINE',
    });
    expect([full.status, full.headers.get('retry-after')]).to.deep.equal([503, '2']);
    expect((full.body as { message: string }).message).to.include('Too many jobs wait');

    await service.stop();
    await service.startHere();
    for (const id of waiting) expect(await statusOf(id), 'after a restart').to.equal('INITIALIZED');

    const cancelled = waiting.pop()!;
    expect((await service.cancel(cancelled)).status).to.equal(200);
    const job = await service.terminal(cancelled, 5_000);
    expect([job.jobStatus, (await service.document(cancelled)).status]).to.deep.equal([
      'CANCELLED',
      'CANCELLED',
    ]);

    expect((await service.cancel(running)).status).to.equal(200);
    const ended = [];
    for (const id of waiting) ended.push(await service.terminal(id));
    expect(ended.map(({ jobStatus }) => jobStatus)).to.deep.equal(['COMPLETE', 'COMPLETE']);
    const [low, high] = ended.map(({ endDate }) => Date.parse(endDate ?? ''));
    expect(high, 'higher priority first').to.be.lessThan(low!);
  });
});
