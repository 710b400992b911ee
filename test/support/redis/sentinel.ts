/** A sentinel of Redis for tests: the real one, in a process of theirs. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Redis } from 'ioredis';
import { freePort, type TestRedis } from './redis.ts';
import { until } from '../until.ts';

const NAME = 'the-primary';

export class TestSentinel {
  readonly port: number;
  readonly #folder = mkdtempSync(path.join(tmpdir(), 'troupe-sentinel-'));
  readonly #process: ChildProcess;

  /** It watches a primary, and knows its replica when this is answered. */
  static async watch(primary: TestRedis, more: readonly string[] = []): Promise<TestSentinel> {
    const sentinel = new TestSentinel(await freePort(), primary, more);
    await until('the sentinel knows the replica', () => sentinel.#knowsReplica(more));
    return sentinel;
  }

  private constructor(port: number, primary: TestRedis, more: readonly string[]) {
    this.port = port;
    const file = path.join(this.#folder, 'sentinel.conf');
    const settings = [
      `port ${port}`,
      'bind 127.0.0.1',
      `dir ${this.#folder}`,
      `sentinel monitor ${NAME} 127.0.0.1 ${primary.port} 1`,
      `sentinel down-after-milliseconds ${NAME} 500`,
      `sentinel failover-timeout ${NAME} 5000`,
      ...more,
    ];
    writeFileSync(file, settings.join('\n'));
    this.#process = spawn('redis-server', [file, '--sentinel'], { stdio: 'ignore' });
  }

  /** As REDIS_URL has it; the first sentinel of the list is down. */
  get url(): string {
    return `redis+sentinel://127.0.0.1:1,127.0.0.1:${this.port}/${NAME}/0`;
  }

  async end(): Promise<void> {
    const gone = once(this.#process, 'exit');
    this.#process.kill('SIGKILL');
    await gone;
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #knowsReplica(more: readonly string[]): Promise<boolean> {
    const password = more
      .map((line) => /^requirepass (\S+)/.exec(line)?.[1])
      .find((found) => found !== undefined);
    const client = new Redis({
      port: this.port,
      lazyConnect: true,
      enableReadyCheck: false,
      retryStrategy: () => null,
      ...(password === undefined ? {} : { password }),
    });
    client.on('error', () => undefined);
    try {
      await client.connect();
      const replicas = (await client.call('SENTINEL', 'REPLICAS', NAME)) as readonly (readonly string[])[];
      return replicas.some((fields) => fields[fields.indexOf('master-link-status') + 1] === 'ok');
    } catch {
      return false;
    } finally {
      client.disconnect();
    }
  }
}
