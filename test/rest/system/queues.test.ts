import { expect } from 'chai';
import { RawComponent } from '../../support/processes/raw-component.ts';
import { sampleUri, Service } from '../../support/processes/service.ts';
import { until } from '../../support/until.ts';

interface Queue {
  readonly name: string;
  readonly messagesInQueue: number;
}

const ABSENT = 'TROUPE.DETECTION_ABSENT_REQUEST';
const job = { media: [sampleUri('hello-world.png')], pipelineName: 'ABSENT PIPELINE' };

describe('Queues (specification 4.8)', () => {
  let service: Service;
  before(async () => {
    service = await Service.here();
  });
  after(() => service.close());

  const list = async () => (await service.ask('GET', '/rest/queues')).body as readonly Queue[];
  const length = async (name: string) =>
    ((await service.ask('GET', `/rest/queues/${encodeURIComponent(name)}`)).body as Queue).messagesInQueue;
  const has = (name: string, n: number) =>
    until(
      `${name} has ${n} messages`,
      () => length(name),
      (seen) => seen === n,
    );

  it('are there for every algorithm and for the service’s own work, also when they are empty', async () => {
    const algorithms = (await service.ask('GET', '/rest/algorithms')).body as readonly {
      readonly name: string;
      readonly actionType: 'DETECTION' | 'MARKUP';
    }[];
    const own = [
      'MEDIA_DOWNLOAD',
      'MEDIA_INSPECTION',
      'TRACK_FEEDING',
      'TRACK_FINISHING',
      'ARTIFACT_EXTRACTION',
      'OUTPUT_OBJECT',
      'PARTIAL_FINDINGS',
      'RESULT_UPLOAD',
      'RESULT_COPY',
      'FRAME_EXTRACTION',
    ].map((name) => `TROUPE.${name}`);
    const queues = await list();
    expect(queues.map(({ name }) => name)).to.deep.equal(
      [
        ...own,
        ...algorithms.map(({ name, actionType }) => `TROUPE.${actionType}_${name}_REQUEST`),
      ].toSorted(),
    );
    expect(queues.map(({ name }) => name)).to.include('TROUPE.DETECTION_SCENE CHANGE_REQUEST');
    expect(queues.every(({ messagesInQueue }) => messagesInQueue === 0)).to.equal(true);
  });

  it('are found by their exact name, and by no other', async () => {
    const { status, body } = await service.ask('GET', '/rest/queues/TROUPE.DETECTION_SCENE%20CHANGE_REQUEST');
    expect([status, body]).to.deep.equal([
      200,
      { name: 'TROUPE.DETECTION_SCENE CHANGE_REQUEST', messagesInQueue: 0 },
    ]);
    for (const name of [
      ABSENT.toLowerCase(),
      'ABSENT',
      'TROUPE.',
      '__proto__',
      '%2e%2e',
      'a%2Fb',
      'x'.repeat(2_000),
    ]) {
      const unknown = await service.ask('GET', `/rest/queues/${name}`);
      expect([name, unknown.status]).to.deep.equal([name, 404]);
      // A name of dots changes the path.
      expect((unknown.body as { message: string }).message).to.match(
        /GET \/rest\/queues lists all|nothing at this path/,
      );
    }
  });

  it('for the service’s own work are busy while a job runs, and none of it is left in the end', async () => {
    await service.run({ media: [sampleUri('hello-world.png')], pipelineName: 'LIGHT PIPELINE' });
    const kinds = service
      .log('handed out a sub-job')
      .map(({ kind, queue }) => `${String(kind)} ${String(queue)}`);
    expect(new Set(kinds)).to.include.keys([
      'PREPARE MEDIA_INSPECTION',
      'DETECT LIGHT',
      'FINISH TRACK_FINISHING',
      'DOCUMENT OUTPUT_OBJECT',
    ]);
    expect((await list()).filter(({ messagesInQueue }) => messagesInQueue > 0)).to.deep.equal([]);
  });

  it('tell the true number of sub-jobs that wait, without those in the hands of a component', async () => {
    const ids = [await service.submit(job), await service.submit(job)];
    await has(ABSENT, 2);
    const component = new RawComponent(service);
    const [taken] = await component.claim('ABSENT');
    expect(await length(ABSENT), 'one was claimed').to.equal(1);
    await component.release(taken!.token);
    await has(ABSENT, 2);

    await service.stop();
    await service.startHere();
    await has(ABSENT, 2);

    for (const id of ids) await service.cancel(id);
    await has(ABSENT, 0);
    for (const id of ids) await service.terminal(id);
  });
});
