import { expect } from 'chai';
import { addressOf } from '../../../store/redis/connection.ts';
import type { RedisOptions } from '../../../store/redis/redis-options.ts';
import { RedisStore } from '../../../store/redis/redis-store.ts';
import { allRows, commitAfter, newCommitId } from '../../../store/store.ts';
import { hasRedis, redisOfSuite, TestRedis } from '../../support/redis/redis.ts';
import { TestSentinel } from '../../support/redis/sentinel.ts';
import { SilentProxy } from '../../support/redis/silent-proxy.ts';
import { until } from '../../support/until.ts';

const OWNER = { server: 'here', epoch: 1 };
const isDone = (work: Promise<unknown>): Promise<boolean> =>
  work.then(
    () => true,
    () => false,
  );

describe('The connection to Redis', () => {
  const opened: RedisStore[] = [];
  const open = async (options: RedisOptions) => {
    const store = await RedisStore.open(options);
    opened.push(store);
    return store;
  };
  afterEach(() => Promise.all(opened.splice(0).map((store) => store.close())));

  describe('by REDIS_URL', () => {
    const optionsOf = (url: string) => {
      const connection = addressOf(url, 1_000).connection();
      const { host, port, sentinels, name, db, username, password, sentinelUsername, sentinelPassword, tls } =
        connection.options;
      connection.disconnect();
      const isPlain = sentinels === null;
      return {
        ...(isPlain ? { host, port } : { sentinels, name, sentinelUsername, sentinelPassword }),
        ...{ db, username, password, tls: tls !== undefined },
      };
    };

    it('leads to one Redis, or to the primary that sentinels name', () => {
      expect(optionsOf('rediss://user:a%40b@redis.example:7000/3')).to.deep.equal({
        ...{ host: 'redis.example', port: 7000, db: 3, username: 'user', password: 'a@b', tls: true },
      });
      expect(optionsOf('redis+sentinel://one.example,[::1]:5000/main')).to.deep.equal({
        sentinels: [
          { host: 'one.example', port: 26_379 },
          { host: '::1', port: 5_000 },
        ],
        ...{ name: 'main', sentinelUsername: undefined, sentinelPassword: undefined },
        ...{ db: 0, username: null, password: null, tls: false },
      });
      const full = 'rediss+sentinel://u:p%2F1@s:1/m/2?sentinel_username=su&sentinel_password=s%23';
      expect(optionsOf(full)).to.deep.equal({
        sentinels: [{ host: 's', port: 1 }],
        ...{ name: 'm', sentinelUsername: 'su', sentinelPassword: 's#' },
        ...{ db: 2, username: 'u', password: 'p/1', tls: true },
      });
    });

    it('logs in as the user of the URL, also when a sentinel has the same name', () => {
      expect(optionsOf('redis+sentinel://redis:pw@redis/main')).to.deep.equal({
        sentinels: [{ host: 'redis', port: 26_379 }],
        ...{ name: 'main', sentinelUsername: undefined, sentinelPassword: undefined },
        ...{ db: 0, username: 'redis', password: 'pw', tls: false },
      });
    });

    it('reconnects when the server is no primary any more, in words of Redis 7 and Redis 6.2', () => {
      const connection = addressOf('redis://redis.example', 1_000).connection();
      const { reconnectOnError } = connection.options;
      connection.disconnect();
      const isMadeAnew = (message: string) => reconnectOnError!(new Error(message));
      const readOnly = "READONLY You can't write against a read only replica.";
      const inScript = (words: string) =>
        `ERR Error running script (call to f_8a1b): @user_script:12: @user_script: 12: -${words} `;
      for (const message of [
        readOnly,
        `${readOnly} script: 8a1b, on @user_script:12.`,
        inScript(readOnly),
        inScript("MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'."),
      ])
        expect(isMadeAnew(message), message).to.equal(true);
      for (const message of [
        inScript("OOM command not allowed when used memory > 'maxmemory'."),
        'WRONGTYPE Operation against a key holding the wrong kind of value',
        'ERR unknown command READONLY_IS_NONE',
      ])
        expect(isMadeAnew(message), message).to.equal(false);
    });

    it('is refused with a sentence when it names no primary, no number or no hosts', () => {
      for (const rest of ['one:1', 'one:1/', 'one:1/main/x', 'one:1/main/0/1', 'one:two/main', ',/main'])
        expect(() => addressOf(`redis+sentinel://${rest}`, 1_000), rest).to.throw(/^REDIS_URL: /);
    });
  });

  describe('to a host that vanishes without a word', () => {
    const redis = redisOfSuite();

    it('is given up, and made anew, by whoever asks and by whoever only listens', async () => {
      const proxy = await SilentProxy.to(redis().port);
      const connections: boolean[] = [];
      const store = await open({
        url: `redis://127.0.0.1:${proxy.port}/0`,
        timeoutMs: 300,
        onConnection: (is) => connections.push(is),
      });
      const other = await open({ url: redis().url });
      const heard: string[] = [];
      store.listen((words) => heard.push(words));
      const reachedAt = () => performance.now() - store.reachedMs();
      const before = reachedAt();
      proxy.vanish();
      expect(await isDone(store.check()), 'what was asked then is not answered').to.equal(false);
      await until('it is answered again', () => isDone(store.check()));
      expect(connections).to.deep.equal([false, true]);
      expect(reachedAt(), 'it is reached since then').to.be.above(before + 1);
      await until('it hears again what others say', async () => {
        await other.say('here');
        return heard.includes('here');
      });
      await store.close();
      await proxy.close();
    });
  });

  describe('over sentinels', () => {
    let primary: TestRedis | undefined;
    let replica: TestRedis | undefined;
    let sentinel: TestSentinel | undefined;
    beforeEach(async function () {
      if (!hasRedis()) return this.skip();
      primary = await TestRedis.start();
      replica = await TestRedis.start(['--replicaof', '127.0.0.1', `${primary.port}`]);
    });
    afterEach(async () => {
      await Promise.all(opened.splice(0).map((store) => store.close()));
      for (const process of [sentinel, replica, primary]) await process?.end();
      sentinel = replica = primary = undefined;
    });

    /** Commits rows until it is stopped. Each row names the previous one. */
    const writer = (store: RedisStore, id: string) => {
      const actor = { kind: 'chain', id };
      const told = { stop: false, commits: 0 };
      const work = (async () => {
        while (!told.stop) {
          try {
            const stored = await store.load(actor);
            const after = commitAfter(stored);
            const link = newCommitId();
            await store.commit({
              ...{ actor, ...after, id: link, owner: OWNER, snapshot: { schema: 1, body: link } },
              ...(stored === undefined ? { record: {} } : {}),
              putRows: [
                { key: String(after.expected).padStart(9, '0'), body: { link, after: after.after ?? null } },
              ],
            });
            told.commits++;
          } catch {
            await new Promise((resolve) => setImmediate(resolve));
          }
        }
      })();
      return { actor, told, work };
    };

    it('goes to the new primary when the old one dies under load, and no state is made of both', async () => {
      sentinel = await TestSentinel.watch(primary!);
      const [one, two] = [
        await open({ url: sentinel.url, timeoutMs: 1_000 }),
        await open({ url: sentinel.url, timeoutMs: 1_000 }),
      ];
      const heard: string[] = [];
      one.listen((words) => heard.push(words));
      // Two servers write to each actor.
      const writers = ['a', 'b', 'c'].flatMap((id) => [writer(one, id), writer(two, id)]);
      await until('all have written', () => writers.every(({ told }) => told.commits > 0));
      await primary!.kill();
      await until('the replica is the primary', async () =>
        (await replica!.info('replication')).includes('role:master'),
      );
      const before = writers.map(({ told }) => told.commits);
      await until('all write again', () => writers.every(({ told }, n) => told.commits > before[n]!));
      for (const { told } of writers) told.stop = true;
      await Promise.all(writers.map(({ work }) => work));
      for (const { actor } of writers) {
        const links: (string | null)[] = [null];
        for await (const { body } of allRows(two, actor)) {
          const { link, after } = body as { link: string; after: string | null };
          expect(after).to.equal(links.at(-1));
          links.push(link);
        }
        expect((await one.load(actor))?.version).to.equal(links.length - 1);
      }
      await until('words are heard again', async () => {
        await two.say('here');
        return heard.includes('here');
      });
    });

    it('goes to the new primary when the old one hangs, though no connection to it breaks', async () => {
      sentinel = await TestSentinel.watch(primary!);
      // The timeout is longer than the test may take.
      const store = await open({ url: sentinel.url, timeoutMs: 600_000 });
      const heard: string[] = [];
      store.listen((words) => heard.push(words));
      expect(await store.next('job')).to.equal(1);
      primary!.freeze();
      await until('the replica is the primary', async () =>
        (await replica!.info('replication')).includes('role:master'),
      );
      await until('it is asked', () => isDone(store.next('job')));
      await until('words are heard from it', async () => {
        await store.say('here');
        return heard.includes('here');
      });
    });

    it('needs the password of the sentinels where they ask for one', async () => {
      sentinel = await TestSentinel.watch(primary!, ['requirepass geheim']);
      const url = (password: string) => `${sentinel!.url}?sentinel_password=${password}`;
      expect(await (await open({ url: url('geheim') })).next('job')).to.equal(1);
      const refused = await RedisStore.open({ url: url('falsch') }).catch((error: unknown) => String(error));
      expect(refused).to.contain('cannot be used').and.not.contain('falsch');
    });

    it('is refused with a sentence when no sentinel answers', async () => {
      const refused = await RedisStore.open({
        url: 'redis+sentinel://u:geheim@127.0.0.1:1,127.0.0.1:2/main',
      }).catch((error: unknown) => String(error));
      expect(refused)
        .to.match(
          /The Redis at 127\.0\.0\.1:1,127\.0\.0\.1:2 \(main\) \(REDIS_URL\) cannot be used: All sentinels are unreachable/,
        )
        .and.not.contain('geheim');
    });
  });
});
