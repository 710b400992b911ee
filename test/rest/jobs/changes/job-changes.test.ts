/** Labels and changes of accepted jobs (an extension of specification 4.2). */
import { expect } from 'chai';
import type { DetailedJobInfo } from '../../../../actors/views/jobs/job-info.ts';
import type { ListedJob } from '../../../../actors/views/jobs/job-list.ts';
import { sampleUri, Service } from '../../../support/processes/service.ts';
import { until } from '../../../support/until.ts';

const LIGHT = { media: [sampleUri('digital-clock.jpg')], pipelineName: 'LIGHT PIPELINE' };
/** Has no component, so the jobs stay in progress. */
const STUCK = { ...LIGHT, pipelineName: 'ABSENT PIPELINE' };

interface Library {
  readonly media: readonly { readonly jobId: string; readonly externalId: string | null }[];
}

describe('Labels and changes of jobs', () => {
  let service: Service;
  before(async () => {
    service = await Service.start({ MAX_LIVE_JOBS: '2' });
  });
  after(() => service.close());

  const change = (id: string, edit: unknown) => service.ask('PATCH', `/rest/jobs/${id}`, edit);
  const messageOf = ({ body }: { readonly body: unknown }) => (body as { message: string }).message;
  const listed = async (query: string) => {
    const { status, body, text } = await service.ask('GET', `/rest/jobs?${query}`);
    expect(status, text).to.equal(200);
    return (body as { jobs: readonly ListedJob[] }).jobs.map(({ jobId }) => jobId);
  };

  /** The library reads its entries from the search index, which is updated later. */
  const untilFoundAs = async (id: string, externalId: string) => {
    const mine = async () =>
      ((await service.ask('GET', '/rest/library')).body as Library).media.find(({ jobId }) => jobId === id);
    await until(`the search has ${id} as ${externalId}`, mine, (one) => one?.externalId === externalId);
  };

  it('keep the labels of the request, each once, and show them with details', async () => {
    const id = await service.submit({ ...LIGHT, labels: ['set:night', 'a.b_c-1', 'set:night'] });
    await service.terminal(id);
    expect((await service.detailedJob(id))?.labels).to.deep.equal(['set:night', 'a.b_c-1']);
    expect(await service.job(id)).not.to.have.property('labels');
  });

  it('refuse a label that is long, empty or has other characters, and more than 16', async () => {
    const refused = async (labels: unknown) => {
      const { status, body } = await service.create({ ...LIGHT, labels });
      return [status, (body as { coreResponse: { message: string } }).coreResponse.message] as const;
    };
    const [status, message] = await refused(['x'.repeat(10_000)]);
    expect(status).to.equal(400);
    expect(message).to.include('labels[0]: must have 1 to 64 characters').and.include('has 10000 characters');
    expect(message.length).to.be.below(300);
    expect((await refused(['']))[1]).to.include('labels[0]');
    expect((await refused(['two words']))[1]).to.include('"two words"');
    expect((await refused(Array.from({ length: 17 }, (_, n) => `l${n}`)))[1]).to.include(
      'at most 16 entries',
    );
    expect((await refused('night'))[0]).to.equal(400);
    const query = await service.ask('GET', `/rest/jobs?label=${'x'.repeat(100)}`);
    expect([query.status, messageOf(query)]).to.satisfy(
      ([code, text]: [number, string]) => code === 400 && text.includes('label[0]'),
    );
  });

  it('find jobs by label, by several labels, and by label and status', async () => {
    const both = await service.submit({ ...LIGHT, labels: ['find:1', 'find:2'] });
    const one = await service.submit({ ...LIGHT, labels: ['find:1'] });
    await service.terminal(both);
    await service.terminal(one);
    expect(await listed('label=find:1')).to.deep.equal([one, both]);
    expect(await listed('label=find:1&label=find:2')).to.deep.equal([both]);
    expect(await listed('label=find:1,find:2')).to.deep.equal([both]);
    expect(await listed('label=find:1&status=COMPLETE&limit=1')).to.deep.equal([one]);
    expect(await listed('label=find:1&status=ERROR')).to.deep.equal([]);
    expect(await listed('label=find:none')).to.deep.equal([]);
  });

  it('change labels and external id of a job that has ended, also after kill -9 and resubmit', async () => {
    const id = await service.submit({ ...LIGHT, externalId: 'before', labels: ['old'] });
    await service.terminal(id);
    await untilFoundAs(id, 'before');
    const { status, body } = await change(id, { labels: ['new'], externalId: 'after' });
    const job = body as DetailedJobInfo;
    expect([status, job.labels, job.externalId]).to.deep.equal([200, ['new'], 'after']);
    await service.kill9();
    await service.start();
    await untilFoundAs(id, 'after');
    expect(await listed('label=new')).to.deep.equal([id]);
    expect(await listed('externalId=after')).to.deep.equal([id]);
    expect(await listed('label=old')).to.deep.equal([]);
    expect(await listed('externalId=before')).to.deep.equal([]);
    expect((await service.resubmit(id)).status).to.equal(200);
    await service.terminal(id);
    expect((await service.detailedJob(id))?.labels).to.deep.equal(['new']);
    expect((await service.document(id))['externalJobId']).to.equal('after');
    expect(
      ((await change(id, { labels: [], externalId: null })).body as DetailedJobInfo).externalId,
    ).to.equal(null);
    expect(await listed('label=new')).to.deep.equal([]);
  });

  it('change the priority of jobs that wait for admission, which then begin in the new order', async () => {
    const stuck = [await service.submit(STUCK), await service.submit(STUCK)];
    const first = await service.submit({ ...LIGHT, priority: 4 });
    const second = await service.submit({ ...LIGHT, priority: 4 });
    const { status, body } = await change(second, { priority: 9 });
    expect([status, (body as DetailedJobInfo).jobPriority]).to.deep.equal([200, 9]);
    await service.cancel(stuck[0]!);
    const [late, early] = [await service.terminal(first), await service.terminal(second)];
    expect(Date.parse(early.endDate!)).to.be.at.most(Date.parse(late.startDate));
    await service.cancel(stuck[1]!);
  });

  it('change the priority of a running job, and of its work that waits', async () => {
    const before = await service.submit({ ...STUCK, priority: 4 });
    const id = await service.submit({ ...STUCK, priority: 2 });
    const position = async () => (await service.detailedJob(id))?.waitingFor?.position;
    await until('its work waits behind that of the other', position, (at) => at === 2);
    expect((await change(id, { priority: 8 })).status).to.equal(200);
    await until('its work waits before that of the other', position, (at) => at === 1);
    expect((await service.detailedJob(id))?.jobPriority).to.equal(8);
    for (const job of [before, id]) await service.cancel(job);
  });

  it('refuse what cannot be changed, with the reason', async () => {
    const id = await service.submit(LIGHT);
    await service.terminal(id);
    const ended = await change(id, { priority: 3, labels: ['x'] });
    expect([ended.status, messageOf(ended)]).to.deep.equal([
      409,
      `Job ${id} has ended, so its priority cannot be changed. Resubmit it with another priority, or change only its labels and external id.`,
    ]);
    expect((await service.detailedJob(id))?.labels, 'nothing of it is done').to.deep.equal([]);
    expect((await change(id, { priority: 4 })).status, 'it is that already').to.equal(200);
    expect((await change('test-host-99999', { labels: [] })).status).to.equal(404);
    expect((await change('x', { labels: [] })).status).to.equal(404);
    for (const wrong of [
      {},
      { priority: 10 },
      { labels: ['x'.repeat(10_000)] },
      { externalId: 'x'.repeat(1_001) },
    ]) {
      const answer = await change(id, wrong);
      expect([answer.status, messageOf(answer)]).to.satisfy(
        ([status, text]: [number, string]) => status === 400 && text.length < 400,
      );
    }
  });
});
