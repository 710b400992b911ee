/**
 * GET /rest/jobs/{id}/events and GET /rest/jobs/events (extensions): changes of jobs as server-sent events.
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { makeVideo } from '../../media/support/make-video.ts';
import { EventClient } from '../../support/events.ts';
import { sampleUri, Service } from '../../support/processes/service.ts';
import { until, within } from '../../support/until.ts';

describe('GET /rest/jobs/{id}/events', () => {
  let service: Service;
  before(async () => {
    service = await Service.here({
      MAX_EVENT_STREAMS: '5',
      EVENTS_POLL_MS: '20',
      EVENTS_HEARTBEAT_MS: '100',
      CANCEL_GRACE_MS: '200',
      DRAIN_MS: '100',
    });
    makeVideo(join(service.mediaDir, 'video.avi'), { frames: 60, encoder: 'mpeg4' });
  });
  after(() => service.close());

  const slow = () =>
    service.submit({
      media: [pathToFileURL(join(service.mediaDir, 'video.avi')).href],
      pipelineName: 'TROUBLE PIPELINE',
      algorithmProperties: { TROUBLE: { TROUBLE: 'slow' } },
    });
  /** Waits until it is cancelled, because its component does not exist. */
  const waitingJob = () =>
    service.submit({ media: [sampleUri('hello-world.png')], pipelineName: 'ABSENT PIPELINE' });
  const light = () =>
    service.submit({ media: [sampleUri('hello-world.png')], pipelineName: 'LIGHT PIPELINE' });
  const watch = (id: string, options?: Parameters<typeof EventClient.open>[2]) =>
    EventClient.open(service, `/rest/jobs/${id}/events`, options);
  const waitForEnd = (client: EventClient) => within(20_000, 'the stream ends', client.end);

  it('sends the state of a job at once, then every change, and ends after the terminal event', async () => {
    const id = await slow();
    const client = await watch(id);
    expect([client.status, client.response.headers['content-type']]).to.deep.equal([
      200,
      'text/event-stream; charset=utf-8',
    ]);
    expect(client.response.headers).to.include({
      'x-accel-buffering': 'no',
      'cache-control': 'no-store, no-transform',
    });
    const movingEvents = () => client.events.filter(({ data }) => data.jobProgress > 0 && !data.terminal);
    await until('three events tell of progress', () => movingEvents().length >= 3);
    expect(movingEvents()[0]?.data).to.include({ jobId: id, jobStatus: 'IN_PROGRESS', stage: 'TASK' });
    expect(movingEvents()[0]?.data.task).to.deep.equal({ name: 'TROUBLE TASK', number: 1, of: 1 });
    await service.cancel(id);
    await waitForEnd(client);
    const { events } = client;
    expect(client.retry).to.equal(2_000);
    expect(events.map((event) => event.id)).to.deep.equal(events.map((_, n) => n + 1));
    expect(new Set(events.map(({ name }) => name))).to.deep.equal(new Set(['job']));
    expect(events.map(({ data }) => data.terminal)).to.deep.equal(
      events.map((_, n) => n === events.length - 1),
    );
    expect(events.at(-1)?.data).to.include({ jobStatus: 'CANCELLED', jobProgress: 100, stage: 'ENDED' });
    for (const [n, event] of events.entries()) {
      const before = events[n - 1]?.data;
      expect(event.data, 'only changes are told').to.not.deep.equal(before);
      expect(event.data.jobProgress).to.be.at.least(before?.jobProgress ?? 0);
    }
  });

  it('tells all who watch a job the same, and one who comes later how it stands by then', async () => {
    const id = await light();
    const clients = await Promise.all([watch(id), watch(id), watch(id)]);
    await Promise.all(clients.map(waitForEnd));
    for (const { events } of clients) expect(events.at(-1)?.data.jobStatus).to.equal('COMPLETE');
    const late = await watch(id);
    await waitForEnd(late);
    expect(late.events.map(({ data }) => [data.jobStatus, data.terminal])).to.deep.equal([
      ['COMPLETE', true],
    ]);
  });

  it('goes on counting for a client that comes again', async () => {
    const id = await light();
    await service.terminal(id);
    const client = await watch(id, { headers: { 'last-event-id': '41' } });
    await waitForEnd(client);
    expect(client.events.map((event) => event.id)).to.deep.equal([42]);
  });

  it('answers as declared, and 400 with an empty body for an unknown or a streaming job', async () => {
    const id = await light();
    expect((await service.ask('GET', `/rest/jobs/${id}/events`)).status).to.equal(200);
    for (const path of [
      '/rest/jobs/test-host-999/events',
      '/rest/jobs/x/events',
      '/rest/streaming/jobs/1/events',
    ]) {
      const { status, text } = await service.ask('GET', path);
      expect([status, text], path).to.deep.equal([400, '']);
    }
  });

  it('sends heartbeats, answers 503 above the limit, and has room when a client hangs up', async () => {
    const id = await waitingJob();
    const clients: EventClient[] = [];
    for (let n = 0; n < 5; n++) clients.push(await watch(id));
    await until('there is a sign of life', () => clients.every(({ beats }) => beats >= 2));
    const full = await service.ask('GET', `/rest/jobs/${id}/events`);
    expect([full.status, full.headers.get('retry-after')]).to.deep.equal([503, '2']);
    expect((full.body as { message: string }).message).to.include('There are 5 event streams already');

    clients.pop()?.hangUp();
    const next = await until('there is room again', async () => {
      const client = await watch(id);
      return client.status === 200 ? client : undefined;
    });
    await until('it is told', () => next!.events.length > 0);
    await service.cancel(id);
    await Promise.all([...clients, next!].map(waitForEnd));
    for (const { events } of clients) expect(events.at(-1)?.data.terminal).to.equal(true);
  });

  describe('of the list', () => {
    interface Told {
      readonly jobs: readonly { readonly jobId: string; readonly jobStatus: string }[];
      readonly order: readonly string[];
      readonly next: string | null;
    }
    const eventData = ({ events }: EventClient) => events.map(({ data }) => data as unknown as Told);
    const list = (query: string) => EventClient.open(service, `/rest/jobs/events?${query}`);

    it('tell a page, then only the jobs that are new or have changed, with the order of all', async () => {
      const first = await light();
      await service.terminal(first);
      const client = await list('limit=2');
      await until('the page is told', () => client.events.length > 0);
      expect(eventData(client)[0]?.order[0]).to.equal(first);
      expect(eventData(client)[0]?.jobs.map(({ jobId }) => jobId)).to.deep.equal(eventData(client)[0]?.order);

      const second = await light();
      const ends = (one: Told) =>
        one.jobs.some(({ jobId, jobStatus }) => jobId === second && jobStatus === 'COMPLETE');
      await until('the second job is told to its end', () => eventData(client).some(ends));
      const [, ...later] = eventData(client);
      expect(later.map(({ order }) => order[0])).to.deep.equal(later.map(() => second));
      expect(later.at(-1)?.order).to.deep.equal([second, first]);
      for (const { jobs } of later) expect(jobs.map(({ jobId }) => jobId)).to.deep.equal([second]);
      expect(new Set(client.events.map(({ name }) => name))).to.deep.equal(new Set(['jobs']));

      await service.ask('DELETE', `/rest/jobs/${second}`);
      await until('the job has left the page', () => !eventData(client).at(-1)!.order.includes(second));
      expect(eventData(client).at(-1)?.order[0]).to.equal(first);
      client.hangUp();
    });

    it('tell those that the filters let through, and refuse what GET /rest/jobs refuses', async () => {
      const client = await list('terminal=false');
      await until('the page is told', () => client.events.length > 0);
      expect(eventData(client)[0]?.order).to.deep.equal([]);
      const id = await waitingJob();
      await until('the job has come', () => eventData(client).at(-1)!.order.includes(id));
      await service.cancel(id);
      await until('it has gone', () => eventData(client).at(-1)!.order.length === 0);
      client.hangUp();
      expect((await service.ask('GET', '/rest/jobs/events?limit=0')).status).to.equal(400);
    });

    it('end when the server stops, as those of jobs do, and a returning client sees the job resume', async () => {
      const id = await waitingJob();
      const clients = [await watch(id), await list('')] as const;
      const [ofJob] = clients;
      await until('it runs', () => ofJob.events.some(({ data }) => data.stage === 'TASK'));
      await until('the page is told', () => clients[1].events.length > 0);
      const stopped = service.stop();
      for (const client of clients) {
        await waitForEnd(client);
        expect(client.response.complete, 'the stream was ended, not cut off').to.equal(true);
      }
      const last = ofJob.events.at(-1)!;
      expect(last.data.terminal).to.equal(false);
      expect(await stopped).to.equal(0);
      await service.startHere();
      const again = await watch(id, { headers: { 'last-event-id': String(last.id) } });
      await until('the job is told', () => again.events.length > 0);
      expect(again.events[0]!.id).to.equal(last.id + 1);
      await service.cancel(id);
      await waitForEnd(again);
    });
  });
});
