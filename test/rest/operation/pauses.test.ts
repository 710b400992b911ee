/** Paused queues, and drains of services, nodes and servers (extensions). */
import { expect } from 'chai';
import type { Drain, Queue } from '../../../client/answers.ts';
import { Place } from '../../cli/support/support.ts';
import { RawComponent } from '../../support/processes/raw-component.ts';
import { sampleUri, Service } from '../../support/processes/service.ts';
import { until } from '../../support/until.ts';
import { HOST } from '../system/nodes-support.ts';

const ABSENT = 'TROUPE.DETECTION_ABSENT_REQUEST';
const IMAGE = sampleUri('hello-world.png');
const job = { media: [IMAGE], pipelineName: 'ABSENT PIPELINE' };
const LIGHT = { media: [IMAGE], pipelineName: 'LIGHT PIPELINE' };

describe('An operator', () => {
  let service: Service;
  let place: Place;
  before(async () => {
    service = await Service.here();
    place = new Place();
  });
  after(async () => {
    await service.close();
    await place.leave();
  });

  const post = async <T>(path: string) => {
    const { status, body, text } = await service.ask('POST', path);
    expect(status, text).to.equal(200);
    return body as T;
  };
  const change = (verb: 'pause' | 'resume', queue = ABSENT) =>
    post<Queue>(`/rest/queues/${encodeURIComponent(queue)}/${verb}`);
  const reason = async (id: string) => (await service.detailedJob(id))?.waitingFor?.reason ?? '';
  const waits = (id: string, text: string) =>
    until(
      `job ${id} says why it waits`,
      () => reason(id),
      (seen) => seen.includes(text),
    );
  const claim = (waitMs = 0) => new RawComponent(service).claim('ABSENT', { waitMs });
  const isDone = async (id: string) => (await service.job(id))?.terminal === true;
  const end = async (id: string) => {
    await service.cancel(id);
    await service.terminal(id);
  };

  it('pauses a queue: nothing is handed out, also after a restart, until it is resumed', async () => {
    const before = await change('pause');
    expect(before).to.deep.include({ name: ABSENT, messagesInQueue: 0 });
    expect(before.paused?.by).to.be.a('string');
    const id = await service.submit(job);
    await waits(id, 'has paused the queue');
    expect(await claim()).to.deep.equal([]);

    await service.stop();
    await service.startHere();
    await waits(id, 'has paused the queue');
    expect(await claim()).to.deep.equal([]);

    const waiting = claim(20_000);
    expect(await change('resume')).to.deep.equal({ name: ABSENT, messagesInQueue: 1 });
    const [work] = await waiting;
    expect(work?.id).to.match(new RegExp(`^${id}\\.`));
    await end(id);
  });

  it('lets running work finish when it pauses the queue', async () => {
    const id = await service.submit(job);
    const component = new RawComponent(service);
    const work = await component.claimOf(id, 'ABSENT');
    await change('pause');
    expect((await component.result(work.token, [])).status).to.be.below(300);
    await service.terminal(id);
    await change('resume');
  });

  it('pauses twice as once, and sees paused queues in the list, the tool and nowhere else', async () => {
    const { paused } = await change('pause');
    expect((await change('pause')).paused).to.deep.equal(paused);
    const { body } = await service.ask('GET', '/rest/queues');
    const all = body as readonly Queue[];
    expect(all.filter((queue) => queue.paused !== undefined).map(({ name }) => name)).to.deep.equal([ABSENT]);
    const env = { TROUPE_TOKEN: service.token };
    const shown = await place.troupe(['queues', 'resume', ABSENT, '--url', service.url], env);
    expect([shown.code, shown.stdout]).to.satisfy(([code]: [number]) => code === 0);
    expect(await change('resume')).to.deep.equal({ name: ABSENT, messagesInQueue: 0 });
  });

  it('is told which queue was meant', async () => {
    const wrong = await service.ask('POST', '/rest/queues/TROUPE.DETECTION_ABSENT_REQEUST/pause');
    expect(wrong.status).to.equal(404);
    expect(wrong.body).to.include({
      code: 'queue-not-found',
      message: `There is no queue "TROUPE.DETECTION_ABSENT_REQEUST"; GET /rest/queues lists all. Did you mean ${ABSENT}?`,
    });
    const env = { TROUPE_TOKEN: service.token };
    const told = await place.troupe(['queues', 'pause', 'ABSENT', '--url', service.url], env);
    expect(told.stderr).to.include(`Did you mean ${ABSENT}?`);
    expect(told.code).not.to.equal(0);
  });

  for (const [kind, name, path] of [
    ['node', HOST, `/rest/nodes/${HOST}`],
    ['server', HOST, `/rest/servers/${HOST}`],
  ] as const)
    it(`drains a ${kind}: its services get no work until it is undrained`, async () => {
      const drained = await post<Drain>(`${path}/drain`);
      expect(drained).to.deep.include({ name, working: 0 });
      expect(drained.draining).not.to.equal(undefined);
      const { body } = await service.ask('GET', '/rest/nodes');
      expect((body as readonly Drain[])[0]?.draining).to.deep.equal(drained.draining);
      if (kind === 'server') {
        const refused = await service.create(LIGHT);
        expect([refused.status, refused.text.includes('drains this server')]).to.deep.equal([503, true]);
        expect((await service.ask('GET', '/readyz')).status).to.equal(503);
      } else {
        const id = await service.submit(LIGHT);
        await waits(id, HOST);
        expect(await isDone(id)).to.equal(false);
        await post(`${path}/undrain`);
        expect((await service.terminal(id)).jobStatus).to.equal('COMPLETE');
      }
      expect((await post<Drain>(`${path}/undrain`)).draining).to.equal(undefined);
      await service.run(LIGHT);
    });

  it('drains a service by name', async () => {
    const name = `${HOST}:TestLight:1`;
    await post(`/rest/nodes/services/${name}/drain`);
    const id = await service.submit(LIGHT);
    await waits(id, name);
    await post(`/rest/nodes/services/${name}/undrain`);
    expect((await service.terminal(id)).jobStatus).to.equal('COMPLETE');
  });

  it('is told of services, nodes and servers that are not there', async () => {
    for (const [path, message] of [
      [`/rest/nodes/services/${HOST}:TestLihgt:1/drain`, `Did you mean ${HOST}:TestLight:1?`],
      [
        `/rest/nodes/${HOST}s/drain`,
        `There is no node "${HOST}s"; GET /rest/nodes lists all. Did you mean ${HOST}?`,
      ],
      ['/rest/servers/nobody/undrain', 'There is no server "nobody"; GET /rest/nodes lists all.'],
    ] as const) {
      const { status, body } = await service.ask('POST', path);
      expect(status).to.equal(404);
      expect((body as { readonly message: string }).message).to.include(message);
    }
  });
});
