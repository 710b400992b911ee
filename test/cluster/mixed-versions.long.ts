import { expect } from 'chai';
import { Redis } from 'ioredis';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { JOB_SCHEMA } from '../../actors/batch-job/state/snapshot.ts';
import { newCommitId } from '../../store/store.ts';
import { redisOfSuite } from '../support/redis/redis.ts';
import { sampleUri, Service } from '../support/processes/service.ts';
import { until } from '../support/until.ts';

const SHOT = { media: [sampleUri('hello-world.png')] };
const KEY = '{mixed}:a:batch-job/';

describe('A server beside newer ones', () => {
  const redis = redisOfSuite();
  let service: Service;
  let client: Redis;
  before(async () => {
    client = new Redis(redis().url);
    service = await Service.here({
      ...{ STORE: 'redis', REDIS_URL: redis().url, REDIS_PREFIX: 'mixed' },
      ...{ RECONCILE_MS: '100', SERVER_SILENCE_MS: '1000', LEASE_MS: '2000' },
    });
  });
  after(async () => {
    client?.disconnect();
    await service?.close();
  });

  const waitForFile = (file: string) =>
    service.submit({
      ...SHOT,
      pipelineName: 'TROUBLE PIPELINE',
      jobProperties: { TROUBLE: 'wait', TROUBLE_FILE: file },
    });
  const numberOf = (id: string) => id.split('-').at(-1)!;
  /** Commits a job like a server with this schema version. */
  const storedAs = (id: string, schema: number) =>
    client.hset(`${KEY}${numberOf(id)}`, 'schema', schema, 'u', newCommitId());

  it('leaves alone a job whose state it cannot read; another server resumes it', async () => {
    const files = ['first', 'second'].map((name) => join(service.folder, name));
    const first = await waitForFile(files[0]!);
    const inHand = () => service.handedOut().filter(({ worker }) => worker.includes('TestTrouble'));
    await until('the first is in hand', () => inHand().length === 1);
    const newer = await waitForFile(files[1]!);
    await until('the work of the second waits', async () =>
      (await client.smembers(`{mixed}:w:of:batch-job/${numberOf(newer)}`)).some((id) => id.includes('.0.')),
    );
    await storedAs(newer, JOB_SCHEMA + 1);
    const refused = await service.cancel(newer);
    expect(refused.status, refused.text).to.equal(503);
    expect(Number(refused.headers.get('retry-after'))).to.be.greaterThan(0);
    const third = await waitForFile(files[0]!);
    writeFileSync(files[0]!, '');
    for (const id of [first, third]) expect((await service.terminal(id)).jobStatus).to.equal('COMPLETE');
    expect(inHand().filter(({ subJob }) => subJob.startsWith(`${newer}.`))).to.deep.equal([]);
    expect(service.log('ended a job that failed again and again')).to.deep.equal([]);
    expect(await client.llen('{mixed}:quarantine')).to.equal(0);

    writeFileSync(files[1]!, '');
    await storedAs(newer, JOB_SCHEMA);
    expect((await service.terminal(newer)).jobStatus).to.equal('COMPLETE');
    const attempts = inHand().filter(({ subJob }) => subJob.startsWith(`${newer}.`));
    expect(attempts.map(({ attempt }) => attempt)).to.deep.equal([1]);
  });

  it('does not start when nobody else can read a live job, and does when somebody can', async () => {
    const id = await waitForFile(join(service.folder, 'never'));
    await storedAs(id, JOB_SCHEMA + 1);
    await service.stop();
    await until('nobody is there', async () => (await client.exists('{mixed}:w:node:test-host')) === 0);
    const refused = await service.startHere().catch((error: unknown) => String(error));
    expect(refused).to.contain(`stored by a newer version of Troupe (schema ${JOB_SCHEMA + 1}`);
    const knows = JSON.stringify({ schemas: { 'batch-job': JOB_SCHEMA + 1 } });
    await client.hset('{mixed}:w:knows', 'another', knows);
    await service.startHere();
    expect((await service.ask('GET', '/rest/jobs')).status).to.equal(200);
    await storedAs(id, JOB_SCHEMA);
    expect((await service.cancel(id)).status).to.equal(200);
    expect((await service.terminal(id)).jobStatus).to.equal('CANCELLED');
  });
});
