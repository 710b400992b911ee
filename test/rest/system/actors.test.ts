/** GET /rest/actors (an extension): the actors of a real server, for ADMIN users. */
import { join } from 'node:path';
import { expect } from 'chai';
import { BATCH_JOB } from '../../../actors/batch-job/state/keys.ts';
import type { ActorInfo, ActorPage } from '../../../actors/views/actors.ts';
import { SqliteStore } from '../../../store/sqlite/sqlite-store.ts';
import { Receiver } from '../../support/servers/receiver.ts';
import { ServiceWithRoles } from '../../support/roles.ts';
import { sampleUri, Service, withoutRedis } from '../../support/processes/service.ts';
import { until } from '../../support/until.ts';

const PICTURE = sampleUri('hello-world.png');
/** Has no component, so the job waits. */
const WAITING = { media: [PICTURE], pipelineName: 'ABSENT PIPELINE' };
const SHARED = [
  'admission',
  'catalog',
  'dispatcher',
  'node-configuration',
  'node-manager',
  'system-messages',
];

describe('Actors', () => {
  let roles: ServiceWithRoles;
  let service: Service;
  let begun: number;
  before(async () => {
    begun = Date.now();
    roles = await ServiceWithRoles.here({ CALLBACK_PRIVATE: 'true' });
    ({ service } = roles);
  });
  after(() => roles.close());

  const page = async (query = '') => {
    const { status, body } = await service.ask('GET', `/rest/actors${query}`);
    expect(status).to.equal(200);
    return body as ActorPage;
  };
  const actors = async (query = '?limit=500') => (await page(query)).actors;
  const the = async (name: string) => (await actors()).find((one) => one.name === name);

  it('are shown to an ADMIN and to nobody else', async () => {
    const statuses = [];
    for (const client of ['admin', 'user', 'nobody'] as const)
      statuses.push((await roles.as(client, 'GET', '/rest/actors')).status);
    expect(statuses).to.deep.equal([200, 403, 403]);
    const response = await fetch(`${service.url}/rest/actors`);
    expect(response.status).to.equal(401);
  });

  it('that serve all jobs exist from the start, without failures, with room in their mailboxes', async () => {
    const shared = await until(
      'all of them are loaded',
      async () => (await actors()).filter(({ kind }) => SHARED.includes(kind)),
      (all) => all.every(({ loadedAt }) => loadedAt !== null),
    );
    expect(new Set(shared.map(({ kind }) => kind))).to.include.keys(['catalog', 'node-manager']);
    for (const one of shared) {
      expect(one, one.name).to.include({
        parent: null,
        recentFailures: 0,
        totalFailures: 0,
        lastFailure: null,
      });
      expect(one.mailboxLimit - one.messagesWaiting, one.name).to.be.greaterThan(0);
      expect(Date.parse(one.loadedAt!), one.name).to.be.within(begun, Date.now());
    }
    expect((await the('catalog/catalog'))?.lastMessage?.type).to.be.a('string');
  });

  it('services stand below the manager of their node, with their state of specification 3.3', async () => {
    await service.run({ media: [PICTURE], pipelineName: 'LIGHT PIPELINE' });
    const all = await actors();
    const names = all.map(({ name }) => name);
    const services = all.filter(({ kind }) => kind === 'service');
    expect(services.map(({ id }) => id)).to.include.members([
      'test-host:TestLight:1',
      'test-host:TroupeMedia:1',
    ]);
    expect(new Set(services.map(({ parent }) => parent))).to.deep.equal(new Set(['node-manager/test-host']));
    const light = await until(
      'the process of LIGHT has asked for work',
      () => the('service/test-host:TestLight:1'),
      (one) => one?.status === 'Running' && one.state === 'IDLE',
    );
    expect(light?.lastMessage?.type).to.equal('started');
    expect(names.indexOf('node-manager/test-host')).to.be.lessThan(names.indexOf(services[0]!.name));
    const { kinds } = await page('?limit=1');
    expect(kinds.find(({ kind }) => kind === 'service')).to.include({
      parent: 'node-manager',
      actors: services.length,
    });
  });

  it('a job has one while it is under way, which tells its status and its last message', async () => {
    const id = await service.submit(WAITING);
    const number = id.split('-').at(-1);
    const one = await until(
      `job ${id} is in progress`,
      () => the(`batch-job/${number}`),
      (seen) => seen?.status === 'IN_PROGRESS' && seen.state === 'IDLE',
    );
    expect(one).to.include({
      kind: 'batch-job',
      id: number,
      parent: null,
      messagesWaiting: 0,
      runningMs: null,
    });
    for (const at of [one!.lastMessage!.at, one!.loadedAt!])
      expect(Date.parse(at)).to.be.within(begun, Date.now());
    await service.cancel(id);
    await service.terminal(id);
    await until(
      `the actor of job ${id} knows its end`,
      () => the(`batch-job/${number}`),
      (seen) => seen?.status === 'CANCELLED',
    );
  });

  it('a destination of callbacks has one', async () => {
    const receiver = await Receiver.start();
    try {
      await service.run({
        media: [PICTURE],
        pipelineName: 'LIGHT PIPELINE',
        callbackURL: `${receiver.url}/done`,
      });
      // The delivery actor starts after the commit that ends the job.
      const delivery = await until('there is one', () => the(`delivery/${receiver.url}`));
      expect(delivery).to.include({ kind: 'delivery', id: receiver.url, totalFailures: 0 });
    } finally {
      await receiver.close();
    }
  });

  it('come in pages, each of them once, and of one kind when that is asked for', async () => {
    const ids = await Promise.all(Array.from({ length: 12 }, () => service.submit(WAITING)));
    const numbers = ids.map((id) => id.split('-').at(-1)!);
    const found: ActorInfo[] = [];
    let next: string | null = '';
    while (next !== null) {
      const query = `?kind=batch-job&limit=5${next === '' ? '' : `&after=${encodeURIComponent(next)}`}`;
      const one: ActorPage = await page(query);
      expect(one.actors.length).to.be.lessThanOrEqual(5);
      found.push(...one.actors);
      ({ next } = one);
    }
    expect(new Set(found.map(({ kind }) => kind))).to.deep.equal(new Set(['batch-job']));
    const seen = found.map(({ id }) => id);
    expect(seen).to.include.members(numbers);
    expect(new Set(seen).size).to.equal(seen.length);
    for (const id of ids) await service.cancel(id);
  });

  it('of a kind that is not there, or after a place that is none, are refused with a sentence', async () => {
    for (const [query, sentence] of [
      ['?kind=nobody', /^There are no actors of the kind "nobody"; there are: admission, .*batch-job/],
      ['?kind=__proto__', /^There are no actors of the kind/],
      ['?after=x', /^after must be what an earlier page/],
      ['?after=nobody:1', /^after must be what an earlier page/],
      ['?kind=catalog&after=admission:1', /^after must be what an earlier page/],
      ['?limit=501', /limit: must be at most 500; it is 501/],
      ['?limit=0', /limit/],
      ['?failed=perhaps', /failed: must be true or false/],
      ['?sort=name', /query: must not have "sort"/],
    ] as const) {
      const { status, body } = await service.ask('GET', `/rest/actors${query}`);
      expect([query, status]).to.deep.equal([query, 400]);
      expect((body as { message: string }).message).to.match(sentence);
    }
  });

  it('one that fails shows why and when, and backs off or continues; the others are unaffected', async function () {
    withoutRedis.call(this);
    const id = await service.submit(WAITING);
    const number = id.split('-').at(-1)!;
    await until(
      `job ${id} is in progress`,
      () => service.job(id),
      (job) => job?.jobStatus === 'IN_PROGRESS',
    );
    await service.stop();
    await spoil(service, number);
    await service.startHere();
    const failed = await until(
      'its actor has failed',
      () => the(`batch-job/${number}`),
      (one) => one?.lastFailure != null,
    );
    expect(failed).to.include({
      totalFailures: 1,
      recentFailures: 1,
      allowedFailures: 3,
      status: null,
      loadedAt: null,
    });
    expect(failed?.state).to.be.oneOf(['BACKING_OFF', 'IDLE', 'WORKING']);
    expect(failed?.lastFailure?.message).to.include('put into quarantine');
    expect(failed?.lastFailure?.counted).to.equal(true);
    expect(Date.parse(failed!.lastFailure!.at)).to.be.within(begun, Date.now());
    const { kinds, actors: all } = await page('?limit=500');
    expect(kinds.find(({ kind }) => kind === 'batch-job')?.restarts).to.be.at.least(1);
    expect(all.filter(({ totalFailures }) => totalFailures > 0).map(({ id: one }) => one)).to.deep.equal([
      number,
    ]);
    expect((await actors('?failed=true')).map(({ id: one }) => one)).to.deep.equal([number]);
  });
});

/** Makes the stored state of a job unreadable. */
async function spoil({ dataDir }: Service, id: string): Promise<void> {
  const store = new SqliteStore(join(dataDir, 'troupe.db'));
  const actor = { kind: BATCH_JOB, id };
  const { version, owner, snapshot } = (await store.load(actor))!;
  const body = { ...(snapshot.body as object), state: { status: 'NO STATUS' } };
  await store.commit({ actor, expected: version, owner, snapshot: { ...snapshot, body } });
  await store.close();
}
