/**
 * A start that is refused or interrupted ends quickly, with a message and an exit code, and leaves no process
 * behind.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { Place, type Outcome, type Running } from '../cli/support/support.ts';
import { isAlive } from '../support/processes/processes.ts';
import { freePort, hasRedis, TestRedis } from '../support/redis/redis.ts';
import { ownToken } from '../support/tokens.ts';
import { until, within } from '../support/until.ts';

/** Time from the refusal to the exit. The time before it is that of a normal start. */
const END_MS = 2_000;

interface Configured {
  readonly host: string;
  readonly services: readonly { readonly serviceName: string }[];
}

describe('A start that is refused', () => {
  let place: Place;
  const usePlace = () => {
    before(() => {
      place = new Place();
    });
    after(() => place.leave());
  };

  const ask = async (url: string, method: string, path: string, body?: unknown) => {
    const headers = {
      authorization: `Bearer ${await ownToken(url, place.dataDir)}`,
      'content-type': 'application/json',
    };
    return fetch(`${url}${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  };

  /** After this, two services of the host always run. */
  async function configure(url: string): Promise<void> {
    const [host, ...others] = (await (await ask(url, 'GET', '/rest/nodes/config')).json()) as Configured[];
    const services = host!.services.slice(0, 2).map((one) => ({ ...one, environmentVariables: [] }));
    const { status } = await ask(url, 'POST', '/rest/nodes/config', [{ ...host, services }, ...others]);
    expect(status).to.equal(201);
  }

  async function ends(run: Running): Promise<Outcome> {
    const outcome = await within(END_MS, 'the process has ended', run.ended);
    await until('all its processes have ended', () =>
      componentPids(outcome).every((pid) => !isAlive({ pid })),
    );
    return outcome;
  }

  describe('with a node configuration', () => {
    usePlace();
    before(async () => {
      const server = await place.serve();
      await configure(server.url);
      server.signal('SIGTERM');
      expect((await server.ended).code).to.equal(0);
    });

    it('ends with its processes when a folder is in the place of the lock file', async () => {
      mkdirSync(place.lock);
      const run = place.start(['serve'], { PORT: '0' });
      await run.says('stderr', `${place.lock} is a folder`);
      const { code, stdout } = await ends(run);
      rmSync(place.lock, { recursive: true });
      expect(code).to.equal(2);
      expect(stdout).not.to.include('not open');
    });

    it('ends when a newer version of Troupe wrote the database', async () => {
      const setFormat = (version: number) => {
        const database = new Database(join(place.dataDir, 'troupe.db'));
        database.prepare('update format set version = ?').run(version);
        database.close();
      };
      setFormat(2);
      const run = place.start(['serve'], { PORT: '0' });
      await run.says(
        'stderr',
        'was written by a newer version of Troupe (format 2, this version knows format 1)',
      );
      expect((await ends(run)).code).to.equal(2);
      setFormat(1);
    });

    it('ends with its processes when uploads cannot be stored', async () => {
      const uploads = join(place.dataDir, 'uploads');
      rmSync(uploads, { recursive: true, force: true });
      writeFileSync(uploads, '');
      const run = place.start(['serve'], { PORT: '0' });
      await run.says('stderr', 'cannot be written');
      expect((await ends(run)).code).to.equal(2);
      rmSync(uploads);
    });
  });

  /** Uses a Redis where another server already has the name, for the tests of a suite. */
  const useSharedRedis = () => {
    usePlace();
    let redis: TestRedis;
    let port: number;
    before(async function () {
      if (!hasRedis()) return this.skip();
      redis = await TestRedis.start();
      port = await freePort();
      const first = await freePort();
      const server = place.start(['serve'], { ...sharedSettings(1_000), PORT: String(first) });
      await server.says('stdout', '"Troupe is up"');
      await configure(`http://127.0.0.1:${first}`);
    });
    after(() => redis.end());

    const sharedSettings = (silenceMs: number) => ({
      ...{ STORE: 'redis', REDIS_URL: redis.url, NODE_NAME: 'one' },
      ...{ SERVER_SILENCE_MS: String(silenceMs), REDIS_TIMEOUT_MS: '500' },
    });
    const startAnother = (silenceMs: number) =>
      place.start(['serve'], { ...sharedSettings(silenceMs), PORT: String(port) });
    const isWaiting = () =>
      until('it waits for the name of its node', () =>
        ask(`http://127.0.0.1:${port}`, 'GET', '/rest/nodes/config').then(
          ({ status }) => status === 503,
          () => false,
        ),
      );
    return { redis: () => redis, startAnother, isWaiting };
  };

  describe('by the servers that share a Redis', () => {
    const { startAnother, isWaiting } = useSharedRedis();

    it('ends with its processes when NODE_NAME is taken, whoever asks it meanwhile', async () => {
      const run = startAnother(1_000);
      await isWaiting();
      await run.says('stderr', 'Another server of this cluster has a node that is called one');
      const outcome = await ends(run);
      expect([outcome.code, componentPids(outcome)]).to.deep.equal([1, []]);
    });

    it('ends at the first SIGTERM while it waits', async () => {
      const run = startAnother(60_000);
      await isWaiting();
      run.signal('SIGTERM');
      const { code, stderr } = await ends(run);
      expect([code, stderr]).to.deep.equal([0, 'The start was interrupted.\n']);
    });
  });

  describe('by the servers of a Redis that goes away', () => {
    const { redis, startAnother, isWaiting } = useSharedRedis();

    it('ends when Redis goes away while it waits', async () => {
      const run = startAnother(2_000);
      await isWaiting();
      await redis().kill();
      // The message comes from the step of the start that uses Redis next.
      await run.says('stderr', 'does not answer');
      const { code, stderr } = await ends(run);
      expect(code, stderr).to.equal(2);
      expect(stderr).to.include('Start Redis or correct REDIS_URL, then start the server again.');
    });
  });
});

/** Ids of the component processes that the server has started. */
const componentPids = ({ stdout }: Outcome): readonly number[] =>
  [...stdout.matchAll(/"pid":(\d+),"msg":"component process started"/g)].map(([, pid]) => Number(pid));
