/** A Redis of its own for the tests of a suite: the real one, in a process of theirs, which is ended with them. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Redis } from 'ioredis';
import { packageRoot } from '../../../config/info.ts';
import { until } from '../until.ts';

/** Whether there is one to start. */
export const hasRedis = (): boolean =>
  spawnSync('redis-server', ['--version'], { stdio: 'ignore' }).status === 0;

/** The rights of a user as the guide about clusters names them, for a prefix and a password. */
export function rightsOf(prefix: string, password: string): readonly string[] {
  const page = readFileSync(path.join(packageRoot, 'docs/guides/run-a-cluster.md'), 'utf8');
  const command = /^redis-cli ACL SETUSER troupe ((?:.*\\\n)*.*)$/m.exec(page)![1]!;
  const rights = command.replaceAll(/\\\n|'/g, '').replaceAll('{troupe}', `{${prefix}}`);
  return rights.replace('>PASSWORD', `>${password}`).split(/ +/);
}

export class TestRedis {
  readonly #folder = mkdtempSync(path.join(tmpdir(), 'troupe-redis-'));
  readonly port: number;
  readonly #settings: readonly string[];
  #process: ChildProcess | undefined;

  /** @param settings as of redis.conf, each with its value */
  static async start(settings: readonly string[] = []): Promise<TestRedis> {
    const redis = new TestRedis(await freePort(), settings);
    await redis.start();
    return redis;
  }

  private constructor(port: number, settings: readonly string[]) {
    this.port = port;
    this.#settings = settings;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}/0`;
  }

  async start(): Promise<void> {
    const words = ['--port', `${this.port}`, '--bind', '127.0.0.1', '--dir', this.#folder, '--save', ''];
    const durable = ['--appendonly', 'yes', '--appendfsync', 'everysec', '--maxmemory-policy', 'noeviction'];
    this.#process = spawn('redis-server', [...words, ...durable, ...this.#settings], { stdio: 'ignore' });
    await until('Redis answers', () => this.#answers());
  }

  /** As a loss of its process: what it has written to its file is there after the next start. */
  async kill(): Promise<void> {
    const child = this.#process;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }

  /** What it says of itself. */
  async info(section: string): Promise<string> {
    const redis = new Redis(this.url);
    try {
      return await redis.info(section);
    } finally {
      redis.disconnect();
    }
  }

  /** What it has refused since its users lacked the right. */
  async refusals(): Promise<unknown> {
    const redis = new Redis(this.url);
    try {
      return await redis.acl('LOG');
    } finally {
      redis.disconnect();
    }
  }

  /** Changes one of its settings. */
  async set(name: string, value: string): Promise<void> {
    const redis = new Redis(this.url);
    await redis.config('SET', name, value);
    redis.disconnect();
  }

  /** Until its file has all that it has answered: while its disk is slow, that may take two seconds. */
  async waitUntilWritten(): Promise<void> {
    const redis = new Redis(this.url);
    try {
      const waitUntilWritten = async () =>
        (await redis.info('persistence')).includes('aof_buffer_length:0\r');
      await until('Redis has written everything', waitUntilWritten);
    } finally {
      redis.disconnect();
    }
  }

  /** Keeps a copy of all that it has stored by now. */
  async keepCopy(): Promise<void> {
    await this.waitUntilWritten();
    rmSync(this.#copy, { recursive: true, force: true });
    cpSync(this.#files, this.#copy, { recursive: true });
  }

  /** As a failover to a replica that lagged behind: another process serves on, with what the copy has. */
  async goBack(): Promise<void> {
    await this.kill();
    rmSync(this.#files, { recursive: true, force: true });
    cpSync(this.#copy, this.#files, { recursive: true });
    await this.start();
  }

  get #files(): string {
    return path.join(this.#folder, 'appendonlydir');
  }

  get #copy(): string {
    return path.join(this.#folder, 'copy');
  }

  /** It stands still, and answers nobody, until `thaw`. */
  freeze(): void {
    this.#process?.kill('SIGSTOP');
  }

  thaw(): void {
    this.#process?.kill('SIGCONT');
  }

  async end(): Promise<void> {
    this.thaw();
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #answers(): Promise<boolean> {
    const redis = new Redis(this.url, { lazyConnect: true, retryStrategy: () => null });
    redis.on('error', () => undefined);
    try {
      await redis.connect();
      return (await redis.ping()) === 'PONG';
    } catch {
      return false;
    } finally {
      redis.disconnect();
    }
  }
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

/** One Redis for all tests of a suite, which is left out where none is installed. */
export function redisOfSuite(settings: readonly string[] = []): () => TestRedis {
  let redis: TestRedis | undefined;
  before(async function () {
    if (hasRedis()) redis = await TestRedis.start(settings);
    else this.skip();
  });
  after(() => redis?.end());
  return () => redis!;
}
