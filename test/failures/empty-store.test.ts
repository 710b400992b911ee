/** A store that is empty by mistake while DATA_DIR has files of jobs: the server overwrites none of them. */
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { SqliteStore } from '../../store/sqlite/sqlite-store.ts';
import { hasRedis, TestRedis } from '../support/redis/redis.ts';
import { sampleUri, Service, withoutRedis } from '../support/processes/service.ts';
import { story } from '../support/story.ts';

const SHOT = { media: [sampleUri('hello-world.png')], pipelineName: 'LIGHT PIPELINE' };

/** The message of a start that fails. */
const refusalOf = (service: Service, env: Readonly<Record<string, string>> = {}): Promise<string> =>
  service.startHere(env).then(
    () => 'it has started',
    (error: unknown) => (error as Error).message,
  );

/** Runs two jobs and stops the service. Returns their documents. */
async function useService(service: Service): Promise<ReadonlyMap<string, string>> {
  await service.startHere();
  for (const id of [await service.submit(SHOT), await service.submit(SHOT)]) await service.terminal(id);
  await service.stop();
  return documents(service);
}

function documents({ dataDir }: Service): ReadonlyMap<string, string> {
  const folder = join(dataDir, 'output-objects');
  return new Map(
    readdirSync(folder).map((name) => [name, readFileSync(join(folder, name, 'detection.json'), 'utf8')]),
  );
}

/** Starts with an empty store, runs a job, and checks its number and the earlier documents. */
async function beginsAnew(service: Service, before: ReadonlyMap<string, string>): Promise<void> {
  await service.startHere({ ALLOW_EMPTY_STORE: 'true' });
  const id = await service.submit(SHOT);
  expect(id).to.equal('test-host-3');
  expect((await service.terminal(id)).jobStatus).to.equal('COMPLETE');
  const after = documents(service);
  expect([...after.keys()].toSorted()).to.deep.equal([...before.keys(), `${id}.1`].toSorted());
  for (const [name, text] of before) expect(after.get(name), name).to.equal(text);
}

describe('A data folder with files of jobs, and a database', () => {
  before(withoutRedis);
  const service = new Service();
  let seen: ReadonlyMap<string, string>;
  const database = join(service.dataDir, 'troupe.db');
  const backup = join(service.folder, 'backup.db');
  /** A data folder without its database. */
  const prepared = join(service.folder, 'prepared');
  before(async () => {
    seen = await useService(service);
    renameSync(database, backup);
    cpSync(service.dataDir, prepared, { recursive: true });
  });
  beforeEach(() => {
    rmSync(service.dataDir, { recursive: true });
    cpSync(prepared, service.dataDir, { recursive: true });
  });
  after(() => service.close());

  const REFUSAL =
    `The data folder ${service.dataDir} has files of jobs up to number 2, but its troupe.db is missing or empty. ` +
    'Put a backup in the place of troupe.db, or set ALLOW_EMPTY_STORE=true to start again with job 3.';

  it('that is missing: the start is refused, and no database is made', async () => {
    expect(await refusalOf(service)).to.equal(REFUSAL);
    expect(await refusalOf(service), 'once more').to.equal(REFUSAL);
    expect(existsSync(database)).to.equal(false);
  });

  it('of no bytes: the start is refused', async () => {
    writeFileSync(database, '');
    expect(await refusalOf(service)).to.equal(REFUSAL);
  });

  it('without jobs: the start is refused, once and again', async () => {
    await new SqliteStore(database).close();
    expect(await refusalOf(service)).to.equal(REFUSAL);
    expect(await refusalOf(service), 'once more').to.equal(REFUSAL);
  });

  it('that begins anew on purpose: documents stay, and new ids are higher', async () => {
    await beginsAnew(service, seen);
    await service.stop();
    await service.startHere({ ALLOW_EMPTY_STORE: 'false' });
    expect((await service.job('test-host-3'))?.jobStatus, 'it need not be allowed again').to.equal(
      'COMPLETE',
    );
    await service.stop();
  });

  it('that is an older backup: new ids and runs are higher than those of all files', async () => {
    copyFileSync(backup, database);
    mkdirSync(join(service.dataDir, 'artifacts', 'test-host-41.1'), { recursive: true });
    const later = join(service.dataDir, 'output-objects', 'test-host-2.2');
    mkdirSync(later);
    writeFileSync(join(later, 'detection.json'), 'of a run after the backup');
    await service.startHere();
    expect((await service.job('test-host-2'))?.jobStatus).to.equal('COMPLETE');
    expect(await service.submit(SHOT)).to.equal('test-host-42');
    expect((await service.resubmit('test-host-2')).status).to.equal(200);
    const { outputObjectPath } = await service.terminal('test-host-2');
    expect(outputObjectPath).to.include('test-host-2.3');
    expect(readFileSync(join(later, 'detection.json'), 'utf8')).to.equal('of a run after the backup');
    await service.stop();
  });
});

story('A data folder with files of jobs, and a Redis', 'The folder has the jobs of two stores.', () => {
  let redis: TestRedis;
  let service: Service;
  let seen: ReadonlyMap<string, string>;
  before(async function () {
    if (!hasRedis()) return this.skip();
    redis = await TestRedis.start();
    service = new Service({ STORE: 'redis', REDIS_URL: redis.url, REDIS_PREFIX: 'full' });
    seen = await useService(service);
  });
  after(async () => {
    await (service as Service | undefined)?.close();
    await (redis as TestRedis | undefined)?.end();
  });

  it('that has nothing under its prefix: the start is refused', async () => {
    expect(await refusalOf(service, { REDIS_PREFIX: 'empty' })).to.equal(
      `The data folder ${service.dataDir} has files of jobs up to number 2, but the Redis of REDIS_URL has nothing under the REDIS_PREFIX empty. ` +
        'Restore its data or correct these settings, or set ALLOW_EMPTY_STORE=true to start again with job 3.',
    );
  });

  it('that begins anew on purpose: documents stay, and new ids are higher', async () => {
    await beginsAnew(service, seen);
    await service.stop();
  });

  it('that belongs to the other store since then: the start is refused', async () => {
    const back = { REDIS_PREFIX: 'full', ALLOW_EMPTY_STORE: 'false' };
    expect(await refusalOf(service, back)).to.equal(
      `The data folder ${service.dataDir} belongs to the installation with REDIS_PREFIX empty, not to the one of REDIS_PREFIX full in the Redis of REDIS_URL. ` +
        'Set DATA_DIR to a folder of its own, or delete store.json there if no other server uses it.',
    );
  });

  it('that no server uses, as a person says: the start is not refused', async () => {
    rmSync(join(service.dataDir, 'store.json'));
    await service.startHere({ REDIS_PREFIX: 'full', ALLOW_EMPTY_STORE: 'false' });
    expect((await service.job('test-host-2'))?.jobStatus).to.equal('COMPLETE');
    expect(await service.submit(SHOT), 'the folder has job 3 of the other').to.equal('test-host-4');
  });
});

describe('A data folder of servers on a Redis', () => {
  let redis: TestRedis;
  let service: Service;
  before(async function () {
    if (!hasRedis()) return this.skip();
    redis = await TestRedis.start();
    service = new Service({ STORE: 'redis', REDIS_URL: redis.url, REDIS_PREFIX: 'first' });
    await service.startHere();
    await service.stop();
  });
  after(async () => {
    await (service as Service | undefined)?.close();
    await (redis as TestRedis | undefined)?.end();
  });

  it('without any jobs is refused to servers of another prefix, and to one with STORE=sqlite', async () => {
    expect(await refusalOf(service, { REDIS_PREFIX: 'second' })).to.match(
      /^The data folder \S+ belongs to the installation with REDIS_PREFIX first, not to the one of REDIS_PREFIX second/,
    );
    expect(await refusalOf(service, { STORE: 'sqlite', REDIS_PREFIX: 'first' })).to.match(
      /^The data folder \S+ belongs to servers with STORE=redis \(REDIS_PREFIX first\), as its store.json says/,
    );
  });

  it('is still theirs when Redis has lost all that it was told at their first start', async () => {
    await redis.kill();
    await redis.start();
    const redisClient = new Redis(redis.url);
    await redisClient.flushall();
    redisClient.disconnect();
    await service.startHere({ STORE: 'redis', REDIS_PREFIX: 'first' });
    await service.stop();
    await service.startHere();
    await service.stop();
  });
});
