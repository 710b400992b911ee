/** GET /rest/usage: resource usage per user, also after a crash of the server. */
import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { forgetUsage } from '../../../actors/upkeep/usage-retention.ts';
import { usageBy } from '../../../actors/views/usage.ts';
import { SqliteStore } from '../../../store/sqlite/sqlite-store.ts';
import { temporaryFolder } from '../../store/folder.ts';
import { sampleUri } from '../../support/processes/service.ts';
import { ServiceWithRoles, type Client } from '../../support/roles.ts';
import { story } from '../../support/story.ts';

interface Report {
  readonly from: string;
  readonly to: string;
  readonly usage: readonly {
    readonly name: string;
    readonly jobs: number;
    readonly media: number;
    readonly bytes: number;
    readonly processingSeconds: number;
  }[];
}
const HELLO = { mediaUri: sampleUri('hello-world.png') };
const BYTES = statSync(fileURLToPath(HELLO.mediaUri)).size;

story('The usage report', 'The second test reads the usage that the first has counted.', () => {
  let roles: ServiceWithRoles;
  before(async () => {
    roles = await ServiceWithRoles.start({ JOB_VISIBILITY: 'own' });
  });
  after(() => roles.close());

  const report = async (client: Client, query = '') =>
    (await roles.as(client, 'GET', `/rest/usage${query}`)).body as Report;
  const run = async (client: Client, media: readonly object[]) => {
    const { body } = await roles.as(client, 'POST', '/rest/jobs', { media, pipelineName: 'LIGHT PIPELINE' });
    const { jobId } = body as { jobId: string };
    await roles.service.terminal(jobId);
    return jobId;
  };
  const counted = ({ usage }: Report) => usage.map(({ name, jobs, media }) => [name, jobs, media]);

  it('counts each run once, by user, pipeline and component, also over kill -9', async () => {
    const first = await run('user', [HELLO, HELLO]);
    await run('colleague', [HELLO]);
    await roles.service.kill9();
    await roles.service.start();
    await roles.as('user', 'POST', `/rest/jobs/${first}/resubmit`);
    await roles.service.terminal(first);
    await roles.as('user', 'DELETE', `/rest/jobs/${first}`);
    const all = await report('admin');
    expect(counted(all)).to.have.deep.members([
      ['user', 2, 4],
      ['colleague', 1, 1],
    ]);
    expect(Date.parse(all.to) - Date.parse(all.from)).to.equal(30 * 86_400_000);
    for (const { media, bytes } of all.usage) expect(bytes).to.equal(media * BYTES);
    for (const { processingSeconds } of all.usage) expect(processingSeconds).to.be.within(0, 60);
    expect(counted(await report('admin', '?by=pipeline'))).to.deep.equal([['LIGHT PIPELINE', 3, 5]]);
    expect(counted(await report('admin', '?by=component'))).to.deep.equal([['LIGHT', 3, 5]]);
    expect(counted(await report('admin', '?by=group'))).to.deep.equal([]);
  });

  it('shows a user the own use alone when jobs of others are hidden', async () => {
    expect(counted(await report('colleague'))).to.deep.equal([['colleague', 1, 1]]);
    const { status } = await roles.as('colleague', 'GET', '/rest/usage?by=pipeline');
    expect(status).to.equal(403);
  });

  it('refuses days that make no sense', async () => {
    for (const query of ['?from=2026-03-02&to=2026-03-01', '?from=2020-01-01', '?from=x', '?by=day'])
      expect((await roles.as('admin', 'GET', `/rest/usage${query}`)).status, query).to.equal(400);
  });
});

describe('The counters of the usage', () => {
  const path = temporaryFolder();
  it('go after 400 days, and only then', async () => {
    const store = new SqliteStore(path('usage.db'));
    const owner = { server: 'test', epoch: 1 };
    const days = ['2025-01-01', '2025-01-02', '2025-03-01'];
    await store.commit({
      ...{ actor: { kind: 'batch-job', id: '1' }, expected: 0, owner, record: {} },
      snapshot: { schema: 1, body: {} },
      counters: Object.fromEntries(days.map((day) => [`@usage:${day}/user/anna/jobs`, 1])),
    });
    const left = () =>
      usageBy(store, { by: 'user', from: Date.parse('2025-01-01'), to: Date.parse('2025-03-31') });
    const after = (days: number) => Date.parse('2025-01-01') + days * 86_400_000;
    await forgetUsage(store, owner, after(400));
    expect((await left())[0]?.jobs).to.equal(3);
    await forgetUsage(store, owner, after(401));
    await forgetUsage(store, owner, after(401));
    expect((await left())[0]?.jobs).to.equal(2);
    await forgetUsage(store, owner, after(420));
    expect((await left())[0]?.jobs).to.equal(1);
    await store.close();
  });
});
