/** A Redis that accepts only TLS. `cluster/shared-store` logs in as the user from the operations guide. */
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { selfSigned } from '../support/servers/certificate.ts';
import { freePort, hasRedis, rightsOf, TestRedis } from '../support/redis/redis.ts';
import { sampleUri, Service } from '../support/processes/service.ts';
import { until } from '../support/until.ts';

const SHOT = { media: [sampleUri('hello-world.png')], pipelineName: 'LIGHT PIPELINE' };

describe('A server whose Redis asks who it is', () => {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-tls-'));
  let redis: TestRedis | undefined;
  let service: Service | undefined;
  let env: Record<string, string> = {};
  const admin = () => new Redis(redis!.url);
  before(async function () {
    if (!hasRedis()) return this.skip();
    const { key, cert } = selfSigned(folder, 'redis', 'DNS:localhost');
    const port = await freePort();
    const tls = ['--tls-port', `${port}`, '--tls-cert-file', cert, '--tls-key-file', key];
    redis = await TestRedis.start([...tls, '--tls-ca-cert-file', cert, '--tls-auth-clients', 'no']);
    const client = admin();
    await client.call('ACL', 'SETUSER', 'troupe', ...rightsOf('tls', 'pass/word'));
    client.disconnect();
    const url = `rediss://troupe:pass%2Fword@localhost:${port}/0`;
    env = { STORE: 'redis', REDIS_URL: url, NODE_EXTRA_CA_CERTS: cert };
    service = await Service.start({ ...env, REDIS_PREFIX: 'tls' });
  });
  after(async () => {
    await service?.close();
    await redis?.end();
    rmSync(folder, { recursive: true });
  });

  it('works over TLS, as a user with only the rights that the page about operations names', async () => {
    const id = await service!.submit(SHOT);
    expect((await service!.terminal(id)).jobStatus).to.equal('COMPLETE');
    expect((await service!.ask('GET', '/metrics')).text).to.contain('troupe_redis_memory_used_bytes');
    expect((await service!.ask('DELETE', `/rest/jobs/${id}`)).status).to.equal(204);
    expect(await redis!.refusals()).to.deep.equal([]);
    expect(service!.log('the settings of Redis cannot be read')).to.deep.equal([]);
  });

  it('stays within its prefix', async () => {
    const refused = await Service.start({ ...env, REDIS_PREFIX: 'other' }).catch((error: unknown) =>
      String(error),
    );
    expect(refused).to.match(/cannot be used: .*NOPERM/);
    const client = admin();
    expect(await client.keys('{other}*')).to.deep.equal([]);
    client.disconnect();
  });
});

describe('A server on an endpoint of Redis Cluster with one shard', () => {
  let redis: TestRedis | undefined;
  let service: Service | undefined;
  before(async function () {
    if (!hasRedis()) return this.skip();
    redis = await TestRedis.start(['--cluster-enabled', 'yes']);
    const client = new Redis(redis.url);
    await client.call('CLUSTER', 'ADDSLOTSRANGE', '0', '16383');
    await until('it serves all slots', async () =>
      String(await client.call('CLUSTER', 'INFO')).includes('cluster_state:ok'),
    );
    client.disconnect();
    service = await Service.here({ STORE: 'redis', REDIS_URL: redis.url, REDIS_PREFIX: 'sharded' });
  });
  after(async () => {
    await service?.close();
    await redis?.end();
  });

  it('carries out jobs, deletes them, and keeps all of it under one hash tag', async () => {
    const id = await service!.submit(SHOT);
    expect((await service!.terminal(id)).jobStatus).to.equal('COMPLETE');
    expect((await service!.ask('DELETE', `/rest/jobs/${id}`)).status).to.equal(204);
    const client = new Redis(redis!.url);
    const keys = await client.keys('*');
    client.disconnect();
    expect(keys.filter((key) => !key.startsWith('{sharded}:'))).to.deep.equal([]);
    expect(service!.log().filter(({ level }) => level === 'error')).to.deep.equal([]);
  });
});
